import { crc32 } from 'node:zlib';
import { ManualClock, RecordingStore } from '@quire/core/testing';
import { ResultStore, type ResultStoreOptions } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';

const rowCount = 100_000;
const batchSizeBytes = 4096; // 1,024 rows of 4 bytes

let store: RecordingStore;
let requestId: string;

function resultsWith(options: Partial<ResultStoreOptions> = {}): ResultStore {
  return new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    batchSizeBytes,
    ...options,
  });
}

beforeEach(async () => {
  store = new RecordingStore(new MemoryObjectStore({ sizeMaxBytes: 1e9 }));
  requestId = (
    await resultsWith({ cacheBytesMax: 0 }).create(countingRows(rowCount), { owner: 'o' })
  ).entry.requestId;
  store.reset();
});

test('a write is two puts', async () => {
  await resultsWith().create(countingRows(rowCount), { owner: 'o' });
  expect(store.calls.map(({ op }) => op)).toEqual(['put', 'put']);
});

test('a cold page takes a listing, the commit record and one ranged read', async () => {
  expect(await pageText(await resultsWith().open(requestId), 50_000, 10_000)).toBe(
    countingJson(50_000, 60_000),
  );
  expect(store.calls.map(({ op, range }) => (range === undefined ? op : `ranged ${op}`))).toEqual([
    'list',
    'get',
    'ranged get',
  ]);
});

test('a cold page of 10⁹ rows takes no more requests than that of a small result', async () => {
  const billion = 1e9;
  const small = resultsWith({ batchSizeBytes: 65_536 });
  const { entry } = await small.create(countingRows(rowCount), { owner: 'o' });
  const { recordKey, record } = await readRecord(entry.requestId);
  // The same data with the record of a file that continues to 10⁹ rows.
  const batchCount = Math.ceil(billion / record.spans.rowsPerBatch);
  const [first = 0] = record.spans.ends;
  const ends = Array.from(
    { length: batchCount },
    (_, index) => first + index * (first - record.spans.firstOffset),
  );
  const checksums = Array.from(ends, () => record.spans.checksums[0] ?? 0);
  const large = {
    ...record,
    rowCount: billion,
    dataSizeBytes: (ends.at(-1) ?? 0) + 1000,
    spans: { ...record.spans, ends, checksums },
  };
  const bytes = recordBytes(large);
  await store.delete(recordKey);
  await store.put(recordKey.replace(`-${rowCount}.json`, `-${billion}.json`), bytes);
  store.reset();

  const result = await resultsWith().open(entry.requestId);
  expect(store.calls.map(({ op }) => op)).toEqual(['list', 'get']);
  expect(store.bytesRead).toBe(bytes.length);
  expect(batchCount).toBeGreaterThan(60_000);

  store.reset();
  expect(await pageText(result, 10_000, 10)).toBe(countingJson(10_000, 10_010));
  expect(store.calls.map(({ op }) => op)).toEqual(['get']);
  expect(result.page({ offset: billion - 1, rowCount: 1 }).sizeBytesMax).toBeLessThan(100_000);
});

test('a warm page takes one ranged read, wherever it is and however large', async () => {
  const results = resultsWith({ cacheBytesMax: 0 });
  await results.open(requestId);
  for (const [offset, count] of [
    [0, 1],
    [1023, 2],
    [99_999, 1],
    [0, rowCount],
  ] as const) {
    store.reset();
    expect(await pageText(await results.open(requestId), offset, count)).toBe(
      countingJson(offset, offset + count),
    );
    expect(store.calls.map(({ op }) => op)).toEqual(['get']);
  }
});

test('a page reads no more bytes than the batches that it touches', async () => {
  const results = resultsWith({ cacheBytesMax: 0 });
  const result = await results.open(requestId);
  for (const [offset, count, batchCount] of [
    [0, 1024, 1],
    [1023, 1, 1],
    [1023, 2, 2],
    [5000, 10_000, 11],
  ] as const) {
    store.reset();
    const page = result.page({ offset, rowCount: count });
    await pageText(result, offset, count);
    const batchBytes = 4096 + 256; // values, and ample space for the metadata of one column
    expect(store.bytesRead).toBe(page.sizeBytesMax);
    expect(store.bytesRead).toBeLessThanOrEqual(batchCount * batchBytes);
  }
});

test('a page that was read twice recently, and the first page of a new result, read nothing', async () => {
  const results = resultsWith();
  const fresh = await results.create(countingRows(rowCount), { owner: 'o' });
  store.reset();
  expect(await pageText(fresh, 0, 10_000)).toBe(countingJson(0, 10_000));
  expect(store.calls).toEqual([]);

  await pageText(await results.open(requestId), 70_000, 5000);
  await pageText(await results.open(requestId), 70_000, 5000);
  store.reset();
  expect(await pageText(await results.open(requestId), 71_000, 3000)).toBe(
    countingJson(71_000, 74_000),
  );
  expect(store.calls).toEqual([]);
});

test('a page of a result that was last seen longer ago than the bound takes one look at its commit record more', async () => {
  const clock = new ManualClock();
  const results = resultsWith({ clock, cacheBytesMax: 100_000 });
  const { entry } = await results.create(countingRows(rowCount), { owner: 'o' });
  const opsOf = async (offset: number): Promise<string[]> => {
    store.reset();
    await pageText(await results.open(entry.requestId), offset, 10);
    return store.calls.map(({ op }) => op);
  };
  expect(await opsOf(0)).toEqual([]);
  await clock.advance(5000);
  expect(await opsOf(0)).toEqual(['head']);
  expect(await opsOf(0)).toEqual([]);
  await clock.advance(5000);
  expect(await opsOf(90_000)).toEqual(['head', 'get']);
  expect(await opsOf(80_000)).toEqual(['get']);
});

test('an empty page at the end reads nothing', async () => {
  const result = await resultsWith().open(requestId);
  store.reset();
  expect(await pageText(result, rowCount, 10)).toBe('[]');
  expect(store.calls).toEqual([]);
});

test('listing and usage open no object', async () => {
  const results = resultsWith();
  await results.create(countingRows(10), { owner: 'o' });
  store.reset();
  expect((await Array.fromAsync(results.list())).map((entry) => entry.rowCount)).toEqual([
    rowCount,
    10,
  ]);
  expect((await results.usage()).resultCount).toBe(2);
  expect(store.calls.map(({ op }) => op)).toEqual(['list', 'list']);
});

interface StoredRecord {
  readonly rowCount: number;
  readonly spans: BatchSpans;
}

interface BatchSpans {
  readonly rowsPerBatch: number;
  readonly firstOffset: number;
  readonly ends: readonly number[];
  readonly checksums: readonly number[];
}

async function readRecord(
  id: string,
): Promise<{ readonly recordKey: string; readonly record: StoredRecord }> {
  const entries = await Array.fromAsync(store.list(`b/${id}/`));
  const recordKey = entries.find(({ key }) => key.endsWith('.json'))?.key ?? '';
  await using object = await store.get(recordKey);
  const chunks = await Array.fromAsync(object.body);
  const { record } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly record: StoredRecord;
  };
  return { recordKey, record };
}

function recordBytes(record: StoredRecord): Uint8Array {
  const text = JSON.stringify(record);
  return Buffer.from(`{"formatVersion":1,"checksum":${crc32(text)},"record":${text}}\n`);
}
