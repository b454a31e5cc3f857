import { isQuireError } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import {
  Bool,
  Data,
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeVector,
  Schema,
  Struct,
  TimestampMillisecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { type ArrowBatch, ResultStore } from '../src/index.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';

const hourMs = 3_600_000;

function batchOf(rowCount: number, columns: Record<string, Data>): ArrowBatch {
  const fields = Object.entries(columns).map(([name, { type }]) => new Field(name, type, true));
  return { data: new Data(new Struct(fields), 0, rowCount, 0, {}, Object.values(columns)) };
}

/** Stores one good row, then the batch; returns the outcome and the objects that are left. */
async function store(fields: readonly Field[], ...batches: readonly ArrowBatch[]): Promise<string> {
  const memory = new MemoryObjectStore({ sizeMaxBytes: 1e6 });
  const times = { expirationMs: hourMs, expirationMaxMs: hourMs };
  await using results = new ResultStore({
    store: memory,
    brokerId: 'b',
    ...times,
    batchSizeBytes: 1,
  });
  const source = { schema: new Schema([...fields]), batches: ReadableStream.from(batches) };
  try {
    return await pageText(await results.create(source, { owner: 'o' }), 0, 100);
  } catch (error) {
    const left = (await Array.fromAsync(memory.list(''))).map(({ key }) => ` Left: ${key}.`);
    return `${isQuireError(error) ? `${error.code}: ${error.message}` : String(error)}${left.join('')}`;
  }
}

/** Stores one column `c` of a declared type. */
async function storeColumn(declared: DataType, column: Data, isNullable = true): Promise<string> {
  return store([new Field('c', declared, isNullable)], batchOf(column.length, { c: column }));
}

const int32s = (...values: (number | null)[]): Data =>
  vectorFromArray(values, new Int32()).data[0] as Data;
const texts = (...values: (string | null)[]): Data =>
  vectorFromArray(values, new Utf8()).data[0] as Data;
const invalid = (what: string): string =>
  `INVALID_BATCH: Column ${what}; nothing of the result is stored.`;
const optionalInt = new Field('item', new Int32(), true);
const requiredInt = new Field('item', new Int32(), false);

describe('a batch is held to its schema, by', () => {
  test.each<[string, DataType, Data, string]>([
    [
      'class of type',
      new Int32(),
      vectorFromArray([1.5], new Float64()).data[0] as Data,
      'Int32 in the schema, but Float64',
    ],
    [
      'width',
      new Int32(),
      vectorFromArray([1n], new Int64()).data[0] as Data,
      'Int32 in the schema, but Int64',
    ],
    [
      'time zone',
      new TimestampMillisecond('UTC'),
      vectorFromArray([1], new TimestampMillisecond()).data[0] as Data,
      'Timestamp<MILLISECOND, UTC> in the schema, but Timestamp<MILLISECOND>',
    ],
    [
      'type of items',
      new List(new Field('item', new Utf8(), true)),
      vectorFromArray([[1]], new List(optionalInt)).data[0] as Data,
      'List<Utf8> in the schema, but List<Int32>',
    ],
    [
      'size of lists',
      new FixedSizeList(3, optionalInt),
      vectorFromArray([[1, 2]], new FixedSizeList(2, optionalInt)).data[0] as Data,
      'FixedSizeList[3]<Int32> in the schema, but FixedSizeList[2]<Int32>',
    ],
    [
      'names in a struct',
      new Struct([new Field('a', new Int32(), true)]),
      vectorFromArray([{ b: 1 }], new Struct([new Field('b', new Int32(), true)])).data[0] as Data,
      'Struct<{a:Int32}> in the schema, but Struct<{b:Int32}>',
    ],
    [
      'values of a dictionary',
      new Int32(),
      vectorFromArray(['a'], new Dictionary(new Utf8(), new Int32())).data[0] as Data,
      'Int32 in the schema, but Dictionary<Int32, Utf8>',
    ],
  ])('a batch is held to its schema, by: %s', async (_, declared, column, what) => {
    expect(await storeColumn(declared, column)).toBe(invalid(`'c' is ${what} in a batch`));
  });

  test('number and names of columns', async () => {
    const fields = [new Field('a', new Int32(), true), new Field('b', new Int32(), true)];
    const [a, b] = [int32s(1), int32s(2)];
    expect(await store(fields, batchOf(1, { a, b }))).toBe('[[1,2]]');
    expect(await store(fields, batchOf(1, { a }))).toBe(
      invalid("'b' is in the schema, but not in a batch"),
    );
    expect(await store(fields, batchOf(1, { a, b, c: b }))).toBe(
      invalid("'c' is in a batch, but not in the schema"),
    );
    expect(await store(fields, batchOf(1, { b, a }))).toBe(
      invalid("'a' is column 0 of the schema, but the batch has 'b' at that position"),
    );
  });

  test('a batch is held to its schema by lengths', async () => {
    const fields = [new Field('a', new Int32(), true), new Field('b', new Int32(), true)];
    const columns = { a: int32s(1, 2), b: int32s(1) };
    expect(await store(fields, batchOf(2, columns))).toBe(
      invalid("'b' has 1 rows in a batch of 2"),
    );
    expect(await store(fields, batchOf(1, columns))).toBe(
      invalid("'a' has 2 rows in a batch of 1"),
    );
  });

  test('a batch is held to its schema by nulls', async () => {
    const hasNull = 'has a null in a batch, but is not nullable in the schema';
    expect(await storeColumn(new Int32(), int32s(1, null), true)).toBe('[[1],[null]]');
    expect(await storeColumn(new Int32(), int32s(1, null), false)).toBe(invalid(`'c' ${hasNull}`));
    expect(await storeColumn(new Int32(), int32s(null, 1, 2).slice(1, 2), false)).toBe('[[1],[2]]');
    expect(
      await storeColumn(
        new List(requiredInt),
        vectorFromArray([[1, null]], new List(optionalInt)).data[0] as Data,
      ),
    ).toBe(invalid(`'c.item' ${hasNull}`));
    const dictionary = vectorFromArray(['a', null], new Dictionary(new Utf8(), new Int32()))
      .data[0] as Data;
    expect(await storeColumn(new Utf8(), dictionary, false)).toBe(invalid(`'c' ${hasNull}`));
    const noBitmap = new Data(new Int32(), 0, 2, 1, { 1: Int32Array.of(1, 2) });
    expect(await storeColumn(new Int32(), noBitmap)).toBe(
      invalid("'c' has a validity bitmap of 0 bytes; expected 1"),
    );
  });

  test('nulls, but not those that lie under a null', async () => {
    const struct = vectorFromArray([{ item: 1 }, null], new Struct([optionalInt])).data[0] as Data;
    expect(await storeColumn(new Struct([requiredInt]), struct)).toBe(
      String.raw`[["{\"item\":1}"],[null]]`,
    );
    const pair = vectorFromArray([[1, 2], null], new FixedSizeList(2, optionalInt)).data[0] as Data;
    expect(await storeColumn(new FixedSizeList(2, requiredInt), pair)).toBe('[[[1,2]],[null]]');
    // A null list that has items nevertheless, one of them null, and values before the first row
    // and after the last.
    const items = int32s(null, 1, null, 2, null);
    const buffers = { 0: Int32Array.of(1, 2, 3, 4), 2: Uint8Array.of(0b101) };
    const list = new Data(new List(optionalInt), 0, 3, 1, buffers, [items]);
    expect(await storeColumn(new List(requiredInt), list)).toBe('[[[1]],[null],[[2]]]');
  });

  test('a batch is held to its schema by offsets', async () => {
    const textOf = (offsets: Int32Array | BigInt64Array, type: DataType = new Utf8()): Data =>
      new Data(type, 0, 2, 0, { 0: offsets as Int32Array, 1: Buffer.from('abc') });
    expect(await storeColumn(new Utf8(), textOf(Int32Array.of(0, 1, 3)))).toBe('[["a"],["bc"]]');
    const leadBack = invalid("'c' has offsets that decrease in a batch");
    expect(await storeColumn(new Utf8(), textOf(Int32Array.of(0, 3, 2)))).toBe(leadBack);
    expect(await storeColumn(new Utf8(), textOf(Int32Array.of(-1, 1, 2)))).toBe(leadBack);
    expect(
      await storeColumn(new LargeUtf8(), textOf(BigInt64Array.of(0n, 3n, 2n), new LargeUtf8())),
    ).toBe(leadBack);
    expect(await storeColumn(new Utf8(), textOf(Int32Array.of(0, 1, 4)))).toBe(
      invalid("'c' has 3 bytes of values in a batch; expected 4"),
    );
    expect(await storeColumn(new Utf8(), textOf(Int32Array.of(0, 1)))).toBe(
      invalid("'c' has 8 bytes of offsets in a batch; expected 12"),
    );
    expect(await storeColumn(new Utf8(), textOf(BigInt64Array.of(0n, 1n, 2n)))).toBe(
      invalid("'c' has offsets of 8 bytes in a batch; expected 4"),
    );
    const list = new Data(new List(optionalInt), 0, 1, 0, { 0: Int32Array.of(0, 5) }, [
      int32s(1, 2),
    ]);
    expect(await storeColumn(new List(optionalInt), list)).toBe(
      invalid("'c.item' has 2 rows in a batch; expected 5"),
    );
  });

  test('a batch is held to its schema by sizes of buffers', async () => {
    const short = new Data(new Int32(), 0, 3, 0, { 1: Int32Array.of(1, 2) });
    expect(await storeColumn(new Int32(), short)).toBe(
      invalid("'c' has 8 bytes of values in a batch; expected 12"),
    );
    const bits = new Data(new Bool(), 0, 9, 0, { 1: Uint8Array.of(255) });
    expect(await storeColumn(new Bool(), bits)).toBe(
      invalid("'c' has 1 bytes of values in a batch; expected 2"),
    );
    const struct = new Data(new Struct([optionalInt]), 0, 3, 0, {}, [int32s(1)]);
    expect(await storeColumn(new Struct([optionalInt]), struct)).toBe(
      invalid("'c.item' has 1 rows in a batch; expected 3"),
    );
  });

  test('a batch is held to its schema by indexes into a dictionary', async () => {
    const type = new Dictionary(new Utf8(), new Int32());
    const indexed = (...indexes: number[]): Data =>
      new Data(
        type,
        0,
        indexes.length,
        0,
        { 1: Int32Array.from(indexes) },
        [],
        makeVector(texts('a', 'b')),
      );
    expect(await storeColumn(type, indexed(1, 0))).toBe('[["b"],["a"]]');
    expect(await storeColumn(type, indexed(0, 2))).toBe(
      invalid("'c' has index 2 in row 1 of a batch, into a dictionary of 2 values"),
    );
    expect(await storeColumn(type, indexed(-1))).toBe(
      invalid("'c' has index -1 in row 0 of a batch, into a dictionary of 2 values"),
    );
  });

  test('every batch is held to its schema, not only the first', async () => {
    const fields = [new Field('c', new Int32(), true)];
    const good = batchOf(3, { c: int32s(1, 2, 3) });
    expect(await store(fields, good, good, batchOf(1, { c: texts('x') }))).toBe(
      invalid("'c' is Int32 in the schema, but Utf8 in a batch"),
    );
  });
});

test('what is not a schema is refused before anything is read', async () => {
  const memory = new MemoryObjectStore({ sizeMaxBytes: 1e6 });
  await using results = new ResultStore({
    store: memory,
    brokerId: 'b',
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
  });
  const source = { schema: {} as Schema, batches: ReadableStream.from([]) };
  await expect(results.create(source, { owner: 'o' })).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    message: 'schema has no fields; expected a schema of Apache Arrow.',
  });
});
