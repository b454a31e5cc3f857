import { expect, test } from 'vitest';
import { planPage } from '../src/plan-page.ts';

const spans = {
  rowsPerBatch: 100,
  firstOffset: 40,
  ends: [140, 340, 350],
  checksums: [11, 22, 33],
};

test('a page within one batch touches that batch alone', () => {
  expect(planPage(spans, { start: 110, end: 120 })).toEqual({
    rows: { start: 110, end: 120 },
    bytes: { start: 140, end: 340 },
    batches: [
      {
        index: 1,
        bytes: { start: 140, end: 340 },
        checksum: 22,
        rows: { start: 10, end: 20 },
        rowCountMax: 100,
      },
    ],
  });
});

test('a page over a batch edge touches both and trims each', () => {
  expect(planPage(spans, { start: 99, end: 201 })).toEqual({
    rows: { start: 99, end: 201 },
    bytes: { start: 40, end: 350 },
    batches: [
      {
        index: 0,
        bytes: { start: 40, end: 140 },
        checksum: 11,
        rows: { start: 99, end: 100 },
        rowCountMax: 100,
      },
      {
        index: 1,
        bytes: { start: 140, end: 340 },
        checksum: 22,
        rows: { start: 0, end: 100 },
        rowCountMax: 100,
      },
      {
        index: 2,
        bytes: { start: 340, end: 350 },
        checksum: 33,
        rows: { start: 0, end: 1 },
        rowCountMax: 100,
      },
    ],
  });
});

test('a page that ends on a batch edge leaves the next batch alone', () => {
  expect(planPage(spans, { start: 0, end: 100 }).bytes).toEqual({ start: 40, end: 140 });
});

test('an empty page touches nothing', () => {
  expect(planPage(spans, { start: 205, end: 205 })).toEqual({
    rows: { start: 205, end: 205 },
    bytes: { start: 40, end: 40 },
    batches: [],
  });
});

test('a page over batches of different lengths is found by their ends in rows', () => {
  // Batches of 100, 3, 1 and 500 rows.
  const uneven = {
    rowsPerBatch: 100,
    rowEnds: [100, 103, 104, 604],
    firstOffset: 40,
    ends: [140, 340, 350, 400],
    checksums: [11, 22, 33, 44],
  };
  const rowsOf = (start: number, end: number): unknown =>
    planPage(uneven, { start, end }).batches.map(({ index, rows, rowCountMax }) => [
      index,
      rows.start,
      rows.end,
      rowCountMax,
    ]);
  expect(rowsOf(0, 604)).toEqual([
    [0, 0, 100, 100],
    [1, 0, 3, 3],
    [2, 0, 1, 1],
    [3, 0, 500, 500],
  ]);
  expect(rowsOf(102, 105)).toEqual([
    [1, 2, 3, 3],
    [2, 0, 1, 1],
    [3, 0, 1, 500],
  ]);
  expect(rowsOf(603, 604)).toEqual([[3, 499, 500, 500]]);
  expect(rowsOf(99, 100)).toEqual([[0, 99, 100, 100]]);
  expect(planPage(uneven, { start: 103, end: 104 }).bytes).toEqual({ start: 340, end: 350 });
});
