import { type Data, Field, Int32, makeData, Map_, Schema, Struct, Utf8 } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { decodeSchema, encodeSchema } from '../src/index.ts';
import { columnOf, jsonCellsOf, jsonRowsOf, listColumnOf, textColumnOf } from './column-builder.ts';

const isJson = new Map([['ARROW:extension:name', 'arrow.json']]);
const unnamed = new Struct([new Field('', new Int32(), true), new Field('', new Int32(), true)]);

function structOf(type: Struct, children: readonly Data[]): Data {
  return makeData({
    type,
    length: children[0]?.length ?? 0,
    nullCount: 0,
    children: [...children],
  });
}

/** Returns a column of maps, each from `k` to one JSON text. */
function mapsTo(texts: readonly string[]): Data {
  const entries = new Struct([
    new Field('key', new Utf8(), false),
    new Field('value', new Utf8(), true, isJson),
  ]);
  const keys = textColumnOf(
    new Utf8(),
    texts.map(() => 'k'),
  );
  return listColumnOf(
    new Map_(new Field('entries', entries, false) as never),
    texts.length,
    structOf(entries, [keys, textColumnOf(new Utf8(), texts)]),
    Int32Array.from(Array(texts.length + 1).keys()),
    () => false,
  );
}

describe('JSON text within JSON', () => {
  test('JSON text within JSON stays on one line', async () => {
    const texts = ['{"a":\n[1,\r\n\t2]}', '"\\n"', '\n3\n', String.raw`{"\\": "\u000a"}`];

    expect(await jsonCellsOf(mapsTo(texts))).toEqual([
      '{"k":{"a": [1,   2]}}',
      String.raw`{"k":"\n"}`,
      '{"k": 3 }',
      String.raw`{"k":{"\\": "\u000a"}}`,
    ]);
  });

  test('text within JSON that is not JSON is a string', async () => {
    const texts = ['NaN', '[1,]', '{"a": -Infinity}', '', '"\n"', '1 2', `${'['.repeat(1e5)}`];

    expect(await jsonRowsOf([mapsTo(texts)])).toEqual(texts.map((k) => [{ k }]));
  });
});

describe('members of a struct that have the same name', () => {
  const struct = structOf(unnamed, [
    columnOf(new Int32(), 2, Int32Array.of(1, 2)),
    columnOf(new Int32(), 2, Int32Array.of(3, 4)),
  ]);

  test('members with the same name have distinct names in JSON, as in Parquet', async () => {
    expect(await jsonRowsOf([struct])).toEqual([['{"":1,"_1":3}'], ['{"":2,"_1":4}']]);
  });

  test('empty names are the same after the schema was stored', () => {
    const schema = new Schema([new Field('', unnamed, true), new Field('n', new Int32(), true)]);
    const { fields } = decodeSchema(encodeSchema(schema));

    expect(fields.map(({ name }) => name)).toEqual(['', 'n']);
    expect(fields.flatMap(({ type }) => (type.children as Field[] | null) ?? [])).toEqual([
      ...unnamed.children,
    ]);
  });
});
