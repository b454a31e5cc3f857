import { isQuireError, QuireClient, QuireQueryClient } from '@quire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';

let broker: TestBroker;
let client: QuireQueryClient;

beforeAll(async () => {
  broker = await TestBroker.start();
  client = new QuireQueryClient({ baseUrl: broker.address.url, token: 'ann-token' });
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

test('a cursor walks through the rows while the query runs, to the last one', async () => {
  await using cursor = await client.start('rows 3000 then wait then rows 1500', { rowCount: 400 });
  expect([cursor.isGrowing, cursor.page?.rows.length, cursor.columns?.length]).toEqual([
    true,
    400,
    3,
  ]);
  const [running] = await client.list();
  expect(running).toMatchObject({
    requestId: cursor.requestId,
    state: 'RUNNING',
    owner: 'ann',
    isPaginated: true,
  });
  const numbers: unknown[] = [];
  for await (const page of cursor.pages()) {
    numbers.push(...page.rows.map(([n]) => n));
    if (numbers.length === 2000) broker.engine.resume();
  }
  expect(numbers).toEqual(Array.from({ length: 4500 }, (_, n) => n));
  expect(cursor.isGrowing).toBe(false);
  expect(await client.status(cursor.requestId)).toMatchObject({
    state: 'DONE',
    rowCount: 4500,
    exceptions: [],
  });
  const result = await cursor.result();
  expect([result.totalRowCount, result.page.rows.length]).toEqual([4500, 400]);
});

test('a number of rows or a page size that no page has is refused', async () => {
  const invalid = { code: 'INVALID_PARAMETER' };
  await expect(client.start('rows 10', { rowCount: 0 })).rejects.toMatchObject(invalid);
  await using cursor = await client.start('rows 10');
  for (const wrong of [{ rowCount: 0 }, { pageSize: 0 }, { offset: -1 }]) {
    const download = cursor.download({ format: 'arrow', ...wrong });
    await expect(download.next()).rejects.toMatchObject(invalid);
  }
});

test('leaving the block cancels a query that runs', async () => {
  const leave = async (): Promise<string> => {
    await using cursor = await client.start('hang', { waitMs: 0 });
    expect([cursor.page, cursor.isGrowing]).toEqual([undefined, true]);
    return cursor.requestId;
  };
  const requestId = await leave();
  expect(await client.status(requestId)).toMatchObject({
    state: 'CANCELLED',
    exceptions: [{ errorCode: 503 }],
  });
  await expect(client.cancel(requestId)).rejects.toMatchObject({ code: 'CONFLICT', status: 409 });
});

test('leaving the block deletes the result of a query that has ended, unless it is gone', async () => {
  const plain = new QuireClient({ baseUrl: broker.address.url, token: 'ann-token' });
  const leave = async (isDeleted: boolean): Promise<string> => {
    await using cursor = await client.start('rows 10', { rowCount: 4 });
    expect((await cursor.result()).totalRowCount).toBe(10);
    if (isDeleted) await plain.delete(cursor.requestId);
    return cursor.requestId;
  };
  for (const isDeleted of [false, true]) {
    await expect(plain.open(await leave(isDeleted))).rejects.toMatchObject({
      code: 'RESULT_DELETED',
    });
  }
  const failed = await client.start('rows 3000 then wait then fail QUERY_FAILED', {
    rowCount: 100,
  });
  broker.engine.resume();
  await expect(failed.result()).rejects.toMatchObject({ code: 'QUERY_FAILED' });
  await failed[Symbol.asyncDispose]();
});

test('what a query fails with in the middle ends a walk, and every later call', async () => {
  const cursor = await client.start('rows 3000 then wait then fail QUERY_LIMIT_EXCEEDED', {
    rowCount: 100,
  });
  broker.engine.resume();
  const walk = async (): Promise<number> => {
    let count = 0;
    for await (const _ of cursor.rows()) count += 1;
    return count;
  };
  await expect(walk()).rejects.toSatisfy((error) => isQuireError(error, 'QUERY_LIMIT_EXCEEDED'));
  await expect(cursor.result()).rejects.toMatchObject({ code: 'QUERY_LIMIT_EXCEEDED' });
  await cursor[Symbol.asyncDispose]();
});
