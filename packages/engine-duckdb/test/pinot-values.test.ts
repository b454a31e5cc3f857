import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { QuireError, type QueryParameters } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseStatement } from '../src/pinot/parse-query.ts';
import { type KnownRelations, QueryTranslator } from '../src/pinot/translate-query.ts';
import { statementLimits } from '../src/statement-limits.ts';
import { TestEngine } from './test-engine.ts';

/* Values of the dialect `pinot` for which the judge in test/src/pinot has no rows: columns of types
   that Apache Pinot does not have, and queries at the edges of the translation. */

let directory: string;
let db: TestEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-pinot-'));
  const path = join(directory, 'things.parquet');
  await writeParquet(
    path,
    `SELECT * FROM (VALUES
       (1, DATE '2024-02-29', TIMESTAMPTZ '2024-02-29 20:34:56+00', 4000000000::UINTEGER, 3::UBIGINT, 9007199254740993, [1, 2], ['a', 'b']),
       (2, DATE '2024-02-29', TIMESTAMPTZ '1969-12-31 23:00:00+00', 0::UINTEGER, 18446744073709551615::UBIGINT, 9007199254740992, [2, 2], ['a']),
       (3, NULL, NULL, NULL, NULL, NULL, [], NULL)
     ) t(id, day, tz, u32, u64, l, ints, words)`,
  );
  db = await TestEngine.open({ tables: [{ name: 'things', path, format: 'parquet' }] });
  db.dialect = 'pinot';
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function writeParquet(path: string, sql: string): Promise<void> {
  const database = await duckdb.open(':memory:', duckdb.create_config());
  const connection = await duckdb.connect(database);
  await duckdb.query(connection, `COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
}

describe('the size of a translation', () => {
  test('a scalar subquery is translated once, though it has an alias', () => {
    let sql = '(SELECT a FROM t)';
    for (let level = 0; level < 10; level += 1) sql = `(SELECT ${sql} AS a)`;
    const table = vi.fn<KnownRelations['table']>(() => ({
      name: 't',
      columns: [{ name: 'a', type: 'INT' }],
    }));
    const relations: KnownRelations = {
      table,
      tableNotFound: (name) => new QuireError('TABLE_NOT_FOUND', name),
      result: () => [],
    };
    new QueryTranslator(sql, relations, undefined, statementLimits).translate(
      parseStatement(`SELECT ${sql} AS a`).query,
    );
    expect(table).toHaveBeenCalledTimes(1);
  });

  test('a text that doubles with each level of nesting is refused before it exceeds the memory', async () => {
    let sql = 'id';
    for (let level = 0; level < 60; level += 1) sql = `MOD(${sql}, 3)`;
    const { code, message } = await db.failure(`SELECT ${sql} FROM things`);
    expect([code, message]).toEqual([
      'QUERY_INVALID',
      expect.stringMatching(/ of text once it is translated; at most 1 MiB are allowed/),
    ]);
  });

  test.each([
    ['operators', `SELECT 1${' + 1'.repeat(20_000)}`, 'too many operators'],
    ['predicates', `SELECT 1${' IS NULL'.repeat(20_000)}`, 'too many operators'],
    ['set operations', `SELECT 1${' UNION SELECT 1'.repeat(20_000)}`, 'set operations'],
    ['joins', `SELECT 1 FROM things${' JOIN things'.repeat(20_000)}`, 'too many operators, joins'],
    ['300 operators', `SELECT 1${' + 1'.repeat(300)}`, 'nested more than 250 levels deep'],
  ])('a long chain of %s is refused', async (_, sql, message) => {
    const failure = await db.failure(sql);
    expect([failure.code, failure.message]).toEqual([
      'QUERY_INVALID',
      expect.stringContaining(message),
    ]);
  });
});

async function rowsOf(sql: string, parameters?: QueryParameters): Promise<unknown[][]> {
  return (await db.answer(sql, parameters)).rows();
}

describe('columns', () => {
  test.each([
    [
      'SELECT day, COUNT(*) FROM things GROUP BY day ORDER BY day',
      [
        ['2024-02-29', '2'],
        [null, '1'],
      ],
    ],
    ['SELECT day AS d, COUNT(*) FROM things GROUP BY d ORDER BY d LIMIT 1', [['2024-02-29', '2']]],
    [
      "SELECT * FROM (SELECT day FROM things UNION SELECT day FROM things) WHERE day LIKE '2024%'",
      [['2024-02-29']],
    ],
    [
      "SELECT CONCAT(day, '!') FROM (SELECT day FROM things WHERE id = 1 UNION ALL SELECT 'x') ORDER BY 1",
      [['2024-02-29!'], ['x!']],
    ],
    [
      'SELECT id FROM things WHERE day IN (SELECT day FROM things WHERE id = 1) ORDER BY id',
      [['1'], ['2']],
    ],
    ["SELECT CONCAT((SELECT day FROM things WHERE id = 1), '!')", [['2024-02-29!']]],
  ])('a column of dates is grouped, united and compared as text: %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });

  test.each([
    [
      'SELECT u32 * 1000, FROMEPOCHSECONDS(u32) FROM things WHERE id = 1',
      [['4000000000000', '4000000000000']],
    ],
    ["SELECT DATETRUNC('DAY', u32, 'SECONDS') FROM things WHERE id = 1", [['3999974400']]],
    [
      'SELECT u64 - 5, u64 FROM things WHERE id < 3 ORDER BY id',
      [
        ['-2', '3'],
        ['18446744073709551610', '18446744073709551615'],
      ],
    ],
  ])('unsigned integers are calculated without overflow: %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });

  test('columns of one name in a subquery are different columns', async () => {
    const answer = await db.answer(
      'SELECT * FROM (SELECT id AS x, -id AS x FROM things WHERE id = 2)',
    );
    expect([answer.columns, answer.rows()]).toEqual([['x: Int32', 'x_1: Float64'], [['2', '-2']]]);
    const named =
      'WITH c AS (SELECT a.id, b.id FROM things a JOIN things b ON a.id + 1 = b.id) SELECT * FROM c';
    expect(await rowsOf(`${named} ORDER BY 1`)).toEqual([
      ['1', '2'],
      ['2', '3'],
    ]);
  });

  test('a column without a table is refused where several tables have it', async () => {
    const sql = 'SELECT id FROM things a RIGHT JOIN things b ON a.id = b.id + 1';
    const { code, message } = await db.failure(sql);
    expect([code, message]).toEqual([
      'QUERY_INVALID',
      "Column 'id' is in several tables, a and b: write the name of one before it.",
    ]);
  });

  test('a column of USING is there once in *, and in each table by its name', async () => {
    const from =
      'FROM (SELECT id, l FROM things WHERE id < 3) a FULL JOIN (SELECT id FROM things WHERE id > 1) b USING (id)';
    expect(await rowsOf(`SELECT id, a.id, b.id ${from} ORDER BY id`)).toEqual([
      ['1', '1', null],
      ['2', '2', '2'],
      ['3', null, '3'],
    ]);
    expect((await db.answer(`SELECT * ${from}`)).columns).toEqual(['id: Int32', 'l: Int64']);
    expect((await db.answer(`SELECT a.* ${from}`)).columns).toEqual(['id: Int32', 'l: Int64']);
  });

  test('a common table expression does not hide the table that is named with its schema', async () => {
    const sql = 'WITH things AS (SELECT id FROM things WHERE id > 2) SELECT';
    expect(await rowsOf(`${sql} COUNT(*) FROM default.things`)).toEqual([['3']]);
    expect(await rowsOf(`${sql} COUNT(*) FROM things`)).toEqual([['1']]);
  });

  test('an alias does not hide a column in the arguments of an aggregate', async () => {
    const sql =
      'SELECT day, SUM(id) AS id FROM things GROUP BY day HAVING SUM(id) > 1 ORDER BY SUM(id), day';
    expect(await rowsOf(sql)).toEqual([
      ['2024-02-29', '3'],
      [null, '3'],
    ]);
  });
});

describe('several values', () => {
  const byInt = [
    ['1', '1'],
    ['2', '3'],
    [null, '1'],
  ];
  test.each([
    ['SELECT ints, COUNT(*) FROM things GROUP BY ints ORDER BY ints', byInt],
    ['SELECT ints, COUNT(*) FROM things GROUP BY 1 ORDER BY 1', byInt],
    ['SELECT ints AS i, COUNT(*) FROM things GROUP BY i ORDER BY i', byInt],
    ['SELECT VALUEIN(ints, 2), COUNT(*) FROM things GROUP BY VALUEIN(ints, 2)', [['2', '3']]],
    [
      'SELECT ints, words, COUNT(*) FROM things GROUP BY ints, words ORDER BY 1, 2',
      [
        ['1', 'a', '1'],
        ['1', 'b', '1'],
        ['2', 'a', '3'],
        ['2', 'b', '1'],
        [null, null, '1'],
      ],
    ],
    [
      'SELECT ints, COUNTMV(words), SUM(id) FROM things GROUP BY ints HAVING ints > 0 ORDER BY ints',
      [
        ['1', '2', '1'],
        ['2', '4', '5'],
      ],
    ],
    ['SELECT DISTINCT words FROM things ORDER BY words', [['a'], ['b'], [null]]],
  ])('a row counts in the group of each of its values: %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });

  test.each([
    [
      'SELECT id, v FROM things JOIN UNNEST(ints) AS u(v) ON v > 1 ORDER BY id',
      [
        ['1', '2'],
        ['2', '2'],
        ['2', '2'],
      ],
    ],
    [
      'SELECT id, v FROM things LEFT JOIN UNNEST(words) AS u(v) ON true ORDER BY id, v',
      [
        ['1', 'a'],
        ['1', 'b'],
        ['2', 'a'],
        ['3', null],
      ],
    ],
    ['SELECT COUNT(*) FROM things, UNNEST(things.ints) AS u(v)', [['4']]],
  ])('UNNEST follows the kind and the condition of its join: %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });
});

describe('times in zones', () => {
  test.each([
    [
      "SELECT HOUR(tz, 'Asia/Tokyo'), DAY(tz, 'Asia/Tokyo'), HOUR(tz) FROM things WHERE id = 1",
      ['5', '1', '20'],
    ],
    [
      "SELECT DATETRUNC('DAY', tz, 'MILLISECONDS', 'Asia/Tokyo') FROM things WHERE id = 1",
      ['1709218800000'],
    ],
  ])('a timestamp with a time zone is converted to the zone, not from it: %s', async (sql, row) => {
    expect(await rowsOf(sql)).toEqual([row]);
  });

  test('the hour that a zone repeats starts twice', async () => {
    const starts = [1_729_989_000_000, 1_729_992_600_000].map(
      (ms) => `DATETRUNC('HOUR', ${ms}, 'MILLISECONDS', 'Europe/Berlin')`,
    );
    expect(await rowsOf(`SELECT ${starts.join(', ')}`)).toEqual([
      ['1729987200000', '1729990800000'],
    ]);
  });

  test.each([
    ['2024-10-27 02:30', '1729989000000'],
    ['2024-10-27 03:30', '1729996200000'],
    ['2024-10-27 01:30', '1729985400000'],
    ['2024-03-31 03:30', '1711848600000'],
  ])('a time in the hour that a zone repeats is in the first one: %s', async (time, cell) => {
    const sql = `SELECT FROMDATETIME('${time}', 'yyyy-MM-dd HH:mm', 'Europe/Berlin')`;
    expect(await rowsOf(sql)).toEqual([[cell]]);
  });

  test.each([
    ["FROMDATETIME('12:30', 'HH:mm')", '45000000'],
    ["FROMDATETIME('03-05', 'MM-dd')", '952214400000'],
    ["FROMDATETIME('100', 'DDD')", '955238400000'],
    ["FROMDATETIME('day 2024', '''day'' yyyy')", '1704067200000'],
  ])('a pattern without a year has that of Joda-Time: %s', async (expression, cell) => {
    expect(await rowsOf(`SELECT ${expression}`)).toEqual([[cell]]);
  });
});

describe('comparisons and parameters', () => {
  test.each([
    ["l = '9007199254740993'", ['1']],
    ["l IN ('9007199254740992', '+7')", ['2']],
    ["l > ' 9007199254740992 '", ['1']],
    ["id = '2.0'", ['2']],
  ])('a whole number in quotes is compared with all its digits: %s', async (condition, ids) => {
    expect((await db.answer(`SELECT id FROM things WHERE ${condition}`)).column(0)).toEqual(ids);
  });

  test.each([
    'SELECT COALESCE(?, id) FROM things WHERE id = 2',
    'SELECT CASE WHEN id > 2 THEN ? ELSE id END FROM things WHERE id = 2',
    'SELECT GREATEST(COALESCE(?, id), id) FROM things WHERE id = 2',
  ])('a parameter that is null takes the type of the others: %s', async (sql) => {
    expect(await rowsOf(sql, [{ type: 'NULL', value: null }])).toEqual([['2']]);
  });
});

describe('functions', () => {
  test.each([
    ['ROUNDDECIMAL(1.005, 2)', '1.01'],
    ['ROUNDDECIMAL(-1.005, 2)', '-1.01'],
    ['ROUNDDECIMAL(0.285, 2)', '0.29'],
    ['ROUNDDECIMAL(125, -1)', '130'],
    ['ROUNDDECIMAL(1e25, 1)', '1e+25'],
    ['ROUNDDECIMAL(1e-20, 25)', '1e-20'],
    ['ROUNDDECIMAL(0 / 0, 1)', 'nan'],
    ["CONCAT(LTRIM('\n a'), RTRIM('b\t'))", 'ab'],
    [String.raw`REGEXP_REPLACE('a1', '([a-z])', '\$1')`, '$11'],
    [String.raw`REGEXP_REPLACE('a1', '([a-z])', '<$1\\>')`, String.raw`<a\>1`],
    ["ENCODEURL('~a*b c')", '%7Ea*b+c'],
    ["HAMMINGDISTANCE('für', 'fur')", '1'],
    ["LEVENSHTEINDISTANCE('für', 'fur')", '1'],
    ["LEVENSHTEINDISTANCE('Übergröße', 'ubergrosse')", '4'],
    ["LEVENSHTEINDISTANCE('', 'ü')", '1'],
    ["LEVENSHTEINDISTANCE('', '')", '0'],
    ["DATETIMECONVERT(1999 / 1000, '1:SECONDS:EPOCH', '1:SECONDS:EPOCH', '1:SECONDS')", '1'],
    [
      "DATETIMECONVERT(20240228 + 1, 'SIMPLE_DATE_FORMAT|yyyyMMdd', '1:DAYS:EPOCH', '1:DAYS')",
      '19782',
    ],
    [`JSON_EXTRACT_SCALAR('not JSON', '$.a', 'STRING', 'none')`, 'none'],
    [`JSON_EXTRACT_SCALAR('{"a": 7}', '$.a', 'INT', -1)`, '7'],
  ])('a function returns what Apache Pinot returns: %s', async (expression, cell) => {
    expect(await rowsOf(`SELECT ${expression}`)).toEqual([[cell]]);
  });

  test('distinct values of a multi-value column are those of all rows', async () => {
    const sql =
      'SELECT DISTINCTSUMMV(ints), DISTINCTAVGMV(ints), DISTINCTCOUNTMV(ints) FROM things';
    expect(await rowsOf(sql)).toEqual([['3', '1.5', '2']]);
  });

  test.each([
    ["REGEXP_LIKE(words, '^B', 'i')", ['1']],
    ["id < 'Infinity' AND id > '-Infinity'", ['1', '2', '3']],
    ["CONCATWS('-', day, 'x') IS NULL", ['3']],
  ])('a condition holds as in Apache Pinot: %s', async (condition, ids) => {
    const sql = `SELECT id FROM things WHERE ${condition} ORDER BY id`;
    expect((await db.answer(sql)).column(0)).toEqual(ids);
  });

  test('PERCENTILEEST of LONG values has all digits', async () => {
    const sql =
      'SELECT PERCENTILEEST(l, 99), PERCENTILEESTMV(a, 99) FROM (SELECT l, ARRAY[l] AS a FROM things)';
    expect(await rowsOf(sql)).toEqual([['9007199254740993', '9007199254740993']]);
  });

  test.each(['-10', '101', "'x'", "''"])('a percentage of %s is refused', async (percent) => {
    for (const name of ['PERCENTILE', 'PERCENTILEEST', 'PERCENTILETDIGEST']) {
      const { code, message } = await db.failure(`SELECT ${name}(id, ${percent}) FROM things`);
      expect([code, message]).toEqual([
        'QUERY_INVALID',
        expect.stringMatching(/ is not a percentage from 0 to 100\.$/),
      ]);
    }
  });

  test('ARRAY has the common type of its values', async () => {
    const answer = await db.answer("SELECT ARRAY[1, 2.5], ARRAY[1, 'a'], ARRAY[NULL, 1]");
    expect(answer.rows()).toEqual([
      [
        ['1', '2.5'],
        ['1', 'a'],
        [null, '1'],
      ],
    ]);
  });

  test('ARRAY_AGG leaves nulls out, and is empty without values', async () => {
    const sql = "SELECT ARRAY_AGG(l, 'LONG') FROM things WHERE id";
    expect(await rowsOf(`${sql} > 1`)).toEqual([[['9007199254740992']]]);
    expect(await rowsOf(`${sql} > 2`)).toEqual([[[]]]);
  });

  test('LAG and LEAD skip nulls with IGNORE NULLS', async () => {
    const windows = ['LAG', 'LEAD'].map((name) => `${name}(a) IGNORE NULLS OVER (ORDER BY id)`);
    const values = '(VALUES (1, 10), (2, NULL), (3, 30)) t(id, a)';
    expect(await rowsOf(`SELECT ${windows.join(', ')} FROM ${values} ORDER BY id`)).toEqual([
      [null, '30'],
      ['10', '30'],
      ['10', null],
    ]);
  });
});
