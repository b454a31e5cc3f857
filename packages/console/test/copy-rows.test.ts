import { expect, test } from 'vitest';
import { copiedRowsMax, selectedRows } from '../app/query/copy-rows.ts';

const upTo = (end: number) => ({ ranges: [{ start: 0, end }] });

test('the selected rows are copied, as many as the clipboard is for, else the current row', () => {
  expect(selectedRows({ ranges: [...upTo(2).ranges, { start: 4, end: 6 }] }, 9, 10)).toEqual([
    0, 1, 4, 5,
  ]);
  expect(selectedRows(upTo(2 * copiedRowsMax), 0, 2 * copiedRowsMax)).toHaveLength(copiedRowsMax);
  expect(selectedRows({ ranges: [] }, 9, 10)).toEqual([9]);
});

test('no row is copied that the rows shown do not have, as after a filter', () => {
  expect(selectedRows(upTo(5), 0, 2)).toEqual([0, 1]);
  expect(selectedRows({ ranges: [{ start: 3, end: 5 }] }, 0, 2)).toEqual([]);
  expect(selectedRows({ ranges: [] }, 2, 2)).toEqual([]);
});
