import { once } from 'node:events';
import {
  Field,
  LargeUtf8,
  List,
  Map_ as MapType,
  Struct,
  Table,
  tableToIPC,
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
