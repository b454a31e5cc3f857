import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeSetStatements } from '../src/index.ts';

test.each([
  ['SELECT 1', 'SELECT 1', []],
  ['SET timeoutMs = 100; SELECT 1', 'SELECT 1', [['timeoutMs', '100']]],
  [
    "set a='x y';SET b=\"z\"; SELECT 'SET c = 1;'",
    "SELECT 'SET c = 1;'",
    [
      ['a', 'x y'],
      ['b', 'z'],
    ],
  ],
  ['SET a = 1; SET a = 2; SELECT 1', 'SELECT 1', [['a', '2']]],
  ['SET a = 1 SELECT 1', 'SET a = 1 SELECT 1', []],
  ['SELECT 1; SET a = 1;', 'SELECT 1; SET a = 1;', []],
  ['', '', []],
])('%j leaves %j', (text, sql, options) => {
  const taken = takeSetStatements(text);
  expect([taken.sql, [...taken.options]]).toEqual([sql, options]);
});

test('the query that is left is the end of the text as it was', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
      (rest, names) => {
        const query = `SELECT ${rest}`;
        const text = names.map((name) => `SET ${name} = 1; `).join('') + query;
        expect(takeSetStatements(text).sql.trimStart()).toBe(query.trimStart());
      },
    ),
  );
});
