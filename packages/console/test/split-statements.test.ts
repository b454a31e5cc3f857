import { expect, test } from 'vitest';
import { explained, isProfiled, profiled, splitStatements } from '../app/query/split-statements.ts';

test.each([
  ['', []],
  [' ;; -- nothing\n', []],
  ['SELECT 1', ['SELECT 1']],
  ['SELECT 1;', ['SELECT 1']],
  ["SELECT 'a;''b'; SELECT \"c;d\"", ["SELECT 'a;''b'", 'SELECT "c;d"']],
  ['SELECT 1 -- a;b\n; /* c;d */ SELECT 2', ['SELECT 1 -- a;b', '/* c;d */ SELECT 2']],
  ['SELECT $$a;b$$; SELECT $x$;$x$', ['SELECT $$a;b$$', 'SELECT $x$;$x$']],
  [
    "SET dialect = 'pinot'; SET a = 1; SELECT 1; SELECT 2",
    ["SET dialect = 'pinot'; SET a = 1; SELECT 1", 'SELECT 2'],
  ],
  ["SELECT 'not closed; SELECT 2", ["SELECT 'not closed; SELECT 2"]],
  [
    String.raw`SELECT E'it\'s; \\'; SELECT e'\';`,
    [String.raw`SELECT E'it\'s; \\'`, String.raw`SELECT e'\';`],
  ],
  [String.raw`SELECT name'\'; SELECT '\'`, [String.raw`SELECT name'\'`, String.raw`SELECT '\'`]],
  [
    String.raw`SELECT E'a''b\'; c'; SELECT E'd''`,
    [String.raw`SELECT E'a''b\'; c'`, "SELECT E'd''"],
  ],
  ["SELECT E'\\", ["SELECT E'\\"]],
])('the statements of %j are told apart', (text, expected) => {
  const statements = splitStatements(text);
  expect(statements.map(({ sql }) => sql)).toEqual(expected);
  for (const { sql, from } of statements) expect(text.slice(from, from + sql.length)).toBe(sql);
});

test('a literal may have any length', () => {
  const long = 'x'.repeat(10_000_000);
  const statements = [`SELECT '${long}'`, `SELECT "${long}"`, `SELECT E'${long}'`];
  expect(splitStatements(statements.join(';')).length).toBe(3);
});

test('EXPLAIN stands behind what a statement sets', () => {
  expect([
    explained('SELECT 1', 'EXPLAIN ANALYZE'),
    explained("SET dialect = 'pinot'; SELECT ';'", 'EXPLAIN PLAN FOR'),
  ]).toEqual(['EXPLAIN ANALYZE SELECT 1', "SET dialect = 'pinot'; EXPLAIN PLAN FOR SELECT ';'"]);
});

test('a statement is traced once, before what it sets itself', () => {
  const sql = 'SET useMultistageEngine = true; SELECT 1';
  expect(profiled(profiled(sql))).toBe(`SET trace = true; ${sql}`);
  expect([isProfiled(sql), isProfiled(profiled(sql))]).toEqual([false, true]);
});
