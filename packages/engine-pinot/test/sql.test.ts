import { describe, expect, test } from 'vitest';
import { planSelection } from '../src/query/plan-selection.ts';
import {
  assertQuery,
  sqlTokens,
  withoutRowLimit,
  withoutRows,
  wordsOf,
} from '../src/query/sql-tokens.ts';

const all = 'LIMIT 2147483647';

test('the words of a query have its tables among them, and nothing of texts and comments', () => {
  const sql = `SELECT a."b c", 'FROM x' FROM db.t1 -- of y\n JOIN "Other" /* z */ WHERE q = 'it''s'`;
  expect([...wordsOf(sqlTokens(sql))]).toEqual([
    'select',
    'a.',
    'b c',
    'from',
    'db.t1',
    'join',
    'other',
    'where',
    'q',
  ]);
});

test.each([
  ['SELECT a FROM t', `SELECT a FROM t ${all}`],
  ['SELECT a FROM t ; ', `SELECT a FROM t ${all}`],
  ['SELECT a FROM t -- LIMIT 5', `SELECT a FROM t ${all}`],
  ['SELECT a FROM t // all', `SELECT a FROM t ${all}`],
  ['SELECT a // LIMIT 1\rFROM t -- LIMIT 5\r', `SELECT a // LIMIT 1\rFROM t ${all}`],
  ['SELECT a FROM t -- all\rWHERE b = 1', `SELECT a FROM t -- all\rWHERE b = 1 ${all}`],
  ['SELECT a FROM t /* LIMIT 5', `SELECT a FROM t ${all}`],
  ["SELECT 'LIMIT' FROM t", `SELECT 'LIMIT' FROM t ${all}`],
  ['SELECT a FROM (SELECT a FROM t LIMIT 3)', `SELECT a FROM (SELECT a FROM t LIMIT 3) ${all}`],
  ['WITH x AS (SELECT 1) SELECT * FROM x', `WITH x AS (SELECT 1) SELECT * FROM x ${all}`],
])('%s asks for all rows', (sql, expected) => {
  expect(withoutRowLimit(sql, sqlTokens(sql))).toBe(expected);
});

test.each([
  'SELECT a FROM t LIMIT 5',
  'SELECT a FROM t fetch first 3 rows only',
  'EXPLAIN PLAN FOR SELECT 1',
  'SET a=1; SELECT 1',
])('%s stays as it is', (sql) => {
  expect(withoutRowLimit(sql, sqlTokens(sql))).toBe(sql);
});

test.each([
  ['SELECT a FROM t', 'SELECT a FROM t LIMIT 0'],
  ['SELECT a FROM t LIMIT 5;', 'SELECT a FROM t LIMIT 0'],
  ['SELECT a FROM t LIMIT 5, 10', 'SELECT a FROM t LIMIT 0'],
  ['SELECT a FROM t ORDER BY a limit 5 offset 10 -- all', 'SELECT a FROM t ORDER BY a LIMIT 0'],
  ['SELECT a FROM (SELECT a FROM t LIMIT 3)', 'SELECT a FROM (SELECT a FROM t LIMIT 3) LIMIT 0'],
  ['WITH x AS (SELECT 1) SELECT * FROM x', 'WITH x AS (SELECT 1) SELECT * FROM x LIMIT 0'],
])('%s is planned without rows', (sql, expected) => {
  expect(withoutRows(sql, sqlTokens(sql))).toBe(expected);
});

test.each([
  'SET a=1; SELECT 1',
  'EXPLAIN PLAN FOR SELECT 1',
  'SELECT a FROM t LIMIT 5 OPTION(timeoutMs=1)',
  'SELECT a FROM t OPTION(timeoutMs=1)',
  'SELECT a FROM t FETCH FIRST 3 ROWS ONLY',
  'SELECT a FROM t LIMIT (1)',
  '',
])('%s is not planned without rows', (sql) => {
  expect(withoutRows(sql, sqlTokens(sql))).toBeUndefined();
});

describe('a selection segment by segment', () => {
  test.each([
    ['SELECT * FROM t', 't', `SELECT * FROM t WHERE $segmentName = 'it''s' ${all}`],
    [
      'select a, b AS c from "my t";',
      'my t',
      `select a, b AS c from "my t" WHERE $segmentName = 'it''s' ${all}`,
    ],
    [
      'SELECT a FROM /* the table */ t',
      't',
      `SELECT a FROM /* the table */ t WHERE $segmentName = 'it''s' ${all}`,
    ],
    [
      'SELECT a FROM -- c\n `my t` -- d\rWHERE b = 1 // e',
      'my t',
      `SELECT a FROM -- c\n \`my t\` WHERE ( b = 1\n) AND $segmentName = 'it''s' ${all}`,
    ],
    [
      "SELECT a FROM t WHERE x > 1 OR lower(y) = 'o' -- no",
      't',
      `SELECT a FROM t WHERE ( x > 1 OR lower(y) = 'o'\n) AND $segmentName = 'it''s' ${all}`,
    ],
  ])('a selection segment by segment: %s', (sql, tableName, expected) => {
    const plan = planSelection(sql, sqlTokens(sql));
    expect(plan?.tableName).toBe(tableName);
    expect(plan?.sqlOf("it's")).toBe(expected);
  });

  test.each([
    'SELECT count(*) FROM t',
    'SELECT DISTINCT a FROM t',
    'SELECT a FROM t ORDER BY a',
    'SELECT a FROM t LIMIT 5',
    'SELECT a FROM t, u',
    'SELECT a FROM t AS x',
    'SELECT a FROM t WHERE a IN (SELECT b FROM u)',
    'SELECT a FROM t GROUP BY a',
    'SELECT a FROM (SELECT a FROM t)',
    'SELECT a FROM t; SELECT b FROM t',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'SELECT 1',
  ])('a selection segment by segment is not planned for %s', (sql) => {
    expect(planSelection(sql, sqlTokens(sql))).toBeUndefined();
  });
});

describe('a broker is sent', () => {
  // A pattern that backtracked in each piece would take hours for these.
  test.each(['insert from ', '/*', "'", '"'])(
    'a broker is sent a text that repeats %j after it was looked through once',
    (piece) => {
      const sql = `SELECT ${piece.repeat(100_000)}`;
      expect(() => assertQuery(sql, sqlTokens(sql))).not.toThrow();
    },
  );

  test.each([
    'SELECT 1',
    '(SELECT 1)',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'EXPLAIN PLAN FOR SELECT 1',
    'SET a = 1; SELECT 1;',
    "SELECT file FROM t WHERE kind = 'insert'",
  ])('a broker is sent queries: %s', (sql) => {
    expect(() => assertQuery(sql, sqlTokens(sql))).not.toThrow();
  });

  test.each([
    "INSERT INTO t FROM FILE 's3://x'",
    "insert/**/into t from/**/file 'x'",
    "SET taskName = 'x'; INSERT INTO t FROM FILE 'x'",
    "SELECT ' -- '' FROM t; INSERT INTO t FROM FILE 'x'",
    'DROP TABLE t',
    'SHOW TABLES',
  ])('a broker is sent nothing that changes or lists: %s', (sql) => {
    expect(() => assertQuery(sql, sqlTokens(sql))).toThrow(
      expect.objectContaining({ code: 'QUERY_INVALID' }),
    );
  });
});
