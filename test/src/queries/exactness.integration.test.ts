import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ExactCell,
  type ExactQueries,
  openExactQueries,
} from '../testkit/builders/exact-query.ts';
import { pageText } from '../testkit/builders/page-text.ts';

let queries: ExactQueries;
beforeAll(async () => {
  queries = await openExactQueries();
});
afterAll(async () => {
  await queries[Symbol.asyncDispose]();
});

/** The cell that DuckDB's own text of a value should become. */
type CellOf = (text: string) => ExactCell;
const same: CellOf = (text) => text;
/** DuckDB omits the zero before the point if all digits are after it. */
const decimal: CellOf = (text) => text.replace(/^(-?)\./, '$10.');
const boolean: CellOf = (text) => text === 'true';
const float: CellOf = (text) =>
  ({ nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' })[text] ?? String(Number(text));
const timestamp: CellOf = (text) => {
  const zoneless = text.replace(/\+00$/, '');
  return /\.|infinity/.test(zoneless) ? zoneless : `${zoneless}.0`;
};

/** SQL type, the name it has on the wire, values, and how DuckDB's text of them looks in a cell. */
const scalarCases: readonly [string, string, readonly string[], CellOf][] = [
  ['TINYINT', 'INT', ['-128', '0', '127'], same],
  ['SMALLINT', 'INT', ['-32768', '32767'], same],
  ['INTEGER', 'INT', ['-2147483648', '-1', '2147483647'], same],
  ['BIGINT', 'LONG', ['-9223372036854775808', '9007199254740993', '9223372036854775807'], same],
  ['UTINYINT', 'INT', ['0', '255'], same],
  ['USMALLINT', 'INT', ['65535'], same],
  ['UINTEGER', 'LONG', ['4294967295'], same],
  ['UBIGINT', 'BIG_DECIMAL', ['18446744073709551615'], same],
  [
    'HUGEINT',
    'BIG_DECIMAL',
    ['-170141183460469231731687303715884105728', '0', '170141183460469231731687303715884105727'],
    same,
  ],
  ['UHUGEINT', 'BIG_DECIMAL', ['340282366920938463463374607431768211455'], same],
  ['DECIMAL(4,1)', 'BIG_DECIMAL', ['-999.9', '0', '0.1'], same],
  ['DECIMAL(9,4)', 'BIG_DECIMAL', ['-99999.9999', '1.5'], same],
  ['DECIMAL(18,3)', 'BIG_DECIMAL', ['999999999999999.999', '-0.001'], same],
  ['DECIMAL(38,0)', 'BIG_DECIMAL', ['99999999999999999999999999999999999999'], same],
  [
    'DECIMAL(38,38)',
    'BIG_DECIMAL',
    ["'0.99999999999999999999999999999999999999'", "'-0.00000000000000000000000000000000000001'"],
    decimal,
  ],
  [
    'FLOAT',
    'FLOAT',
    ['0.1', '3.4028235e38', '1e-45', "'nan'", "'inf'", "'-inf'", '16777216'],
    float,
  ],
  [
    'DOUBLE',
    'DOUBLE',
    ['0.1', '1.7976931348623157e308', '5e-324', "'nan'", "'inf'", "'-inf'", '1e21', '123456.789'],
    float,
  ],
  ['BOOLEAN', 'BOOLEAN', ['true', 'false'], boolean],
  [
    'DATE',
    'STRING',
    [
      "'1970-01-01'",
      "'0001-01-01'",
      "'9999-12-31'",
      "'0044-03-15 (BC)'",
      "'12345-06-07'",
      "'infinity'",
      "'-infinity'",
    ],
    same,
  ],
  ['TIME', 'STRING', ["'00:00:00'", "'12:34:56.789'", "'23:59:59.999999'", "'24:00:00'"], same],
  ['TIME WITH TIME ZONE', 'STRING', ["'12:34:56.5+05:30'", "'00:00:00-15:59'"], same],
  [
    'TIMESTAMP',
    'TIMESTAMP',
    [
      "'1970-01-01'",
      "'1969-12-31 23:59:59.999999'",
      "'0044-03-15 (BC) 01:02:03.4'",
      "'infinity'",
      "'-infinity'",
    ],
    timestamp,
  ],
  ['TIMESTAMP_S', 'TIMESTAMP', ["'2024-02-29 12:00:00'"], timestamp],
  ['TIMESTAMP_MS', 'TIMESTAMP', ["'2024-02-29 12:00:00.12'"], timestamp],
  [
    'TIMESTAMP_NS',
    'TIMESTAMP',
    ["'2024-02-29 12:00:00.123456789'", "'1677-09-22 00:00:00.000000001'"],
    timestamp,
  ],
  [
    'TIMESTAMP WITH TIME ZONE',
    'TIMESTAMP',
    ["'2024-02-29 12:00:00.5+02'", "'1883-11-18 12:00:00+00'"],
    timestamp,
  ],
  ['INTERVAL', 'STRING', ["'1 year 2 months 3 days 04:05:06.7'", "'-1 second'", "'0 days'"], same],
  [
    'UUID',
    'STRING',
    [
      "'00000000-0000-0000-0000-000000000000'",
      "'ffffffff-ffff-4fff-bfff-ffffffffffff'",
      "'01a1fbbd-a4a0-72b4-a4a2-84902187c39f'",
    ],
    same,
  ],
  ['BIT', 'STRING', ["'10101'", "'0'"], same],
  ["ENUM('red', 'deep \"blue\"')", 'STRING', ["'red'", '\'deep "blue"\''], same],
  [
    'VARCHAR',
    'STRING',
    [
      "''",
      "'plain'",
      "'twelve bytes'",
      "'thirteen byte'",
      "'quote \" backslash \\'",
      "'zürich 東京 👩‍👩‍👧‍👦'",
    ],
    same,
  ],
  ['JSON', 'JSON', [`'{"a": [1, null, "x\\n"]}'`, "'null'", "'  [ ]'"], same],
];

describe('a cell is what DuckDB says of the value', () => {
  test.each(scalarCases)(
    'a cell is what DuckDB says of the value: %s as %s',
    async (sqlType, wireType, values, cellOf) => {
      const rows = [...values, 'NULL'].map((value) => `(CAST(${value} AS ${sqlType}))`).join(', ');
      const { types, rows: cells } = await queries.cells(`SELECT v FROM (VALUES ${rows}) t(v)`);
      const texts = await queries.reference(`SELECT CAST(v AS VARCHAR) FROM (VALUES ${rows}) t(v)`);
      expect(types).toEqual([wireType]);
      // Doubles are compared as numbers: two texts of one double may differ.
      const normal = (cell: ExactCell): ExactCell =>
        cellOf === float && typeof cell === 'string' && !/[NI]/.test(cell)
          ? String(Number(cell))
          : cell;
      expect(cells.map(([cell]) => normal(cell ?? null))).toEqual(
        texts.map(([text]) => (text === null || text === undefined ? null : cellOf(text))),
      );
    },
  );

  test('bytes in a cell are lower-case hex', async () => {
    const { types, rows } = await queries.cells(
      `SELECT v FROM (VALUES (''::BLOB), ('\\x00\\xFFabcdefghijklmnop'::BLOB), (NULL)) t(v)`,
    );
    expect(types).toEqual(['BYTES']);
    expect(rows).toEqual([[''], ['00ff6162636465666768696a6b6c6d6e6f70'], [null]]);
  });

  test('every code point of text survives, controls and NUL included', async () => {
    const points = `list_filter(range(0, 66000), p -> p < 55296 OR p > 57343)`;
    const { rows } = await queries.cells(
      `SELECT chr(p::INTEGER) FROM (SELECT unnest(${points}) AS p)`,
    );
    const expected = Array.from({ length: 66_000 }, (_, point) => point).filter(
      (point) => point < 0xd800 || point > 0xdfff,
    );
    expect(rows.map(([cell]) => cell)).toEqual(
      expected.map((point) => String.fromCodePoint(point)),
    );
  });
});

describe('nested values', () => {
  test.each([
    ['INTEGER[]', 'INT_ARRAY', `[1, NULL, 3]`, ['1', null, '3']],
    ['VARCHAR[]', 'STRING_ARRAY', `['a"b', NULL, '']`, ['a"b', null, '']],
    ['BIGINT[2]', 'LONG_ARRAY', `[9223372036854775807, NULL]`, ['9223372036854775807', null]],
    ['DOUBLE[]', 'DOUBLE_ARRAY', `['nan'::DOUBLE, 1.5]`, ['NaN', '1.5']],
    ['DECIMAL(38,2)[]', 'JSON', `[1.25, NULL]`, '["1.25",null]'],
    ['UBIGINT[]', 'JSON', `[18446744073709551615]`, '["18446744073709551615"]'],
    [
      'TIMESTAMP_NS[]',
      'TIMESTAMP_ARRAY',
      `['2024-01-01 00:00:00.000000001']`,
      ['2024-01-01 00:00:00.000000001'],
    ],
    [
      'UUID[]',
      'STRING_ARRAY',
      `['01a1fbbd-a4a0-72b4-a4a2-84902187c39f']`,
      ['01a1fbbd-a4a0-72b4-a4a2-84902187c39f'],
    ],
    ['INTEGER[][]', 'JSON', `[[1], [], NULL]`, '[[1],[],null]'],
    ['VARCHAR[2][]', 'JSON', `[['a"b', NULL]]`, '[["a\\"b",null]]'],
    ['JSON[]', 'JSON', `['{"a": 1}', NULL]`, '[{"a": 1},null]'],
    ['MAP(VARCHAR, INTEGER)[]', 'JSON', `[MAP {'k': 1}]`, '[{"k":1}]'],
    ['STRUCT(a INTEGER, b VARCHAR)', 'JSON', `{'a': 1, 'b': 'x"y'}`, '{"a":1,"b":"x\\"y"}'],
    [
      'STRUCT(a INTEGER[], b STRUCT(c DATE))',
      'JSON',
      `{'a': [1, NULL], 'b': {'c': DATE '2024-01-02'}}`,
      '{"a":[1,null],"b":{"c":"2024-01-02"}}',
    ],
    ['STRUCT(a INTEGER)[]', 'JSON', `[{'a': 1}, NULL]`, '[{"a":1},null]'],
    ['MAP(VARCHAR, INTEGER)', 'MAP', `MAP {'k': 1, 'l': NULL}`, { k: '1', l: null }],
    ['MAP(INTEGER, VARCHAR[])', 'MAP', `MAP {7: ['x']}`, { 7: ['x'] }],
  ])('nested values: %s as %s', async (sqlType, wireType, value, cell) => {
    const { types, rows } = await queries.cells(
      `SELECT v FROM (VALUES (CAST(${value} AS ${sqlType})), (NULL)) t(v)`,
    );
    expect(types).toEqual([wireType]);
    expect(rows).toEqual([[cell], [null]]);
  });
});

describe('shapes', () => {
  test('a result of no rows keeps its schema', async () => {
    expect(await queries.cells(`SELECT 1 AS a, 'x' AS b WHERE false`)).toEqual({
      types: ['INT', 'STRING'],
      rows: [],
    });
  });

  test('columns of one name stay columns of their own', async () => {
    const result = await queries.create(`SELECT 1 AS a, 'x' AS a, 2.5 AS a`);
    expect(result.schema.fields.map(({ name }) => name)).toEqual(['a', 'a', 'a']);
    expect(await pageText(result, 0, 1)).toBe('[[1,"x","2.5"]]');
    expect(await pageText(result, 0, 1, 'ndjson')).toBe('{"a":1,"a_1":"x","a_2":"2.5"}\n');
  });

  test('columns of only nulls come back', async () => {
    const { rows } = await queries.cells(
      `SELECT NULL, CAST(NULL AS VARCHAR), CAST(NULL AS INTEGER[]) FROM range(3)`,
    );
    expect(rows).toEqual([0, 1, 2].map(() => [null, null, null]));
  });

  test('5,000 columns come back', async () => {
    const columns = Array.from({ length: 5000 }, (_, index) => `r + ${index} AS c${index}`).join(
      ', ',
    );
    const { rows } = await queries.cells(`SELECT ${columns} FROM range(3) t(r)`);
    expect(rows).toEqual(
      [0, 1, 2].map((row) => Array.from({ length: 5000 }, (_, index) => String(row + index))),
    );
  });

  test('one cell of 50 MB comes back', async () => {
    const result = await queries.create(
      `SELECT repeat('0123456789', 5000000) AS v UNION ALL SELECT 'small'`,
    );
    expect(await pageText(result, 0, 1)).toBe(`[["${'0123456789'.repeat(5_000_000)}"]]`);
    expect(await pageText(result, 1, 1)).toBe('[["small"]]');
  });

  test('order, nulls and values hold over many batches', async () => {
    const result = await queries.create(
      `SELECT r, CASE WHEN r % 7 > 0 THEN 'row ' || r END AS s FROM range(300000) t(r)`,
    );
    const rows = JSON.parse(await pageText(result, 0, 300_000)) as [number, string | null][];
    expect(rows).toHaveLength(300_000);
    expect(
      rows.filter(([r, s], index) => r !== index || s !== (index % 7 > 0 ? `row ${index}` : null)),
    ).toEqual([]);
  });
});
