import { expect, test } from 'vitest';
import { locateError } from '../app/query/locate-error.ts';

/** The part of a query that a message refers to. */
function meant(message: string, sql: string): string | undefined {
  const place = locateError(message, sql);
  return place === undefined ? undefined : sql.slice(place.from, place.to);
}

test('a mark below a quoted line is a place in that line of the query', () => {
  const sql = 'SELECT symbol,\n  pryce\nFROM stocks';
  const message =
    'Binder Error: Referenced column "pryce" not found in FROM clause!\n\nLINE 2:   pryce\n          ^';
  expect(meant(message, sql)).toBe('pryce');
});

test('of a line that is quoted in part the place is found all the same', () => {
  const sql = `SELECT ${'price, '.repeat(40)}pryce FROM stocks`;
  const message =
    'Binder Error: no such column\n\nLINE 1: ...price, price, pryce FROM stocks\n                         ^';
  expect(meant(message, sql)).toBe('pryce');
});

test('a table that does not exist is found by its name, whatever signs it has', () => {
  expect(
    meant('Table nosuch does not exist. There are cars.', 'SELECT nosuchcolumn FROM nosuch'),
  ).toBe('nosuch');
  expect(meant('Table a.b(c does not exist.', 'SELECT 1 FROM "a.b(c"')).toBe('a.b(c');
});

test('a message that names no place, or one that is not in the query, has none', () => {
  expect(meant('Out of Memory Error: the query took too much', 'SELECT 1')).toBeUndefined();
  expect(meant('x\n\nLINE 7: SELECT\n        ^', 'SELECT 1')).toBeUndefined();
  expect(meant('x\n\nLINE 1: something else\n        ^', 'SELECT 1')).toBeUndefined();
});

test('an end that is missing is marked at the last character', () => {
  expect(
    meant(
      'Parser Error: syntax error at end of input\n\nLINE 1: SELECT (\n                ^',
      'SELECT (',
    ),
  ).toBe('(');
});
