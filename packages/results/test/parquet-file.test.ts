import { zstdDecompressSync } from 'node:zlib';
import { readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import {
  Binary,
  type DataType,
  Field,
  FixedSizeBinary,
  Float16,
  Float64,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import {
  batchesOf,
  type ModelTable,
  modelTables,
  schemaOf,
} from '../../../test/src/testkit/builders/model-table.ts';
import type { ReadBatch } from '../src/batch-reader.ts';
import { decodeCommitRecord } from '../src/commit-record.ts';
import { parquetColumnsOf } from '../src/encode/parquet-columns.ts';
import { encodeParquet } from '../src/encode/parquet-file.ts';
import { type Result, ResultStore } from '../src/index.ts';
import { planPage } from '../src/plan-page.ts';

async function resultOf(
  schema: Schema,
  batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>,
  batchSizeBytes = 64,
  store = new MemoryObjectStore({ sizeMaxBytes: 1e8 }),
): Promise<Result> {
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    batchSizeBytes,
  });
  return results.create({ schema, batches: ReadableStream.from(batches) }, { owner: 'o' });
}

async function fileOf(result: Result, offset = 0, rowCount = 1e6): Promise<ArrayBuffer> {
  const chunks = await Array.fromAsync(result.page({ offset, rowCount }).encode('parquet'));
  return new Uint8Array(Buffer.concat(chunks)).buffer;
}

/** Encodes a result whose batches are all read into the same memory, one after the other. */
async function fileFromReusedMemory(
  schema: Schema,
  source: Iterable<RecordBatch> | AsyncIterable<RecordBatch>,
  batchSizeBytes?: number,
): Promise<{ readonly file: ArrayBuffer; readonly result: Result }> {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  const result = await resultOf(schema, source, batchSizeBytes, store);
  const { recordKey, dataKey, rowCount } = result.entry;
  const { spans } = decodeCommitRecord(recordKey, await readObject(store, recordKey));
  const bytes = await readObject(store, dataKey);
  const memory = new Uint8Array(bytes.byteLength);
  async function* batches(): AsyncGenerator<ReadBatch> {
    for (const planned of planPage(spans, { start: 0, end: rowCount }).batches) {
      const message = bytes.subarray(planned.bytes.start, planned.bytes.end);
      memory.fill(0).set(message);
      yield { planned, message: memory.subarray(0, message.byteLength) };
    }
    memory.fill(0);
  }
  const chunks = await Array.fromAsync(
    encodeParquet(result.schema, batches(), { lendsChunks: false }),
  );
  return { file: new Uint8Array(Buffer.concat(chunks)).buffer, result };
}

/** Reads a file without hyparquet's rounding: instants remain counts of their unit. */
function rowsOf(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({
    file,
    utf8: false,
    compressors: {
      ZSTD: (bytes, sizeBytes) =>
        new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, sizeBytes) })),
    },
    parsers: {
      timestampFromMilliseconds: String,
      timestampFromMicroseconds: String,
      timestampFromNanoseconds: String,
    },
  });
}

/** Converts a value of either side to a form that can be compared. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Returns hyparquet's number for the words of a decimal with four fraction digits. */
function decimalOf(words: Uint32Array): number {
  const value = [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return Number(BigInt.asIntN(128, value)) * 1e-4;
}

function expectedRows({ kinds, rows }: ModelTable): unknown[] {
  return rows.map((row) =>
    Object.fromEntries(
      row.map((value, index) => [
        `c${index}`,
        value instanceof Uint32Array ? decimalOf(value) : plain(kinds[index] && value),
      ]),
    ),
  );
}

test('a file has the rows of its page, whatever their types, and a row group for each batch', async () => {
  await fc.assert(
    fc.asyncProperty(modelTables, fc.nat(20), fc.nat(60), async (table, offset, rowCount) => {
      fc.pre(offset <= table.rows.length);
      const result = await resultOf(schemaOf(table), batchesOf(table));
      const file = await fileOf(result, offset, Math.max(1, rowCount));
      const expected = expectedRows(table).slice(offset, offset + Math.max(1, rowCount));
      expect((await rowsOf(file)).map(plain)).toEqual(expected);
      expect(Number(parquetMetadata(file).num_rows)).toBe(expected.length);
    }),
    { numRuns: 150 },
  );
});

test('row groups are the batches that the page touches, cut at its edges', async () => {
  const { schema, batches } = countingRows(5000);
  const result = await resultOf(schema as Schema, batches as AsyncIterable<RecordBatch>, 4096); // 1,024 rows of 4 bytes
  const groups = parquetMetadata(await fileOf(result, 1000, 1100)).row_groups;
  expect(groups.map((group) => Number(group.num_rows))).toEqual([24, 1024, 52]);
});

test('chunks that are lent hold the same bytes as those that are kept', async () => {
  const { schema, batches } = countingRows(5000);
  const result = await resultOf(schema as Schema, batches as AsyncIterable<RecordBatch>, 4096);
  const kept = await fileOf(result);
  const copies: Buffer[] = [];
  const lent = result
    .page({ offset: 0, rowCount: 1e6 })
    .encode('parquet', { isDoneWithChunks: true });
  for await (const chunk of lent) copies.push(Buffer.from(chunk));
  expect(Buffer.concat(copies).equals(Buffer.from(kept))).toBe(true);
});

test('columns of floating point have no bounds, by which DuckDB would skip row groups with NaN', async () => {
  const table = new Table({
    n: vectorFromArray([3, 1], new Int32()),
    x: vectorFromArray([1, NaN], new Float64()),
    h: vectorFromArray([1, -2], new Float16()),
  });
  const schema = new Schema([
    new Field('n', new Int32(), true),
    new Field('x', new Float64(), true),
    new Field('h', new Float16(), true),
  ]);
  const [group] = parquetMetadata(await fileOf(await resultOf(schema, table.batches))).row_groups;
  const bounds = group?.columns.map(({ meta_data: meta }) => meta?.statistics?.max_value);
  expect(bounds).toEqual([3, undefined, undefined]);
});

test('nothing of a batch is used after the next one was read, whatever the types', async () => {
  await fc.assert(
    fc.asyncProperty(modelTables, async (table) => {
      const { file, result } = await fileFromReusedMemory(schemaOf(table), batchesOf(table));
      expect(Buffer.from(file).equals(Buffer.from(await fileOf(result)))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('the bounds of each row group are those of its own texts and bytes, whose memory the next batch reuses', async () => {
  const uuid = new Map([['ARROW:extension:name', 'arrow.uuid']]);
  const list = new List(new Field('item', new Utf8(), true));
  const group = new Struct([new Field('text', new Utf8(), true)]);
  const fields: Field[] = [
    new Field('text', new Utf8(), true),
    new Field('bytes', new Binary(), true),
    new Field('fixed', new FixedSizeBinary(16), true),
    new Field('uuid', new FixedSizeBinary(16), true, uuid),
    new Field('list', list, true),
    new Field('group', group, true),
  ];
  const schema = new Schema(fields);
  const textsOf = (start: number): string[] =>
    Array.from({ length: 16 }, (_, row) => `text ${String(start + row).padStart(11, '0')}`);
  const groups = [300, 100, 200].map(textsOf);
  function* batches(): Generator<RecordBatch> {
    for (const texts of groups) {
      const bytes = texts.map((text) => Buffer.from(text));
      const children = [
        vectorFromArray(texts, new Utf8()),
        vectorFromArray(bytes, new Binary()),
        vectorFromArray(bytes, new FixedSizeBinary(16)),
        vectorFromArray(bytes, new FixedSizeBinary(16)),
        vectorFromArray(
          texts.map((text) => [text, null]),
          list,
        ),
        vectorFromArray(
          texts.map((text) => ({ text })),
          group,
        ),
      ].map((vector) => vector.data[0]!);
      const type = new Struct(fields);
      yield new RecordBatch(schema, makeData({ type, length: texts.length, children }));
    }
  }
  const { file } = await fileFromReusedMemory(schema, batches(), 2000);
  const { row_groups } = parquetMetadata(file);
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([16, 16, 16]);
  const asText = (bound: unknown): string => {
    if (bound instanceof Uint8Array) return Buffer.from(bound).toString();
    const text = String(bound);
    return text.startsWith('text') ? text : Buffer.from(text.replaceAll('-', ''), 'hex').toString();
  };
  const bounds = row_groups.map(({ columns }) =>
    columns.map(({ meta_data: meta }) =>
      [meta?.statistics?.min_value, meta?.statistics?.max_value].map(asText),
    ),
  );
  expect(bounds).toEqual(
    groups.map((texts) => Array.from({ length: fields.length }, () => [texts[0], texts[15]])),
  );
});

test.each([
  ['of many characters are shortened, and rounded up', 'a', 'a'.repeat(16), `${'a'.repeat(15)}b`],
  ['are shortened between characters', 'aü', 'aüaüaüaüaüa', 'aüaüaüaüaüb'],
  ['that cannot be rounded up are whole', '\u{10ffff}', '\u{10ffff}'.repeat(4), undefined],
])('the bounds of texts %s', async (_what, part, least, most) => {
  const text = part.repeat(40);
  const { schema, batches } = tableFromArrays({ text: [text, text] });
  const { file } = await fileFromReusedMemory(schema, batches, 8);
  const bounds = parquetMetadata(file).row_groups.map(({ columns }) => {
    const { min_value, max_value } = columns[0]?.meta_data?.statistics ?? {};
    return [min_value, max_value];
  });
  expect(bounds).toEqual(Array.from({ length: 2 }, () => [least, most ?? text]));
});

test('the bounds of bytes of a fixed length keep that length', async () => {
  const field = new Field('fixed', new FixedSizeBinary(20), true);
  const bytes = [7, 9].map((byte) => new Uint8Array(20).fill(byte));
  const schema = new Schema([field]);
  const children = [vectorFromArray(bytes, new FixedSizeBinary(20)).data[0]!];
  const batch = new RecordBatch(
    schema,
    makeData({ type: new Struct([field]), length: 2, children }),
  );
  const { file } = await fileFromReusedMemory(schema, [batch]);
  const statistics = parquetMetadata(file).row_groups[0]?.columns[0]?.meta_data?.statistics;
  expect([statistics?.min_value, statistics?.max_value]).toEqual(bytes);
});

test('columns of the same name get numbers, as in NDJSON', () => {
  const fields = ['a', 'a', '__proto__'].map((name) => new Field(name, new Int32(), true));
  expect(parquetColumnsOf(fields).map(({ name }) => name)).toEqual(['a', 'a_1', '__proto__']);
});

test.each<[string, readonly Field[], string]>([
  ['no columns', [], 'The result has no columns'],
  [
    'a struct without fields',
    [new Field('s', new Struct([]) as DataType, true)],
    "Column 's' is a struct without fields",
  ],
])('%s are refused before the first byte', async (_what, fields, message) => {
  const result = await resultOf(new Schema([...fields]), []);
  const read = result.page({ offset: 0, rowCount: 1 }).encode('parquet')[Symbol.asyncIterator]();
  await expect(read.next()).rejects.toMatchObject({
    code: 'UNSUPPORTED_COLUMN_TYPE',
    message: expect.stringContaining(message) as string,
  });
});
