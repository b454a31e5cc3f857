import { afterEach, expect, test, vi } from 'vitest';
import { QueryConnection } from '../src/query-connection.ts';
import { TestEngine } from './test-engine.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the size of the buffer that a query sets; undefined if it sets none. */
async function bufferBytesOf(sql: string): Promise<number | undefined> {
  const set = vi.spyOn(QueryConnection.prototype, 'setStreamBuffer');
  await using db = await TestEngine.open();
  await using execution = await db.execute(sql);
  for await (const batch of execution.batches) expect(batch.numRows).toBe(1);
  const sizes = set.mock.calls.map(([sizeBytes]) => sizeBytes);
  set.mockClear();
  expect(sizes.length).toBeLessThanOrEqual(1);
  return sizes[0];
}

test.each([
  // Six chunks of 2,048 rows, each with 8 bytes for a number and 16 for a text.
  ["SELECT 1 AS n, 'x' AS s", 294_912],
  ["SELECT 'x'::BLOB AS b", 196_608],
  ["SELECT ['x'] AS l", 196_608],
  ["SELECT {a: 1, b: ['x']} AS s, 1.5 AS d", 393_216],
])('DuckDB computes six chunks of rows with texts ahead: %s', async (sql, sizeBytes) => {
  expect(await bufferBytesOf(sql)).toBe(sizeBytes);
});

test('rows without texts, or so wide that six chunks exceed it, have the default buffer', async () => {
  const texts = Array.from({ length: 6 }, (_, column) => `'x' AS c${column}`);
  expect(await bufferBytesOf('SELECT 1 AS n, [1] AS l, {a: true} AS s')).toBeUndefined();
  expect(await bufferBytesOf(`SELECT ${texts.slice(1).join(', ')}`)).toBe(983_040);
  expect(await bufferBytesOf(`SELECT ${texts.join(', ')}`)).toBeUndefined();
});
