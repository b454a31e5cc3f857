import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { until } from '../testkit/until.ts';
import { isAlive, WorkerServer } from '../testkit/worker-server.ts';

/** `QUIRE_WORKER_KILLS` sets the number of kills; four by default. */
const kills = Number(process.env['QUIRE_WORKER_KILLS'] ?? 3);

test(`a worker killed at any moment, ${kills} times, costs its own query only`, async () => {
  await using server = await WorkerServer.start('engine.broker.query.concurrency = 2\n');
  const { requestId } = await server.query('SELECT * FROM flights LIMIT 10000');
  const end = { isOver: false };
  const failures: number[] = [];
  const kept: string[] = [requestId];

  const writer = async (): Promise<void> => {
    while (!end.isOver) {
      const answer = await server.query('SELECT * FROM flights LIMIT 300000');
      const [exception] = answer.exceptions ?? [];
      if (exception === undefined) {
        kept.push(answer.requestId);
      } else {
        failures.push(exception.errorCode);
      }
      // A few results are kept, so that the store does not grow.
      if (kept.length > 5) await server.delete(kept.splice(1, 1)[0] ?? '');
    }
  };
  const reader = async (): Promise<void> => {
    for (let count = 0; !end.isOver; count += 1) {
      expect((await server.page(requestId, (count * 97) % 9000, 1000)).rowCount).toBe(1000);
    }
  };
  let signalCount = 0;
  /** Kills a worker, unless none exists at the moment. */
  const killOne = async (): Promise<void> => {
    await expect.poll(async () => (await server.health()).workers?.busyCount).toBeGreaterThan(0);
    const pids = await server.workerPids();
    const pid = pids[signalCount % pids.length];
    // One of the list may have ended since.
    if (pid === undefined || !isAlive(pid)) return;
    // The signal hits a query at an arbitrary moment, because queries run continuously.
    process.kill(pid, 'SIGKILL');
    signalCount += 1;
    await until(() => !isAlive(pid), 'the worker has ended');
  };
  const killer = async (): Promise<void> => {
    for (let count = 0; count < kills; count += 1) {
      // A worker that ends by itself at that moment does not count as killed.
      await until(async () => {
        await killOne();
        return ((await server.health()).workers?.killedCount ?? 0) > count;
      }, 'a worker has been killed');
    }
  };
  await Promise.all([writer(), writer(), reader(), killer().finally(() => (end.isOver = true))]);

  expect(failures.filter((errorCode) => errorCode !== 450)).toEqual([]);
  expect(failures.length).toBeLessThanOrEqual(signalCount);
  const health = await server.health();
  expect(health).toMatchObject({ queriesRunning: 0, workers: { busyCount: 0 } });
  expect(health.workers?.killedCount).toBeGreaterThanOrEqual(kills);
  expect(health.workers?.killedCount).toBeLessThanOrEqual(signalCount);
  for (const id of kept) expect((await server.page(id, 0, 10)).rowCount).toBe(10);
  const stored = (await server.resultFiles()).filter((path) => !path.endsWith('.lock'));
  expect(stored).toHaveLength(2 * kept.length);
  await expect.poll(() => server.spilledFiles()).toEqual([]);
  const sizes = await Promise.all(stored.map(async (path) => (await stat(path)).size));
  expect(health.cleaner?.usageBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
});
