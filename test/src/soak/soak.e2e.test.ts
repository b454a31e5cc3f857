import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawSoak } from './draw-soak.ts';
import { runSoak, type SoakSample } from './run-soak.ts';

/**
 * The long form: `QUIRE_SOAK_HOURS=12`, which takes some minutes; `QUIRE_SOAK_CHART=soak.svg` draws
 * the resource use of the server.
 */
const hours = Number(process.env['QUIRE_SOAK_HOURS'] ?? 0.75);
const chart = process.env['QUIRE_SOAK_CHART'];
const MiB = 1024 * 1024;

test.runIf(process.platform === 'linux')(
  'a server uses no more after hours of its time than when results have begun to expire',
  { timeout: 600_000 + hours * 300_000 },
  async () => {
    const samples = await runSoak({ hours, seed: 1 });
    if (chart !== undefined) await writeFile(chart, drawSoak(samples));
    // Results expire from a quarter of an hour on, and rows of the table from an hour on.
    const young = samples.filter(
      (sample) => sample.hours >= hours / 3 && sample.hours <= hours / 2,
    );
    const old = samples.filter((sample) => sample.hours > (hours * 5) / 6);
    const least = (of: readonly SoakSample[], key: keyof SoakSample): number =>
      Math.min(...of.map((sample) => sample[key]));
    const growth = Object.fromEntries(
      (['heapBytes', 'externalBytes', 'handles', 'files', 'storedFiles'] as const).map((key) => [
        key,
        least(old, key) - least(young, key),
      ]),
    );
    // Of some 14 loops, a few are at work at each sample instead of asleep, more on a busy machine.
    const most = Math.max(...young.map(({ timers }) => timers));
    growth['timers'] = least(old, 'timers') - most;
    if (hours > 1) console.log(growth, samples.at(-1));
    expect(growth['heapBytes']).toBeLessThan(4 * MiB);
    expect(growth['externalBytes']).toBeLessThan(4 * MiB);
    expect(growth['timers']).toBeLessThanOrEqual(2);
    // Connections and cached files vary; one left behind by each call would be hundreds.
    expect(growth['handles']).toBeLessThanOrEqual(32);
    expect(growth['files']).toBeLessThanOrEqual(32);
    // Segments and chunks become more until the first ones of them are deleted.
    expect(growth['storedFiles']).toBeLessThanOrEqual(hours >= 6 ? 40 : Number.POSITIVE_INFINITY);
  },
);
