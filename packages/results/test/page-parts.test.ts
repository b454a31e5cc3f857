import { MemoryObjectStore } from '@quire/core/memory';
import { expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { until } from '../../../test/src/testkit/until.ts';
import { PageThreads, ResultStore } from '../src/index.ts';
import type { PlannedBatch } from '../src/plan-page.ts';
import { partsOf } from '../src/threads/encode-in-threads.ts';
import { poolOf } from '../src/threads/page-threads.ts';

function batchesOf(count: number, sizeBytes: number): PlannedBatch[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    bytes: { start: index * sizeBytes, end: (index + 1) * sizeBytes },
    checksum: 0,
    rows: { start: 0, end: 1 },
    rowCountMax: 1,
  }));
}

test.each([
  ['json', 5, 262_144, [5]],
  ['json', 8, 262_144, [3, 3, 2]],
  ['json', 16, 300, [16]],
  ['csv', 17, 300, [9, 8]],
  ['arrow', 2, 2_000_000, [1, 1]],
  ['parquet', 5, 262_144, [5]],
  ['parquet', 100, 300, [100]],
  ['parquet', 6, 262_144, undefined],
] as const)(
  'a page in %s of %i batches of %i bytes has parts of %j batches',
  (format, count, sizeBytes, expected) => {
    const batches = batchesOf(count, sizeBytes);
    const parts = partsOf(format, batches);
    expect(parts?.map(({ length }) => length)).toEqual(expected);
    expect(parts?.flat() ?? batches).toEqual(batches);
  },
);

test('a reader that stops holds two parts of its page, however small its batches are', async () => {
  await using threads = new PageThreads({ countMax: 1 });
  const results = new ResultStore({
    store: new MemoryObjectStore({ sizeMaxBytes: 1e8 }),
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    batchSizeBytes: 256,
    pageThreads: threads,
  });
  const result = await results.create(countingRows(65_536), { owner: 'o' });
  await until(() => poolOf(threads).hasCapacity(), 'a thread has started');
  const chunks = result
    .page({ offset: 0, rowCount: 65_536 })
    .encode('json', { isDoneWithChunks: true })
    [Symbol.asyncIterator]();
  await chunks.next();
  await until(() => threads.status.busyCount === 0, 'the thread has finished its parts');
  expect(threads.status.partCount).toBe(2);
  await chunks.return?.();
  expect(threads.status.leasedBytes).toBe(0);
});
