import { type CachedReader, isQuireError, readObject } from '@quire/core';
import { collect, RecordingStore } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { type PageFormatName, type Result, ResultStore } from '../src/index.ts';

const rowCount = 5000;
const smallBatchBytes = 4096; // 1,024 rows of 4 bytes

let memory: MemoryObjectStore;
/** True if the store has the bytes of its data files cached. */
let isCached: boolean;
let dataBytes: Uint8Array;
let store: RecordingStore & CachedReader;

function resultsOf(cacheBytesMax: number, batchSizeBytes = smallBatchBytes): ResultStore {
  return new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    batchSizeBytes,
    cacheBytesMax,
  });
}

beforeEach(() => {
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  isCached = true;
  store = Object.assign(new RecordingStore(memory), {
    readCached: (
      _key: string,
      { start, end }: { start: number; end: number },
      target: Uint8Array,
    ): boolean => {
      // After a read that returns false, the content of the target is undefined.
      target.set(isCached ? dataBytes.subarray(start, end) : new Uint8Array(end - start).fill(255));
      return isCached;
    },
  });
});

async function create(results: ResultStore): Promise<Result> {
  const result = await results.create(countingRows(rowCount), { owner: 'o' });
  dataBytes = await readObject(memory, result.entry.dataKey);
  return result;
}

async function waitedFor(
  result: Result,
  page: { offset: number; rowCount: number },
  format: PageFormatName,
): Promise<string> {
  const around = { before: Buffer.from('{"rows":'), after: Buffer.from('}') };
  const chunks = await collect(result.page(page).encode(format, { around }));
  return Buffer.concat(chunks).toString('latin1');
}

function atOnce(
  result: Result,
  page: { offset: number; rowCount: number },
  format: PageFormatName,
): string | undefined {
  const around = { before: Buffer.from('{"rows":'), after: Buffer.from('}') };
  const bytes = result.page(page).encodeSync(format, { around });
  return bytes && Buffer.concat(bytes.chunks).toString('latin1');
}

describe('a small page of text that is at hand', () => {
  test('a small page of text that is at hand has the bytes of one that was waited for, whatever is in the cache', async () => {
    for (const cacheBytesMax of [0, 12_000, 100_000]) {
      const results = resultsOf(cacheBytesMax);
      const result = await create(results);
      const page = fc.record({
        offset: fc.nat(rowCount),
        rowCount: fc.integer({ min: 1, max: 3000 }),
      });
      const format = fc.constantFrom<PageFormatName>('json', 'csv', 'ndjson');
      await fc.assert(
        fc.asyncProperty(page, format, fc.boolean(), async (asked, as, isThere) => {
          isCached = isThere;
          const bytes = atOnce(result, asked, as);
          const expected = await waitedFor(result, asked, as);
          expect(bytes === undefined && !isThere ? expected : bytes).toBe(expected);
        }),
        { numRuns: 60 },
      );
    }
  });

  test('a small page of text that is at hand takes no call to the store that waits', async () => {
    const results = resultsOf(0);
    const result = await create(results);
    store.reset();
    expect(atOnce(result, { offset: 3000, rowCount: 2 }, 'ndjson')).toBe(
      '{"n":3000}\n{"n":3001}\n',
    );
    expect(store.calls).toEqual([]);
  });

  test('a small page of text that is at hand is read from the store again until its batch was asked for three times: a walk copies nothing into the cache', async () => {
    const results = resultsOf(1_000_000);
    const result = await create(results);
    const page = { offset: 4500, rowCount: 2 };
    const reads: string[] = [];
    const readCached = store.readCached.bind(store);
    const reading = resultsOf(1_000_000);
    store.readCached = (...call) => {
      reads.push(call[0]);
      return readCached(...call);
    };
    const opened = await reading.open(result.entry.requestId);
    const counts = [1, 2, 3, 4, 5].map(() => {
      atOnce(opened, page, 'json');
      return reads.length;
    });
    expect(counts).toEqual([1, 2, 3, 3, 3]);
  });

  test('a small page of text that is at hand is not one of many rows, or of batches that are elsewhere', async () => {
    const result = await create(resultsOf(0));
    isCached = false;
    expect(atOnce(result, { offset: 0, rowCount: 1 }, 'json')).toBeUndefined();
    isCached = true;
    const results = resultsOf(0, 65_536);
    const large = await results.create(countingRows(40_000), { owner: 'o' });
    dataBytes = await readObject(memory, large.entry.dataKey);
    expect(atOnce(large, { offset: 0, rowCount: 20_000 }, 'csv')).toBeUndefined();
    expect(atOnce(large, { offset: 0, rowCount: 10_000 }, 'csv')).toBe(
      await waitedFor(large, { offset: 0, rowCount: 10_000 }, 'csv'),
    );
  });

  test('a small page of text that is at hand has few batches, because their text may be much larger than they are', async () => {
    const result = await create(resultsOf(0));
    expect(atOnce(result, { offset: 0, rowCount: 4096 }, 'csv')).toBeDefined();
    expect(atOnce(result, { offset: 1, rowCount: 4096 }, 'csv')).toBeUndefined();
  });

  test('a small page of text that is at hand is refused when a batch does not match its checksum, and the memory for it is free again', async () => {
    const result = await create(resultsOf(0));
    const middle = dataBytes.byteLength >> 1;
    dataBytes = Uint8Array.from(dataBytes);
    dataBytes[middle] = (dataBytes[middle] ?? 0) ^ 1;
    const codes = Array.from({ length: rowCount / 1000 }, (_, index) => {
      try {
        return typeof atOnce(result, { offset: index * 1000, rowCount: 1000 }, 'json');
      } catch (error) {
        return isQuireError(error) ? error.code : String(error);
      }
    });
    expect(new Set(codes)).toEqual(new Set(['string', 'RESULT_CORRUPT']));
  });

  test('a small page of text that is at hand is not there any more once the result was deleted', async () => {
    const results = resultsOf(100_000);
    const result = await create(results);
    expect(atOnce(result, { offset: 0, rowCount: 1 }, 'json')).toBe('{"rows":[[0]]}');
    await results.delete(result.entry.requestId);
    expect(atOnce(result, { offset: 0, rowCount: 1 }, 'json')).toBeUndefined();
    await expect(waitedFor(result, { offset: 0, rowCount: 1 }, 'json')).rejects.toThrow('deleted');
  });
});

describe('an Arrow page that is at hand', () => {
  test('an Arrow page that is at hand has the bytes of one that was waited for, whatever is in the cache and with others on their way', async () => {
    for (const cacheBytesMax of [0, 12_000, 1_000_000]) {
      const results = resultsOf(cacheBytesMax);
      const result = await create(results);
      const page = fc.record({
        offset: fc.nat(rowCount),
        rowCount: fc.integer({ min: 1, max: rowCount }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(page, { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          fc.boolean(),
          async (asked, isThere, isLost) => {
            isCached = isThere;
            const pages = asked.map((each) => result.page(each).encodeSync('arrow'));
            const expected = await Promise.all(
              asked.map((each) => waitedFor(result, each, 'arrow')),
            );
            for (const [index, each] of pages.entries()) {
              const bytes = each && Buffer.concat(each.chunks).toString('latin1');
              expect(isThere ? bytes : (bytes ?? expected[index])).toBe(expected[index]);
              each?.release?.(isLost);
            }
          },
        ),
        { numRuns: 40 },
      );
    }
  });

  test('an Arrow page that is at hand is refused when a batch does not match its checksum', async () => {
    const result = await create(resultsOf(0));
    dataBytes = Uint8Array.from(dataBytes).map((byte, index) =>
      index === dataBytes.byteLength >> 1 ? byte ^ 1 : byte,
    );
    expect(() => result.page({ offset: 0, rowCount }).encodeSync('arrow')).toThrow('checksum');
  });
});

describe('openCached', () => {
  test('openCached gives a result that was opened recently to whom it may be given', async () => {
    const results = resultsOf(0);
    const { entry } = await create(results);
    expect(results.openCached(entry.requestId)?.entry).toEqual(entry);
    expect(results.openCached(entry.requestId, (owner) => owner === 'o')?.entry).toEqual(entry);
    expect(results.openCached(entry.requestId, () => false)).toBeUndefined();
    expect(results.openCached('no id')).toBeUndefined();
    expect(resultsOf(0).openCached(entry.requestId)).toBeUndefined();
    await results.delete(entry.requestId);
    expect(results.openCached(entry.requestId)).toBeUndefined();
  });
});
