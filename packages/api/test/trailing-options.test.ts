import { expect, test } from 'vitest';
import { parseTrailingOptions } from '../src/index.ts';

test.each<readonly [sql: string, options: Readonly<Record<string, string>>]>([
  ['SELECT 1', {}],
  ['SELECT 1 OPTION(timeoutMs=250)', { timeoutMs: '250' }],
  [`SELECT 1\noption ( a = 'b' , c.d="e f" ) ; `, { a: 'b', 'c.d': 'e f' }],
  ['SELECT 1 OPTION(a=1) OPTION(b=2, a=3)', { a: '3', b: '2' }],
  ['SELECT 1 OPTION(a=1) -- the end', { a: '1' }],
  ['SELECT 1 OPTION(a=1) /* the end */;', { a: '1' }],
  ['SELECT 1 -- OPTION(a=1)', {}],
  ['SELECT 1 // OPTION(a=1)', {}],
  ["SELECT 1 // it's OPTION(a=1)", {}],
  ['SELECT 1 /* OPTION(a=1) */', {}],
  ['SELECT 1 -- x\r OPTION(a=1)', { a: '1' }],
  ["SELECT * FROM t WHERE u = 'https://x--y' OPTION(a=1)", { a: '1' }],
  ["SELECT 'OPTION(a=1)'", {}],
  ['SELECT 1 OPTION(a=1) LIMIT 1', {}],
  ['SELECT my_option(a=1)', {}],
  ["SELECT 1 OPTION(, a b=1, =2, 3, c=, d==' ')", { c: '', d: "=' '" }],
])('the options of %j are those of its end', (sql, options) => {
  expect(Object.fromEntries(parseTrailingOptions(sql))).toEqual(options);
});

/** If they were looked for from the end, or by backtracking, these would take hours. */
test.each(['option()', ' OPTION(a=b)', 'option(', 'option() ', 'option( ', '/*', "'", '-- ', 'x '])(
  'a text that repeats %j is looked through once',
  (piece) => {
    const sql = `SELECT option()${' '.repeat(300_000)}x ${piece.repeat(100_000)}`;
    expect(parseTrailingOptions(sql).size).toBeLessThan(2);
  },
);

/** A pattern that looked for the end of a value at each space would take minutes. */
test('values with many spaces are read in one pass', () => {
  const value = `b${' '.repeat(3_900)}c`;
  const options = parseTrailingOptions(`SELECT 1 ${`OPTION(a=${value})`.repeat(10_000)}`);
  expect([...options]).toEqual([['a', value]]);
});
