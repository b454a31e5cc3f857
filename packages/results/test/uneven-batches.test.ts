import { MiB, readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock } from '@quire/core/testing';
import { type Data, Field, List, makeData, RecordBatch, Schema, Struct, Utf8 } from 'apache-arrow';
import { afterEach, expect, test, vi } from 'vitest';
import type { BatchSpans } from '../src/batch-spans.ts';
import { decodeCommitRecord } from '../src/commit-record.ts';
import { ResultStore } from '../src/index.ts';
import { listColumnOf, textColumnOf } from './column-builder.ts';

const kiB = 1024;
const text = new Utf8();
const list = new List(new Field('item', text, true));

afterEach(() => {
  vi.restoreAllMocks();
});

interface Written {
  readonly spans: BatchSpans;
  /** The number of rows in each batch. */
  readonly rowCounts: readonly number[];
  /** The size of each batch in bytes. */
  readonly sizes: readonly number[];
  /** Returns the texts of a page. */
  readonly page: (offset: number, rowCount: number) => Promise<readonly string[]>;
}

/** Writes texts of these lengths, in incoming batches of so many rows, as texts or in lists. */
async function write(
  lengths: readonly number[],
  {
    rowsAtOnce = 2048,
    type = text as Utf8 | List,
  }: { rowsAtOnce?: number; type?: Utf8 | List } = {},
): Promise<Written> {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
  const expiration = { expirationMs: 1e9, expirationMaxMs: 1e9 };
  const results = new ResultStore({
    ...expiration,
    store,
    brokerId: 'b',
    clock: new ManualClock(),
  });
  const schema = new Schema([new Field('x', type, true)]);
  const texts = textsOf(lengths);
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (let start = 0; start < lengths.length; start += rowsAtOnce) {
      const column = columnOf(type, texts.slice(start, start + rowsAtOnce));
      const data = makeData({ type: new Struct(schema.fields), children: [column] });
      yield new RecordBatch(schema, data);
    }
  }
  const result = await results.create({ schema, batches: batches() }, { owner: 'o' });
  const { recordKey } = result.entry;
  const { spans } = decodeCommitRecord(recordKey, await readObject(store, recordKey));
  const rowEnds =
    spans.rowEnds ??
    spans.ends.map((_, index) => Math.min(lengths.length, (index + 1) * spans.rowsPerBatch));
  return {
    spans,
    rowCounts: differences(rowEnds, 0),
    sizes: differences(spans.ends, spans.firstOffset),
    page: async (offset, rowCount) => {
      const chunks = await Array.fromAsync(result.page({ offset, rowCount }).encode('json'));
      const rows = JSON.parse(Buffer.concat(chunks).toString()) as [string | [string]][];
      return rows.map(([value]) => (typeof value === 'string' ? value : value[0]));
    },
  };
}

function columnOf(type: Utf8 | List, texts: readonly string[]): Data {
  const column = textColumnOf(text, texts);
  if (type === text) return column;
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
  for (const factor of [1, 2, 4]) {
    const lengths = lengthsOf([5000, 200 * factor], [5000, 800], [2000, 200 * factor]);
    const { spans, rowCounts } = await write(lengths);
    expect(spans.rowEnds).toBeUndefined();
    expect(new Set(rowCounts.slice(0, -1))).toEqual(new Set([spans.rowsPerBatch]));
  }
});
