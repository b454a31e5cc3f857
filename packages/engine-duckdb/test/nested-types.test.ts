import duckdb from '@duckdb/node-bindings';
import { Field, Int32, List } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedWidthReader } from '../src/conversion/fixed-width.ts';
import { listReader } from '../src/conversion/nested-types.ts';
import { leadingRows } from '../src/conversion/vector-rows.ts';
import { cellText, type CellText } from './cell-text.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

/**
 * Types at every depth: `test_vector_types` returns them as flat, constant, dictionary and sequence
 * vectors, with nulls everywhere.
 */
const sqlTypes = [
  'INTEGER',
  'VARCHAR',
  'BOOLEAN',
  'UUID',
  'DECIMAL(38,10)',
  'INTEGER[]',
  'VARCHAR[]',
  'BOOLEAN[]',
  'BOOLEAN[3]',
  'DECIMAL(4,1)[]',
  'DECIMAL(18,6)[]',
  'HUGEINT[]',
  'UHUGEINT[]',
  'UUID[]',
  'TIMESTAMP_NS[]',
  'INTERVAL[]',
  'VARCHAR[3]',
  'INTEGER[3][]',
  'VARCHAR[][]',
  'BIT[]',
  'STRUCT(a INTEGER, b VARCHAR)',
  'STRUCT(a INTEGER, b VARCHAR)[]',
  'STRUCT(l STRUCT(a VARCHAR[], b INTEGER[3])[], s STRUCT(t TIMETZ, i INTERVAL))',
  'MAP(VARCHAR, INTEGER)',
  'MAP(INTEGER, VARCHAR[])',
  'MAP(VARCHAR, STRUCT(a INTEGER, b VARCHAR))',
];

describe('values of type', () => {
  test.each(sqlTypes)(
    'values of type %s are those that DuckDB shows, in whatever kind of vector they come',
    async (sqlType) => {
      const vectors = `test_vector_types(CAST(NULL AS ${sqlType}), CAST(NULL AS ${sqlType}), all_flat := false)`;
      const answer = await db.answer(
        `SELECT *, to_json(v), to_json(w) FROM (FROM ${vectors} AS t(v, w))`,
      );

      expect(answer.rowCount).toBeGreaterThan(3);
      expect(answer.column(0).map(normalize)).toEqual(answer.column(2).map(parseJson));
      expect(answer.column(1).map(normalize)).toEqual(answer.column(3).map(parseJson));
    },
  );

  test('values of all types at once, whole and cut into small batches, are the same', async () => {
    const columns = `(SELECT * EXCLUDE (blob, timestamp_tz, "union", double_array) FROM test_all_types())`;
    // Excludes values that DuckDB writes differently in JSON and as text. 40 MB of text for every
    // three rows make batches of one or two rows.
    const small = await db.answer(
      `SELECT t, to_json(t), repeat('x', 14000000) FROM ${columns} AS t`,
    );

    expect(small.batches.length).toBeGreaterThan(1);
    expect(small.column(0).map(normalize)).toEqual(small.column(1).map(parseJson));
  });
});

describe('nulls', () => {
  test('nulls are kept at every level, across chunks', async () => {
    const answer = await db.answer(
      `SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE [CASE WHEN i % 5 = 0 THEN NULL ELSE {
         'n': CASE WHEN i % 3 = 0 THEN NULL ELSE i END,
         'l': CASE WHEN i % 2 = 0 THEN NULL ELSE [i, NULL] END,
         'm': CASE WHEN i % 11 = 0 THEN NULL ELSE MAP {'k': CASE WHEN i % 13 = 0 THEN NULL ELSE 'a long enough text ' || i END} END,
         'e': CAST([CASE WHEN i % 19 = 0 THEN NULL ELSE 'b' END] AS ENUM('a', 'b')[]),
         'j': [CAST(CASE WHEN i % 23 = 0 THEN NULL ELSE '{"n": 1}' END AS JSON)]
       } END, NULL] END, [{'f': CAST(CASE WHEN i % 17 = 0 THEN NULL ELSE [i, NULL, i] END AS INTEGER[3])}]
       FROM range(10000) AS t(i)`,
    );

    const every = (n: number, i: number, value: CellText): CellText => (i % n === 0 ? null : value);
    const expected = Array.from({ length: 10_000 }, (_, i): CellText => {
      const struct = {
        n: every(3, i, String(i)),
        l: every(2, i, [String(i), null]),
        m: every(11, i, { k: every(13, i, `a long enough text ${i}`) }),
        e: [every(19, i, 'b')],
        j: [every(23, i, '{"n": 1}')],
      };
      return every(7, i, [every(5, i, struct), null]);
    });
    expect(answer.column(0)).toEqual(expected);
    expect(answer.column(1)).toEqual(
      expected.map((_, i) => [{ f: every(17, i, [String(i), null, String(i)]) }]),
    );
  });
});

describe('names', () => {
  test('names of struct members are kept, and unnamed ones get those that DuckDB gives them', async () => {
    const answer = await db.answer(
      `SELECT row(1, INTERVAL 1 DAY) AS r, {'a "b"': INTERVAL 2 DAY, 'é': 1} AS s, row(1) AS t`,
    );

    expect(
      answer.fields.map(({ type }) => type.children.map((member: Field) => member.name)),
    ).toEqual([['element1', 'element2'], ['a "b"', 'é'], ['element1']]);
    expect(answer.column(0)).toEqual([{ element1: '1', element2: '1 day' }]);
    expect(answer.column(1)).toEqual([{ 'a "b"': '2 days', é: '1' }]);
  });
});

describe('the list reader', () => {
  test('the list reader reads lists that overlap, leave gaps or come in any order', () => {
    const chunk = duckdb.create_data_chunk([
      duckdb.create_list_type(duckdb.create_logical_type(duckdb.Type.INTEGER)),
    ]);
    duckdb.data_chunk_set_size(chunk, 4);
    const vector = duckdb.data_chunk_get_vector(chunk, 0);
    duckdb.list_vector_reserve(vector, 6);
    duckdb.list_vector_set_size(vector, 6);
    write(duckdb.list_vector_get_child(vector), new Int32Array([10, 11, 12, 13, 14, 15]));
    // Offset and length of each list.
    write(vector, new BigUint64Array([4n, 2n, 0n, 3n, 1n, 0n, 1n, 2n]));
    const int = new Int32();

    const read = listReader(new List(new Field('item', int)), fixedWidthReader(int, Int32Array));
    const data = read(vector, leadingRows(duckdb.data_chunk_get_size(chunk)));

    expect([0, 1, 2, 3].map((row) => cellText(data, row))).toEqual([
      ['14', '15'],
      ['10', '11', '12'],
      [],
      ['11', '12'],
    ]);
  });
});

function write(
  vector: duckdb.Vector,
  values: Int32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>,
): void {
  duckdb.copy_data_to_vector(vector, 0, values.buffer, 0, values.byteLength);
}

/** Parses DuckDB's JSON of a value, with numbers as written. */
function parseJson(json: CellText): CellText {
  const keepDigits = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number' || typeof value === 'boolean' ? source : value;
  return json === null
    ? null
    : normalize(
        JSON.parse(json as string, keepDigits as Parameters<typeof JSON.parse>[1]) as CellText,
      );
}

/** Removes the differences between JSON and text of the same number. */
function normalize(value: CellText): CellText {
  if (typeof value === 'string') return value.replace(/^(-?[\d.]+)e(?=\d)/, '$1e+');
  if (Array.isArray(value)) return value.map(normalize);
  if (value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalize(inner)]));
}
