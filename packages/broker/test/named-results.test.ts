import { expect, test } from 'vitest';
import { namedResults } from '../src/named-results.ts';

test.each([
  ["FROM result('AB')", ['ab']],
  ["SELECT * FROM Result ( 'a' ) JOIN result('b') USING (n) JOIN result('a')", ['a', 'b']],
  ["SELECT 'it''s result(''a'')', \"result('b')\" -- result('c')\n FROM result('d')", ['d']],
  ["/* result('a') */ FROM result('b') /* result('c')", ['b']],
  [String.raw`SELECT $$result('a')$$, $x$result('b')$x$, E'\' result(' FROM result('d')`, ['d']],
  ["FROM été_result('a'), x$result('b'), main.result('c')", ['c']],
  // Spaces of texts that were copied from documents, which DuckDB reads as spaces.
  ["SELECT *\u00a0FROM\u00a0result('a') JOIN\u3000result('b'), \ufeffresult('c')", ['a', 'b', 'c']],
  ["SELECT 'open result('a')", []],
  ["FROM noresult('a'), result(id)", []],
  ['SELECT 1', []],
])('%s names %j', (sql, ids) => {
  expect(namedResults(sql)).toEqual(ids);
});

/**
 * If the pattern backtracked at each piece, 1.6 MB would take minutes, and the test would time out.
 */
test.each(['/*', "result('", "'\"'", 'result( ', '"\'result(', '$a$', "E'\\"])(
  'a text that repeats %s is looked through once',
  (piece) => {
    expect(namedResults(`result(${piece.repeat(200_000)}`)).toEqual([]);
  },
);
