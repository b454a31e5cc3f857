import { expect, test } from 'vitest';
import { WorkerServer } from '../testkit/worker-server.ts';

test('workers send results to a store in memory, whole, and what one that is killed has sent is gone', async () => {
  await using server = await WorkerServer.start('engine.broker.query.concurrency = 1\n', 'memory');
  const { requestId, exceptions } = await server.query('SELECT * FROM range(300000) AS t(n)');
  expect(exceptions).toEqual([]);
  for (const offset of [0, 123_456, 299_990]) {
    const answer = await server.call(`/query/${requestId}/results?offset=${offset}&numRows=10`);
    const { resultTable } = (await answer.json()) as {
      readonly resultTable: { readonly rows: readonly (readonly number[])[] };
    };
    expect(resultTable.rows).toEqual(Array.from({ length: 10 }, (_, index) => [offset + index]));
  }
  const usageBytes = async (): Promise<number | undefined> =>
    (await server.health()).cleaner?.usageBytes;
  const before = await usageBytes();
  expect(before).toBeGreaterThan(0);
  const running = server.query('SELECT n, sqrt(n) AS s FROM range(100000000) AS t(n)');
  // The server has started to send.
  await expect.poll(usageBytes).toBeGreaterThan(before ?? 0);
  for (const pid of await server.workerPids()) process.kill(pid, 'SIGKILL');
  expect((await running).exceptions).toMatchObject([{ errorCode: 450 }]);
  expect(await usageBytes()).toBe(before);
});
