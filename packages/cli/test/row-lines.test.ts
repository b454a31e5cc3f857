import { expect, it } from 'vitest';
import { tabbedHeader, tabbedRow } from '../src/row-lines.ts';

it('a row is one line of cells with tabs between them', () => {
  expect(tabbedRow(['a', 1, 9223372036854775807n, true, 0.5])).toBe(
    'a\t1\t9223372036854775807\ttrue\t0.5\n',
  );
});

it('NULL differs from every text, and no cell breaks the line', () => {
  expect(tabbedRow([null, '\\N', 'NULL', '', 'a\tb\nc\rd\\'])).toBe(
    '\\N\t\\\\N\tNULL\t\ta\\tb\\nc\\rd\\\\\n',
  );
});

it('arrays and maps are JSON with all digits', () => {
  expect(tabbedRow([[1, null, 9223372036854775807n], { 'a"': Number.NaN }])).toBe(
    '[1,null,9223372036854775807]\t{"a\\\\"":"NaN"}\n',
  );
});

it('−0 has its sign, also within arrays and maps', () => {
  expect(tabbedRow([-0, [-0, 0], { a: -0 }])).toBe('-0\t[-0,0]\t{"a":-0}\n');
});

it('the header is a line of the same kind', () => {
  expect(
    tabbedHeader([
      { name: 'a\tb', dataType: 'INT' },
      { name: 'c', dataType: 'INT' },
    ]),
  ).toBe('a\\tb\tc\n');
});
