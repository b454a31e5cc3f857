import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float16,
  Float32,
  Int16,
  Int32,
  Int64,
  Int8,
  LargeUtf8,
  List,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint64,
  Uint8,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { QueryParameter } from '@quire/core';
import { expect, test } from 'vitest';
import { dataOfBatch } from '../src/sql/ipc-messages.ts';
import { readParameters } from '../src/sql/read-parameters.ts';
import { type FlightData, flightDataCodec } from '../src/wire/flight-messages.ts';

/** The messages of a batch, as they arrive. */
function messagesOf(batch: RecordBatch): FlightData[] {
  return dataOfBatch(batch).map((data) => flightDataCodec.decode(flightDataCodec.encode(data)));
}

async function* sent(messages: readonly FlightData[]): AsyncGenerator<FlightData> {
  yield* messages;
}

function batchOf(type: DataType, values: readonly unknown[]): RecordBatch {
  const vector = vectorFromArray(values as unknown[], type);
  const schema = new Schema([new Field('p', type, true)]);
  const children = [vector.data[0] ?? makeData({ type, length: 0 } as never)] as never;
  const length = values.length;
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }),
  );
}

const instant = Date.UTC(1969, 11, 31, 23, 59, 59);

test.each<readonly [DataType, unknown, QueryParameter]>([
  [new Bool(), true, { type: 'BOOLEAN', value: true }],
  [new Bool(), false, { type: 'BOOLEAN', value: false }],
  [new Int8(), -128, { type: 'INT', value: -128 }],
  [new Uint8(), 255, { type: 'INT', value: 255 }],
  [new Int16(), -32_768, { type: 'INT', value: -32_768 }],
  [new Int32(), -(2 ** 31), { type: 'INT', value: -(2 ** 31) }],
  [new Int64(), 2n ** 62n, { type: 'LONG', value: String(2n ** 62n) }],
  [new Uint64(), 2n ** 64n - 1n, { type: 'BIG_DECIMAL', value: '18446744073709551615' }],
  [new Float16(), 1.5, { type: 'DOUBLE', value: 1.5 }],
  [new Float16(), -(2 ** -24), { type: 'DOUBLE', value: -(2 ** -24) }],
  [new Float32(), -0.25, { type: 'DOUBLE', value: -0.25 }],
  [new Float32(), -Infinity, { type: 'DOUBLE', value: '-Infinity' }],
  [new Utf8(), 'ünï ❤', { type: 'STRING', value: 'ünï ❤' }],
  [new Utf8(), '', { type: 'STRING', value: '' }],
  [new LargeUtf8(), 'large', { type: 'STRING', value: 'large' }],
  [new FixedSizeBinary(2), Uint8Array.of(0, 255), { type: 'BYTES', value: '00ff' }],
  [new DateDay(), new Date(instant), { type: 'DATE', value: '1969-12-31' }],
  [new DateMillisecond(), new Date(0), { type: 'DATE', value: '1970-01-01' }],
  [new TimestampSecond(), instant, { type: 'TIMESTAMP', value: '1969-12-31 23:59:59' }],
  [new TimestampMicrosecond(), 1, { type: 'TIMESTAMP', value: '1970-01-01 00:00:00.001000' }],
  [new TimestampNanosecond(), 0, { type: 'TIMESTAMP', value: '1970-01-01 00:00:00.000000000' }],
  [
    new Decimal(2, 10),
    Uint32Array.of(0xffff_fffb, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff),
    { type: 'BIG_DECIMAL', value: '-0.05' },
  ],
  [new Utf8(), null, { type: 'NULL', value: null }],
  [new Null(), null, { type: 'NULL', value: null }],
])(
  'a parameter of the type %s has the value that was sent, in case %#',
  async (type, value, expected) => {
    expect(await readParameters(sent(messagesOf(batchOf(type, [value]))))).toEqual([expected]);
  },
);

test.each<readonly [string, DataType, readonly unknown[], string, string]>([
  ['several rows', new Int32(), [1, 2], 'UNSUPPORTED', 'Several rows of parameters were sent'],
  ['no row', new Int32(), [], 'INVALID_BODY', 'No row of parameters was sent'],
  [
    'a nested type',
    new List(new Field('item', new Int32())),
    [[1]],
    'UNSUPPORTED',
    'Parameter "p" has the Arrow type List; expected a number',
  ],
  [
    'a dictionary',
    new Dictionary(new Utf8(), new Int32()),
    ['a'],
    'UNSUPPORTED',
    'Parameter "p" has the Arrow type Dictionary',
  ],
])('parameters with %s are refused', async (_what, type, values, code, words) => {
  const reading = readParameters(sent(messagesOf(batchOf(type, values))));
  await expect(reading).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

test('parameters of two batches are refused, and an empty batch is passed over', async () => {
  const [schema, one] = messagesOf(batchOf(new Int32(), [1]));
  const [, none] = messagesOf(batchOf(new Int32(), []));
  if (schema === undefined || one === undefined || none === undefined) throw new Error('few');
  expect(await readParameters(sent([schema, none, one]))).toEqual([{ type: 'INT', value: 1 }]);
  await expect(readParameters(sent([schema, one, one]))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  });
  await expect(readParameters(sent([one]))).rejects.toMatchObject({ code: 'INVALID_BODY' });
});

test('parameters whose columns share their bytes are refused before they are copied', async () => {
  const text = 'y'.repeat(100_000);
  const columns = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, [text]]));
  const schema = new Schema(Object.keys(columns).map((name) => new Field(name, new Utf8(), true)));
  const children = Object.values(columns).map(
    (values) => vectorFromArray(values, new Utf8()).data[0],
  );
  const data = makeData({
    type: new Struct(schema.fields),
    length: 1,
    nullCount: 0,
    children: children as never,
  });
  const [head, rows] = messagesOf(new RecordBatch(schema, data));
  if (head === undefined || rows === undefined) throw new Error('few');
  expect(await readParameters(sent([head, rows]))).toHaveLength(50);
  // Points all buffers of the batch to those of the first column.
  const header = Uint8Array.from(rows.dataHeader);
  const view = new DataView(header.buffer);
  const pairs: number[] = [];
  for (let at = 0; at + 8 <= header.length; at += 8) {
    if (view.getBigInt64(at, true) === 100_000n) pairs.push(at - 8);
  }
  expect(pairs).toHaveLength(50);
  for (const at of pairs) view.setBigInt64(at, view.getBigInt64(pairs[0] ?? 0, true), true);
  const shared = { ...rows, dataHeader: header, dataBody: rows.dataBody.subarray(0, 200_000) };
  await expect(readParameters(sent([head, shared]))).rejects.toMatchObject({
    code: 'INVALID_BODY',
  });
});
