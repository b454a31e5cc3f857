import { Binary, Int32, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { columnOf, csvCellsOf, textColumnOf } from './column-builder.ts';

const isSecond = (row: number): boolean => row === 1;

test('in a lone column of texts, a null differs from empty text and from text that looks like it', async () => {
  expect(await csvCellsOf(textColumnOf(new Utf8(), ['', 'null', 'a'], isSecond))).toEqual([
    '""',
    '\\N',
    'a',
  ]);
  const texts = ['\\N', 'null', '', '\\NN', 'x\\N', 'a,b'];
  expect(await csvCellsOf(textColumnOf(new Utf8(), texts, isSecond))).toEqual([
    '"\\N"',
    '\\N',
    '""',
    '\\NN',
    'x\\N',
    '"a,b"',
  ]);
});

test('so it does in one of bytes, and is empty text where values cannot be empty', async () => {
  expect(await csvCellsOf(textColumnOf(new Binary(), ['', 'null', 'a'], isSecond))).toEqual([
    '""',
    '\\N',
    '61',
  ]);
  expect(await csvCellsOf(columnOf(new Int32(), 2, Int32Array.of(1, 2), isSecond))).toEqual([
    '1',
    '""',
  ]);
});
