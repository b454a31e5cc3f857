import { once } from 'node:events';
import {
  type DataType,
  Field,
  Int32,
  LargeUtf8,
  List,
  makeData,
  makeVector,
  Map_ as MapType,
  Struct,
  Table,
  tableToIPC,
  TimestampMillisecond,
  Union,
  UnionMode,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import avsc from 'avsc';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { fileOf, readFileRows } from './memory-file.ts';

/** A text whose first character other decoders take for a mark of the encoding. */
const text = '\uFEFFaé';

function parquet(column: Omit<ColumnSource, 'name'>): Uint8Array {
  const columnData = [{ name: 'a', ...column }];
  return new Uint8Array(parquetWriteBuffer({ codec: 'UNCOMPRESSED', columnData }));
}

function arrow(a: Vector): Uint8Array {
  return tableToIPC(new Table({ a }), 'file');
}

const textFields = ['key', 'value'].map((name) => new Field(name, new Utf8()));
const mapType = new MapType(
  new Field('entries', new Struct<Record<'key' | 'value', Utf8>>(textFields)),
);

async function avro(type: unknown, value: unknown): Promise<Uint8Array> {
  const schema = { type: 'record', name: 'R', fields: [{ name: 'a', type }] } as avsc.Schema;
  const encoder = new avsc.streams.BlockEncoder(schema, { codec: 'null' });
  const chunks: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
  encoder.end({ a: value });
  await once(encoder, 'end');
  return Buffer.concat(chunks);
}

test.each([
  ['Parquet', parquet({ data: [text], type: 'STRING', encoding: 'PLAIN' }), text],
  ['a dictionary of Parquet', parquet({ data: [text, text, text], type: 'STRING' }), text],
  ['JSON of Parquet', parquet({ data: [[text]], type: 'JSON' }), `["${text}"]`],
  ['Arrow', arrow(vectorFromArray([text], new Utf8())), text],
  ['a dictionary of Arrow', arrow(vectorFromArray([text])), text],
  ['long texts of Arrow', arrow(vectorFromArray([text], new LargeUtf8())), text],
  [
    'lists of Arrow',
    arrow(vectorFromArray([[text]], new List(new Field('element', new Utf8())))),
    [text],
  ],
  ['maps of Arrow', arrow(vectorFromArray([new Map([[text, text]])], mapType)), { [text]: text }],
  ['Avro', await avro('string', text), text],
  [
    'maps of Avro',
    await avro({ type: 'map', values: 'string' }, { [text]: text }),
    { [text]: text },
  ],
])('a text in %s is what was written, or the file is refused', async (_name, bytes, value) => {
  const { rows, problems } = await readFileRows(fileOf('x', bytes, 65_536));
  expect([rows[0], problems]).toEqual([{ a: value }, []]);
  const damaged = Buffer.from(bytes);
  for (let at = 0; (at = damaged.indexOf('é', at)) !== -1; at += 2) damaged[at + 1] = 0x28;
  expect(await readFileRows(fileOf('x', damaged, 65_536))).toEqual({
    rows: [],
    problems: ['FILE_CORRUPT'],
  });
});

function union(mode: UnionMode): Vector {
  const types = [new Int32(), new Utf8(), new TimestampMillisecond()];
  const fields = types.map((type, index) => new Field(String(index), type, true));
  const values = [
    [7, 0, 0],
    ['', text, ''],
    [0, 0, 1_700_000_000_000],
  ];
  const data = makeData({
    type: new Union(mode, [0, 1, 2], fields),
    length: 3,
    nullCount: 0,
    typeIds: Int8Array.of(0, 1, 2),
    ...(mode === UnionMode.Dense && { valueOffsets: Int32Array.of(0, 1, 2) }),
    children: types.map((type, index) => vectorFromArray(values[index] ?? [], type).data[0]),
  } as never);
  return makeVector(data as never);
}

test.each([UnionMode.Sparse, UnionMode.Dense])(
  'values of a union of Arrow are those of their own type, mode %i',
  async (mode) => {
    const { rows, problems } = await readFileRows(fileOf('x', arrow(union(mode)), 65_536));
    expect([rows, problems]).toEqual([
      [{ a: 7 }, { a: text }, { a: '2023-11-14 22:13:20.000' }],
      [],
    ]);
  },
);

test('unions within structs of Arrow are refused, because the type of a value is not known', async () => {
  const inner = union(UnionMode.Sparse);
  const type = new Struct([new Field('u', inner.type as DataType, true)]);
  const data = makeData({ type, length: 3, nullCount: 0, children: [...inner.data] } as never);
  const file = arrow(makeVector(data as never));
  expect(await readFileRows(fileOf('x', file, 65_536))).toEqual({
    rows: [],
    problems: ['FILE_CORRUPT'],
  });
});
