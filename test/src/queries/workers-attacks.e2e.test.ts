import type { RunningQueryList } from '@quire/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../testkit/until.ts';
import { isAlive, WorkerServer } from '../testkit/worker-server.ts';

/** `QUIRE_STUCK_QUERIES` sets the number of consecutive queries; two by default. */
const attacks = Number(process.env['QUIRE_STUCK_QUERIES'] ?? 2);

/** Takes hours in one call of DuckDB, which checks no interrupt during that time. */
const stuck = "SELECT levenshtein(repeat('ab', 100000), repeat('ba', 100000))";

describe('a query that does not stop', () => {
  let server: WorkerServer;

  beforeAll(async () => {
    server = await WorkerServer.start('engine.broker.query.concurrency = 2\n');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  // With queries in the server's own process, each of these blocked a thread of libuv's pool
  // forever: after 24, or 32, no file could be read any more.
  test('a query that does not stop is answered with 250, keeps its slot until its process is gone, and costs nobody else anything', async () => {
    const killedCount = async (): Promise<number> =>
      (await server.health()).workers?.killedCount ?? 0;
    const killedBefore = await killedCount();
    const { requestId } = await server.query('SELECT * FROM range(1000) AS t(n)');
    for (let count = 1; count <= attacks; count += 1) {
      // A query whose time is over before DuckDB begins with it does stop, and costs no process.
      await until(async () => {
        // A process that is still starting would be abandoned, not killed.
        expect((await server.query('SELECT 1')).exceptions).toEqual([]);
        const answer = await server.query(stuck, 500);
        expect(answer.exceptions).toMatchObject([{ errorCode: 250 }]);
        return (await killedCount()) >= killedBefore + count;
      }, 'the process of a stuck query is killed');
      expect(await server.page(requestId, 0, 1000)).toMatchObject({ rowCount: 1000 });
    }
    expect((await server.query('SELECT 1')).exceptions).toEqual([]);
    expect(await server.health()).toMatchObject({ queriesRunning: 0, workers: { busyCount: 0 } });
    const metrics = await (await server.call('/metrics')).text();
    expect(metrics).toContain(`quire_workers_killed_total{reason="time"} ${await killedCount()}`);
  });

  test('a query that does not stop counts as running until its process is gone', async () => {
    const running = server.query(stuck);
    await expect.poll(async () => (await server.health()).queriesRunning).toBe(1);
    const { queries } = (await (await server.call('/queries')).json()) as RunningQueryList;
    const cancelled = await server.call(`/query/${queries[0]?.requestId}`, { method: 'DELETE' });
    expect(cancelled.status).toBe(200);
    expect((await running).exceptions).toMatchObject([{ errorCode: 503 }]);
    expect(await server.health()).toMatchObject({ queriesRunning: 0, workers: { busyCount: 0 } });
  });
});

describe('a query that takes more memory than it may', () => {
  let server: WorkerServer;

  beforeAll(async () => {
    server = await WorkerServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  // DuckDB's own limit counts none of these.
  const statements = [
    "SELECT damerau_levenshtein(repeat('ab', 50000), repeat('ba', 50000))",
    "SELECT length(lpad('a', 2000000000, 'b'))",
    "SELECT length(printf('%999999999d', 1))",
    "SELECT length(replace(repeat('a', 10000000), 'a', repeat('b', 100)))",
  ];
  // Each waits until the watchdog sees it; the first two fill memory in ways of their own.
  const tried =
    process.env['QUIRE_STUCK_QUERIES'] === undefined ? statements.slice(0, 2) : statements;
  test.each(tried)(
    'a query that takes more memory than it may: %s is answered with 245 and the limit by its name',
    async (sql) => {
      const filesBefore = await server.resultFiles();
      const answer = await server.query(sql);
      expect(answer.exceptions).toMatchObject([{ errorCode: 245 }]);
      expect(answer.exceptions?.[0]?.message).toContain('engine.broker.workers.memory.maxMB');
      await expect.poll(() => server.resultFiles()).toEqual(filesBefore);
      await expect.poll(() => server.spilledFiles()).toEqual([]);
      expect((await server.query('SELECT 1')).exceptions).toEqual([]);
    },
  );
});

test('a worker that is stuck ends with its server, when that is killed', async () => {
  await using server = await WorkerServer.start();
  const running = server.query(stuck).catch(() => undefined);
  await expect.poll(async () => (await server.health()).workers?.busyCount).toBe(1);
  const pids = await server.workerPids();
  expect(pids.length).toBeGreaterThan(0);
  process.kill(server.server.pid, 'SIGKILL');
  await running;
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});
