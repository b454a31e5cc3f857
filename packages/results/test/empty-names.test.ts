import {
  Field,
  Int32,
  List,
  makeData,
  RecordBatch,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
} from 'apache-arrow';
import { readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { collect } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { encodeSchema, ResultStore } from '../src/index.ts';

const member = new Struct([new Field('', new Int32()), new Field('b', new Int32())]);
const schema = new Schema([
  new Field('', new Int32()),
  new Field('s', member),
  new Field('l', new List(new Field('', new Int32()))),
]);

/** Returns the names of fields as Arrow's reader returns them: null for a missing name. */
function namesIn(fields: readonly Field[]): unknown {
  return fields.map(({ name, type }) => {
    const children = (type as { readonly children?: readonly Field[] | null }).children ?? [];
    return children.length === 0 ? name : [name, namesIn(children)];
  });
}

function schemaIn(bytes: Uint8Array): Schema {
  return RecordBatchReader.from(bytes).open().schema;
}

// polars and Arrow's own library for Rust refuse a field without a name.
test('empty names of columns, members and items are written as names, in schemas, files and streams', async () => {
  const ints = makeData({ type: new Int32(), length: 1, data: Int32Array.of(7) });
  const children = [
    ints,
    makeData({ type: member, length: 1, children: [ints, ints] }),
    makeData({
      type: schema.fields[2]?.type as List,
      length: 1,
      valueOffsets: Int32Array.of(0, 1),
      child: ints,
    }),
  ];
  const data = makeData({ type: new Struct(schema.fields), length: 1, children });
  // Arrow's own writer omits the names, and its reader returns null for them.
  const table = new Table(schema, [new RecordBatch(schema, data)]);
  const reader = RecordBatchReader.from(RecordBatchStreamWriter.writeAll(table).toUint8Array(true));
  const given = reader.open().schema;
  expect(namesIn(given.fields)).toEqual([null, ['s', [null, 'b']], ['l', [null]]]);
  const batches = (async function* () {
    yield* reader;
  })();
  await using store = new MemoryObjectStore({ sizeMaxBytes: 1e6 });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
  });
  const result = await results.create({ schema: given, batches }, { owner: 'o' });
  const stream = await collect(result.page({ offset: 0, rowCount: 1 }).encode('arrow'));
  const names = ['', ['s', ['', 'b']], ['l', ['']]];
  expect(namesIn(result.schema.fields)).toEqual(names);
  for (const bytes of [
    encodeSchema(schema),
    await readObject(store, result.entry.dataKey),
    Buffer.concat(stream),
  ]) {
    expect(namesIn(schemaIn(bytes).fields)).toEqual(names);
  }
});
