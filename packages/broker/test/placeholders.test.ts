import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { placeholderCountOf } from '../src/flight/placeholders.ts';

test.each([
  ['SELECT 1', 0],
  ['SELECT ? + ?', 2],
  ['SELECT $2 + $1 + $2', 2],
  [`SELECT '?', "?" -- ?\n, ? /* ? */`, 1],
  ['SELECT 1 -- ?\r, ?', 1],
  ['SELECT $$what?$$ AS x', 0],
  ['SELECT $tag$ ? $$ ? $tag$, ?', 1],
  ['SELECT $é$ ? $é$', 0],
  ['SELECT $$open ?', 0],
  [String.raw`SELECT E'\'?', e'''?\'?', ?`, 1],
  ["SELECT name'?', ?", 1],
  ['SELECT x$1 FROM t', 0],
  ['SELECT $name', 0],
  ['SELECT a FROM t WHERE b =\u00a0$1 AND c <\u2009$2 LIMIT\u3000$3', 3],
  [`SELECT $65535`, 65_535],
])('%s has %d parameters', (sql, count) => {
  expect(placeholderCountOf(sql)).toBe(count);
});

test.each(['$65536', '$99999999', `$${'9'.repeat(400)}`, '?,'.repeat(65_536)])(
  'a statement with a parameter of too high a number is refused: %.9s',
  (parameters) => {
    expect(() => placeholderCountOf(`SELECT ${parameters}`)).toThrow(
      new QuireError(
        'QUERY_INVALID',
        'The statement has more than 65535 parameters, which is the limit.',
      ),
    );
  },
);

/** If the pattern backtracked at each piece, this would take minutes. */
test.each(['$a$', "E'\\", "E'''", '/*', '$a', "'", '$$b', 'e'])(
  'a text that repeats %s is looked through once',
  (piece) => {
    expect(placeholderCountOf(`${piece.repeat(300_000)}?`)).toBeLessThan(2);
  },
);

test.each(["E'", "'", '"', '$$'])('a text that opens with %s may have any length', (opening) => {
  const closing = opening.replace('E', '');
  const text = opening + 'x'.repeat(20_000_000) + closing;
  expect(placeholderCountOf(`SELECT ${text}, ?`)).toBe(1);
});
