import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileStatements } from './hostile-sql.ts';
import { WorkerServer } from '../testkit/worker-server.ts';

/**
 * `QUIRE_HOSTILE_SQL=1` runs all statements with more time for each, and holds the pages' times to
 * their goal.
 */
const isLong = process.env['QUIRE_HOSTILE_SQL'] !== undefined;
const statements = hostileStatements.filter((_, index) => isLong || index % 12 === 0);
const timeoutMs = isLong ? 1000 : 300;
const attackersCount = 2;

let server: WorkerServer;
let requestId: string;

beforeAll(async () => {
  server = await WorkerServer.start('engine.broker.query.concurrency = 3\n');
  ({ requestId } = await server.query('SELECT * FROM flights LIMIT 50000'));
});
afterAll(() => server[Symbol.asyncDispose]());

test(`${statements.length} hostile statements cost nobody but who sends them, and leave nothing`, async () => {
  const idle = await readPages(() => idlePages.count < (isLong ? 200 : 20), idlePages);
  const attack = { isOver: false };
  const pages = { count: 0 };
  const reading = readPages(() => !attack.isOver, pages);
  // A page that fails ends the attack as well.
  reading.catch(() => (pages.count = Number.POSITIVE_INFINITY));
  const queue = untilRead(pages);
  const outcomes = new Map<string, number>();
  const attackers = Array.from({ length: attackersCount }, async () => {
    for (const { aim, sql } of queue) {
      const answer = await server.query(sql, timeoutMs);
      const [exception] = answer.exceptions ?? [];
      const outcome = `${aim} ${exception?.errorCode ?? 'ok'}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (exception?.errorCode === 450) {
        throw new Error(`${sql.slice(0, 100)}: ${exception.message}`);
      }
      if (exception === undefined && answer.requestId !== undefined) {
        await server.delete(answer.requestId);
      }
    }
  });
  await Promise.all(attackers).finally(() => (attack.isOver = true));
  const times = await reading;
  expect((await server.query('SELECT 1')).exceptions).toEqual([]);
  await expect
    .poll(() => server.health())
    .toMatchObject({ queriesRunning: 0, queriesQueued: 0, workers: { busyCount: 0 } });
  await expect.poll(() => server.spilledFiles()).toEqual([]);
  // The result that was read, and that of `SELECT 1`.
  await expect.poll(() => server.resultFiles()).toHaveLength(4);
  if (!isLong) return;
  const figures = {
    idleMs: percentile(idle, 0.99),
    attackedMs: percentile(times, 0.99),
    mostMs: Math.max(...times),
  };
  console.log(
    JSON.stringify({
      ...figures,
      pages: times.length,
      workers: (await server.health()).workers,
      outcomes: Object.fromEntries(outcomes),
    }),
  );
  expect(figures.attackedMs).toBeLessThan(3 * figures.idleMs);
});

/**
 * All statements, over and over until more pages than these were read: the attack never ends if it
 * keeps its neighbour from reading.
 */
function* untilRead(pages: { readonly count: number }): Generator<(typeof statements)[number]> {
  do yield* statements;
  while (pages.count <= statements.length);
}

const idlePages = { count: 0 };

/** Reads pages one after another, and returns their times; a page that fails fails the test. */
async function readPages(isWanted: () => boolean, read: { count: number }): Promise<number[]> {
  const times: number[] = [];
  while (isWanted()) {
    const offset = (read.count * 997) % 49_000;
    const { rowCount, elapsedMs } = await server.page(requestId, offset, 1000);
    expect(rowCount).toBe(1000);
    times.push(elapsedMs);
    read.count += 1;
  }
  return times;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
