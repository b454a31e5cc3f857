import type { QueryParameter } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const int = (value: number): QueryParameter => ({ type: 'INT', value });
const text = (value: string): QueryParameter => ({ type: 'STRING', value });

describe('a value for a parameter', () => {
  test.each<[QueryParameter, type: string, cell: string | null]>([
    [{ type: 'NULL', value: null }, 'Int32', null],
    [{ type: 'BOOLEAN', value: true }, 'Bool', 'true'],
    [int(-2_147_483_648), 'Int32', '-2147483648'],
    [{ type: 'LONG', value: '-9223372036854775808' }, 'Int64', '-9223372036854775808'],
    [{ type: 'DOUBLE', value: 0.1 }, 'Float64', '0.1'],
    [{ type: 'DOUBLE', value: '-Infinity' }, 'Float64', '-inf'],
    [{ type: 'BIG_DECIMAL', value: '-0.05' }, 'Decimal[3e+2]', '-0.05'],
    [{ type: 'BIG_DECIMAL', value: '9'.repeat(38) }, 'Decimal[38e0]', '9'.repeat(38)],
    [text("Robert'); DROP TABLE flights;--"), 'Utf8', "Robert'); DROP TABLE flights;--"],
    [text(''), 'Utf8', ''],
    [text('Ünï\u{1F600}'), 'Utf8', 'Ünï\u{1F600}'],
    [{ type: 'DATE', value: '0001-01-01' }, 'Date32<DAY>', '0001-01-01'],
    [
      { type: 'TIMESTAMP', value: '2024-02-29 23:59:59.000123' },
      'Timestamp<MICROSECOND>',
      '2024-02-29 23:59:59.000123',
    ],
    [
      { type: 'TIMESTAMP', value: '1969-12-31T23:59:59.5Z' },
      'Timestamp<MICROSECOND>',
      '1969-12-31 23:59:59.5',
    ],
    [
      { type: 'TIMESTAMP', value: '2024-02-29 00:00:00.000000001' },
      'Timestamp<NANOSECOND>',
      '2024-02-29 00:00:00.000000001',
    ],
    [{ type: 'BYTES', value: '00ff' }, 'Binary', '00FF'],
  ])('a parameter with the value %j is of type %s in SQL', async (value, type, cell) => {
    const answer = await db.answer('SELECT ? AS v', [value]);

    expect([answer.columns, answer.rows()]).toEqual([[`v: ${type}`], [[cell]]]);
  });

  test('a value for a parameter stands wherever a value may: in filters, limits, table functions and common table expressions', async () => {
    const sql =
      'WITH t AS (SELECT i FROM range($1) AS r(i)) SELECT i + $3 AS i FROM t WHERE i > $2 ORDER BY i LIMIT $4 -- the end;';
    const answer = await db.answer(sql, [int(100), int(10), int(1000), int(2)]);

    expect(answer.rows()).toEqual([['1011'], ['1012']]);
  });

  test('a value for a parameter is found by its name, in upper or lower case, as often as the query has it', async () => {
    const answer = await db.answer('SELECT $from AS a, $FROM + 1 AS b, $n AS c;', {
      From: int(1),
      n: text('x'),
    });

    expect(answer.rows()).toEqual([['1', '2', 'x']]);
  });

  test('a value for a parameter that is text is compared with dates, times and numbers as a literal is', async () => {
    const sql = `SELECT DATE '2024-02-01' > $1 AS a, TIMESTAMP '2024-02-01 00:00:00' > $1 AS b, 15 > $2 AS c`;
    const answer = await db.answer(sql, [text('2024-01-31'), text('2')]);

    expect(answer.rows()).toEqual([['true', 'true', 'true']]);
  });

  test('a value for a parameter works where columns must be cast, and where they share a name', async () => {
    const answer = await db.answer('SELECT to_days(?) AS a, ? AS a, ?::TIMETZ AS b; -- why not', [
      int(3),
      int(4),
      text('01:02:03+00'),
    ]);

    expect(answer.columns).toEqual(['a: Utf8', 'a: Int32', 'b: Utf8']);
    expect(answer.rows()).toEqual([['3 days', '4', '01:02:03+00']]);
  });

  test('a value for a parameter is never part of the SQL: a name of a table or a file in it stays text', async () => {
    for (const sql of [
      'SELECT * FROM query_table($1)',
      'SELECT * FROM query($1)',
      'SELECT * FROM read_csv($1)',
      'SELECT getenv($1)',
    ]) {
      await expect(db.failure(sql, [text('/etc/passwd')])).resolves.toMatchObject({
        code: 'QUERY_INVALID',
      });
    }
  });
});

describe('a query fails', () => {
  test.each([
    ['SELECT ?, ?', [int(1)], 'The query has 2 parameters, but was given 1 value.'],
    ['SELECT 1', [int(1)], 'The query has 0 parameters, but was given 1 value.'],
    ['SELECT ?', undefined, 'The query has 1 parameter, but was given 0 values.'],
    ['SELECT $1, $3', [int(1), int(2)], 'The query has the parameter $3, but not $2.'],
    ['SELECT $x', [], 'The query has the parameter $x: expected a value for it.'],
    ['SELECT $x', [int(1)], 'The query has the parameter $x: expected values by name, not a list.'],
    [
      'SELECT $x, $y',
      { x: int(1) },
      'The query has the parameter $y, but no value was given for it.',
    ],
    [
      'SELECT $x',
      { x: int(1), Z: int(2) },
      'A value was given for $z, but the query has no such parameter.',
    ],
    [
      'SELECT $x',
      { x: int(1), X: int(2) },
      'Two values were given for one parameter: names are case-insensitive.',
    ],
    ['SELECT ?', [text('a\0b')], 'The value of parameter 1 contains a NUL character.'],
  ])('a query fails when %s is given the values %j', async (sql, parameters, message) => {
    await expect(db.failure(sql, parameters)).resolves.toMatchObject({
      code: 'QUERY_INVALID',
      message,
    });
  });

  test('a query fails with what DuckDB says of a value, at the start and in mid-stream', async () => {
    const late = `SELECT CASE WHEN i = $1 THEN CAST($2 AS INTEGER) ELSE i END AS v FROM range(20000) AS t(i)`;

    await expect(db.failure('SELECT CAST(? AS INTEGER)', [text('x')])).resolves.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining("Could not convert string 'x' to INT32"),
    });
    await expect(
      db.failure(late.replace('CAST($2 AS INTEGER)', 'error($2)'), [
        int(15_000),
        text('on purpose'),
      ]),
    ).resolves.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining('on purpose'),
    });
  });
});

describe('types of parameters', () => {
  const none = (count: number): QueryParameter[] =>
    Array.from({ length: count }, () => ({ type: 'NULL', value: null }));

  test.each([
    [
      'SELECT 1 WHERE 1::TINYINT = ? OR 2::BIGINT < ? OR ? > 3::UBIGINT',
      ['INT', 'LONG', 'BIG_DECIMAL'],
    ],
    [
      "SELECT 1 WHERE upper(?) = 'X' OR ? <> 1.5::DECIMAL(5, 1) OR ?",
      ['STRING', 'BIG_DECIMAL', 'BOOLEAN'],
    ],
    [
      "SELECT 1 WHERE DATE '2001-02-03' = ? OR now() > ? OR ''::BLOB = ?",
      ['DATE', 'TIMESTAMP', 'BYTES'],
    ],
    ['SELECT i FROM range(9) AS t(i) WHERE i BETWEEN $2 AND $1 LIMIT $3', ['LONG', 'LONG', 'LONG']],
    ['SELECT ?, i FROM range(3) AS t(i) WHERE i > ?', ['NULL', 'LONG']],
  ])('of %s are %j', async (sql, types) => {
    await using execution = await db.execute(sql, undefined, none(types.length));
    expect(execution.parameterTypes).toEqual(types);
  });

  test('types of parameters with names are not known, and absent without parameters', async () => {
    await using named = await db.execute('SELECT 1 = $n', undefined, { n: int(1) });
    await using plain = await db.execute('SELECT 1');
    expect([named.parameterTypes, plain.parameterTypes]).toEqual([undefined, undefined]);
  });
});

test('a query is described without being run, with sums as numbers of 64 bits', async () => {
  const endless =
    'SELECT count(*) AS n, sum(i) AS total FROM range(1000000000000) AS t(i) WHERE i > ?';
  const query = { sql: endless, parameters: [int(1)] };
  const { schema, parameterTypes } = await db.engine.describe(query, {
    limits: { timeoutMs: 60_000 },
  });
  expect([String(schema), parameterTypes]).toEqual([
    'Schema<{ 0: n: Int64, 1: total: Int64 }>',
    ['LONG'],
  ]);
  const missing = db.engine.describe({ sql: 'SELECT nope' }, { limits: { timeoutMs: 60_000 } });
  await expect(missing).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' });
});
