import { expect, test } from 'vitest';
import { namedResults } from '../src/named-results.ts';

test.each([
  ["FROM result('AB')", ['ab']],
  ["SELECT * FROM Result ( 'a' ) JOIN result('b') USING (n) JOIN result('a')", ['a', 'b']],
  ["SELECT 'it''s result(''a'')', \"result('b')\" -- result('c')\n FROM result('d')", ['d']],
  ["/* result('a') */ FROM result('b') /* result('c')", ['b']],
  ["SELECT 'open result('a')", []],
  ["FROM noresult('a'), result(id)", []],
  ['SELECT 1', []],
])('%s names %j', (sql, ids) => {
  expect(namedResults(sql)).toEqual(ids);
});

test('a text made to be slow to look through is not', () => {
  for (const piece of ['/*', "result('", '"\'', 'result( ', "'result("]) {
    const startMs = performance.now();
    namedResults(`result(${piece.repeat(200_000)}`);
    expect(performance.now() - startMs).toBeLessThan(2000);
  }
});
