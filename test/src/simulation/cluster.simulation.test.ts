import { queryObjects } from 'node:v8';
import { expect, test, vi } from 'vitest';
import { SimulatedDisk } from './disk-tree.ts';
import { plantedDefects } from './sabotage.ts';
import { violationOf } from './shrink.ts';
import { simulate, type SimulationReport } from './simulation.ts';
import { stories } from './stories.ts';

/**
 * The same seeds every time. The long form: `QUIRE_SIMULATION_SEEDS=10000`, from
 * `QUIRE_SIMULATION_FIRST` on, `QUIRE_SIMULATION_MINUTES=1440` of simulated time each.
 */
const seedCount = Number(process.env['QUIRE_SIMULATION_SEEDS'] ?? 4);
const firstSeed = Number(process.env['QUIRE_SIMULATION_FIRST'] ?? 10);
const durationMs = Number(process.env['QUIRE_SIMULATION_MINUTES'] ?? 10) * 60_000;
/** A second or two of processor time for ten minutes, however busy the machine is. */
const timeout = 300_000 + seedCount * durationMs;
const seeds = Array.from({ length: seedCount }, (_, index) => firstSeed + index);

test(
  'whatever happens to a cluster, pages and tables are right, what was confirmed stays, and nothing is left',
  { timeout },
  async () => {
    const outcomes = new Set<string>();
    for (const seed of seeds) {
      const report = await named(seed, simulate({ seed, durationMs }));
      for (const outcome of Object.keys(report.outcomes)) outcomes.add(outcome);
    }
    // The runs cover every outcome: calls of each kind have succeeded, been refused, and been lost.
    expect([...outcomes]).toEqual(
      expect.arrayContaining([
        'query 200',
        'query lost',
        'page 200',
        'page 410',
        'page lost',
        'list 200',
        'renew 200',
        'delete 200',
        'growing 200',
        'upload 200',
        'forceCommit 200',
        'restream 200',
        'job 200',
        'drop 200',
      ]),
    );
  },
);

test('a seed gives the same run again, however slow the machine is', { timeout }, async () => {
  const first = await simulate({ seed: 5, durationMs });
  // A minute passes between any two looks at a clock of the machine.
  const [startMs, startTimeMs] = [performance.now(), Date.now()];
  let passedMs = 0;
  using _clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => startMs + (passedMs += 60_000));
  using _wallClock = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => startTimeMs + (passedMs += 60_000));
  expect(await simulate({ seed: 5, durationMs })).toEqual(first);
});

test('nothing of a run stays in memory, so that one process can run thousands', async () => {
  await simulate({ seed: 2, durationMs: 60_000, plan: { hasTables: true } });
  // A process is killed during a query, whose signals were kept.
  await simulate({ seed: 8, durationMs: 600_000 });
  // V8 keeps what a function refers to while another thread compiles the function.
  await expect.poll(() => queryObjects(SimulatedDisk, { format: 'count' })).toBe(0);
});

/**
 * The maximum number of seeds that are tried for a planted defect; `foundBySeed` is the number that
 * it needs today.
 */
const defectSeedsMax = 50;

test.each(Object.entries(plantedDefects))(
  'a planted defect is found: %s',
  { timeout },
  async (_, { foundBySeed, ...sabotage }) => {
    let found: string | undefined;
    for (let tried = 0; tried < defectSeedsMax && found === undefined; tried += 1) {
      found = await violationOf({ seed: foundBySeed + tried, durationMs: 600_000, sabotage });
    }
    expect(found).toBeDefined();
  },
);

test.each(stories)('what was found once stays cured: %s', { timeout }, async (_, story) => {
  expect(await violationOf(story)).toBeUndefined();
});

/** Adds the seed to the error of a run. */
async function named(seed: number, run: Promise<SimulationReport>): Promise<SimulationReport> {
  try {
    return await run;
  } catch (error) {
    throw new Error(`Seed ${seed}`, { cause: error });
  }
}
