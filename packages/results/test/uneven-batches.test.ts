import { createRequestId, MiB, readObject, systemClock, systemRandom } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock } from '@quire/core/testing';
import {
  type Data,
  Dictionary,
  Field,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  Vector,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import type { ArrowColumn } from '../src/arrow/arrow-input.ts';
import type { ColumnBatch } from '../src/arrow/column-batch.ts';
import type { BatchSpans } from '../src/batch-spans.ts';
import { decodeCommitRecord } from '../src/commit-record.ts';
import { ResultStore } from '../src/index.ts';
import { Rebatcher } from '../src/rebatcher.ts';
import type { ResultPage } from '../src/result-page.ts';
import { listColumnOf, textColumnOf } from './column-builder.ts';

const kiB = 1024;
const text = new Utf8();
const list = new List(new Field('item', text, true));
const dictionary = new Dictionary(text, new Int32());
type TextType = Utf8 | List | Dictionary;

interface Written {
  readonly spans: BatchSpans;
  /** The number of rows in each batch. */
  readonly rowCounts: readonly number[];
  /** The size of each batch in bytes. */
  readonly sizes: readonly number[];
  /** Returns the texts of a page. */
  readonly page: (offset: number, rowCount: number) => Promise<readonly string[]>;
}

interface Incoming {
  /** The number of rows in each incoming batch. */
  readonly rowsAtOnce?: number;
  readonly type?: TextType;
}

/** Yields texts of these lengths, as texts, in lists, or as indexes into a dictionary of them. */
async function* batchesOf(
  lengths: readonly number[],
  { rowsAtOnce = 2048, type = text }: Incoming = {},
): AsyncGenerator<RecordBatch> {
  const schema = schemaOf(type);
  const texts = textsOf(lengths);
  for (let start = 0; start < lengths.length; start += rowsAtOnce) {
    const column = columnOf(type, texts.slice(start, start + rowsAtOnce));
    const data = makeData({ type: new Struct(schema.fields), children: [column] });
    yield new RecordBatch(schema, data);
  }
}

function schemaOf(type: TextType): Schema {
  return new Schema([new Field('x', type, true)]);
}

function openStore(): { readonly store: MemoryObjectStore; readonly results: ResultStore } {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
  const expiration = { expirationMs: 1e9, expirationMaxMs: 1e9 };
  const clock = new ManualClock();
  return { store, results: new ResultStore({ ...expiration, store, brokerId: 'b', clock }) };
}

/** Returns the texts of a page. */
async function textsIn(page: ResultPage): Promise<readonly string[]> {
  const chunks = await Array.fromAsync(page.encode('json'));
  const rows = JSON.parse(Buffer.concat(chunks).toString()) as [string | [string]][];
  return rows.map(([value]) => (typeof value === 'string' ? value : value[0]));
}

/** Writes texts of these lengths. */
async function write(lengths: readonly number[], incoming: Incoming = {}): Promise<Written> {
  const { store, results } = openStore();
  const schema = schemaOf(incoming.type ?? text);
  const batches = batchesOf(lengths, incoming);
  const result = await results.create({ schema, batches }, { owner: 'o' });
  const { recordKey } = result.entry;
  const { spans } = decodeCommitRecord(recordKey, await readObject(store, recordKey));
  const rowEnds =
    spans.rowEnds ??
    spans.ends.map((_, index) => Math.min(lengths.length, (index + 1) * spans.rowsPerBatch));
  return {
    spans,
    rowCounts: differences(rowEnds, 0),
    sizes: differences(spans.ends, spans.firstOffset),
    page: (offset, rowCount) => textsIn(result.page({ offset, rowCount })),
  };
}

function columnOf(type: TextType, texts: readonly string[]): Data {
  const column = textColumnOf(text, texts);
  if (type === text) return column;
  if (type === dictionary) {
    // In two chunks, as after a delta of the dictionary.
    const values = texts.toReversed();
    const middle = values.length >> 1;
    const chunks = [values.slice(0, middle), values.slice(middle)];
    return makeData({
      type,
      data: Int32Array.from(texts.keys()).reverse(),
      dictionary: new Vector(chunks.map((chunk) => textColumnOf(text, chunk))),
    } as unknown as Parameters<typeof makeData>[0]);
  }
  const offsets = Int32Array.from({ length: texts.length + 1 }, (_, row) => row);
  return listColumnOf(type, texts.length, column, offsets, () => false);
}

/** Returns a text of each length, which begins with the number of its row. */
function textsOf(lengths: readonly number[]): readonly string[] {
  return lengths.map((length, row) => `${row},`.padEnd(length, 'x'));
}

function differences(ends: readonly number[], first: number): readonly number[] {
  return ends.map((end, index) => end - (ends[index - 1] ?? first));
}

/** Expects a page at each edge of a batch, across all, and in between. */
async function expectPages(
  { rowCounts, page }: Written,
  lengths: readonly number[],
): Promise<void> {
  const texts = textsOf(lengths);
  let edge = 0;
  for (const rowCount of rowCounts) {
    edge += rowCount;
    const start = Math.max(0, edge - 2);
    expect(await page(start, 3)).toEqual(texts.slice(start, start + 3));
  }
  expect(edge).toBe(lengths.length);
  expect(await page(0, lengths.length)).toEqual(texts);
}

function lengthsOf(...runs: readonly (readonly [rowCount: number, length: number])[]): number[] {
  return runs.flatMap(([rowCount, length]) => Array.from({ length: rowCount }, () => length));
}

test.each([
  ['texts', text],
  ['lists', list],
  ['values of a dictionary', dictionary],
] as const)(
  'rows that become longer are stored in batches of moderate size: %s',
  async (_name, type) => {
    const lengths = lengthsOf([20_000, 8], [1000, 5000], [1, 3_000_000], [50, 100_000]);
    const written = await write(lengths, { type });
    expect(written.spans.rowsPerBatch).toBe(16_384);
    const largest = Math.max(...written.sizes);
    // One row of 3 MB is a batch of its own.
    expect(largest).toBeLessThan(3_000_000 + kiB);
    expect(written.sizes.filter((size) => size > 2 * MiB + kiB)).toEqual([largest]);
    await expectPages(written, lengths);
  },
);

test('rows that become shorter are not stored one by one', async () => {
  const lengths = lengthsOf([3, 400_000], [100_000, 8], [2, 400_000], [10, 8]);
  const written = await write(lengths, { rowsAtOnce: 3 });
  expect(written.spans.rowsPerBatch).toBe(1);
  // Without long rows among them, a batch has at least 32 KiB or the maximum number of rows.
  expect(written.rowCounts.length).toBeLessThan(60);
  await expectPages(written, lengths);
});

test('a few short rows after long ones are one batch', async () => {
  const lengths = lengthsOf([4, 400_000], [20, 8]);
  const written = await write(lengths, { rowsAtOnce: 2 });
  expect(written.rowCounts).toEqual([1, 1, 1, 1, 20]);
  await expectPages(written, lengths);
});

test('rows that arrive all at once are divided by their sizes as well', async () => {
  const lengths = lengthsOf([20_000, 8], [2000, 5000]);
  for (const type of [text, dictionary]) {
    const written = await write(lengths, { rowsAtOnce: 30_000, type });
    expect(written.rowCounts.reduce((sum, count) => sum + count)).toBe(22_000);
    expect(Math.max(...written.sizes)).toBeLessThan(2 * MiB + kiB);
    await expectPages(written, lengths);
  }

  const shorter = await write(lengthsOf([3000, 1000], [47_000, 1]), { rowsAtOnce: 25_000 });
  expect(Math.max(...shorter.rowCounts)).toBe(16_384);
});

test('a batch of short rows is not delayed once it has the maximum number of rows', async () => {
  const schema = schemaOf(text);
  let pulled = 0;
  async function* counted(): AsyncGenerator<ColumnBatch<ArrowColumn>> {
    for await (const { data } of batchesOf(lengthsOf([40_000, 0]), { rowsAtOnce: 8192 })) {
      pulled += data.length;
      yield { rowCount: data.length, columns: data.children };
    }
  }
  const taken: number[] = [];
  for await (const slices of new Rebatcher(schema, 16 * MiB).rebatch(counted())) {
    taken.push(
      pulled,
      slices.reduce((sum, { start, end }) => sum + end - start, 0),
    );
  }
  expect(taken).toEqual([16_384, 16_384, 32_768, 16_384, 40_000, 7232]);
});

test('rows of a result that grows are found in batches of different lengths', async () => {
  const lengths = lengthsOf([3, 400_000], [20_000, 8], [1000, 5000]);
  const { results } = openStore();
  const growth = await results.grow(createRequestId(systemClock, systemRandom));
  const [texts, schema] = [textsOf(lengths), schemaOf(text)];
  const seen: number[] = [];
  async function* batches(): AsyncGenerator<RecordBatch> {
    for await (const batch of batchesOf(lengths, { rowsAtOnce: 500 })) {
      yield batch;
      const { rowCount } = growth;
      if (rowCount === 0) continue;
      const page = growth.page({ offset: rowCount - 1, rowCount: 9 });
      expect(page && (await textsIn(page))).toEqual([texts[rowCount - 1]]);
      seen.push(rowCount);
    }
  }
  await results.create(
    { schema, batches: batches() },
    { owner: 'o', requestId: growth.requestId, growth },
  );
  expect(seen.length).toBeGreaterThan(30);
  await growth.end();
});

test('an answer has a whole batch once it has the usual number of rows, or two batches', async () => {
  const { results } = openStore();
  const growth = await results.grow(createRequestId(systemClock, systemRandom));
  const batch = { kind: 'batch', rowsPerBatch: 10, end: 1, checksum: 0 } as const;
  const wholeAfter: boolean[] = [growth.hasWholeBatch];
  for (const rowCount of [3, 2]) {
    growth.notify({ ...batch, rowCount });
    wholeAfter.push(growth.hasWholeBatch);
  }
  const other = await results.grow(createRequestId(systemClock, systemRandom));
  other.notify({ ...batch, rowCount: 10 });
  expect([...wholeAfter, other.hasWholeBatch]).toEqual([false, false, true, true]);
  await Promise.all([growth.end(), other.end()]);
});

test('many short rows that arrive one by one are stored together', async () => {
  const lengths = lengthsOf([1, 400_000], [5000, 20]);
  const written = await write(lengths, { rowsAtOnce: 1 });
  expect(written.rowCounts).toEqual([1, 1366, 1366, 1366, 902]);
  await expectPages(written, lengths);
});

test('long rows that arrive one by one do not accumulate', async () => {
  const lengths = lengthsOf([20_000, 8], [2000, 5000]);
  const written = await write(lengths, { rowsAtOnce: 1 });
  expect(Math.max(...written.sizes)).toBeLessThan(2 * MiB + kiB);
  await expectPages(written, lengths);
});

test('rows of similar sizes have batches of the same number of rows, whose record older releases read', async () => {
  // Less than one batch of the usual size, but more rows than the power of two that fits.
  const small = await write(lengthsOf([600, 330]));
  expect(small.spans.rowEnds).toBeUndefined();
  expect(small.rowCounts).toEqual([512, 88]);
  for (const factor of [1, 2, 4]) {
    const lengths = lengthsOf([5000, 200 * factor], [5000, 800], [2000, 200 * factor]);
    const { spans, rowCounts } = await write(lengths);
    expect(spans.rowEnds).toBeUndefined();
    expect(new Set(rowCounts.slice(0, -1))).toEqual(new Set([spans.rowsPerBatch]));
  }
});
