import { nextPage, previousPage, resolveRowRange } from '@quire/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const maxSafe = Number.MAX_SAFE_INTEGER;

describe('resolveRowRange', () => {
  test.each([
    [{ offset: 0, rowCount: 10 }, 100, { start: 0, end: 10 }],
    [{ offset: 95, rowCount: 10 }, 100, { start: 95, end: 100 }],
    [{ offset: 99, rowCount: 1 }, 100, { start: 99, end: 100 }],
    [{ offset: 100, rowCount: 10 }, 100, { start: 100, end: 100 }],
    [{ offset: 0, rowCount: 10 }, 0, { start: 0, end: 0 }],
    [{ offset: 3, rowCount: maxSafe }, 5, { start: 3, end: 5 }],
    [{ offset: maxSafe - 1, rowCount: maxSafe }, maxSafe, { start: maxSafe - 1, end: maxSafe }],
  ])('resolveRowRange: %j of %i rows', (page, totalRows, range) => {
    expect(resolveRowRange(page, totalRows)).toEqual(range);
  });

  test.each([
    [1, 0],
    [101, 100],
    [2 ** 31, 100],
    [maxSafe, 100],
  ])('offset %i of %i rows is out of range', (offset, totalRows) => {
    expect(() => resolveRowRange({ offset, rowCount: 1 }, totalRows)).toThrow(
      expect.objectContaining({
        code: 'OFFSET_OUT_OF_RANGE',
        message: expect.stringContaining(String(offset)) as string,
      }),
    );
  });
});

describe('nextPage and previousPage', () => {
  test('nextPage and previousPage give no page after the last row and none before the first', () => {
    expect(nextPage({ offset: 90, rowCount: 10 }, 100)).toBeUndefined();
    expect(nextPage({ offset: 89, rowCount: 10 }, 100)).toEqual({ offset: 99, rowCount: 10 });
    expect(nextPage({ offset: 0, rowCount: 10 }, 0)).toBeUndefined();
    expect(previousPage({ offset: 0, rowCount: 10 })).toBeUndefined();
    expect(previousPage({ offset: 4, rowCount: 10 })).toEqual({ offset: 0, rowCount: 4 });
    expect(previousPage({ offset: 25, rowCount: 10 })).toEqual({ offset: 15, rowCount: 10 });
  });

  test('walking on from row 0 sees each row once, whatever the page size', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 400 }), (totalRows, rowCount) => {
        const seen: number[] = [];
        for (
          let page = nextOrFirst(rowCount);
          page !== undefined;
          page = nextPage(page, totalRows)
        ) {
          const { start, end } = resolveRowRange(page, totalRows);
          for (let row = start; row < end; row += 1) seen.push(row);
        }
        expect(seen).toEqual(Array.from({ length: totalRows }, (_, row) => row));
      }),
    );
  });
});

function nextOrFirst(rowCount: number): ReturnType<typeof nextPage> {
  return { offset: 0, rowCount };
}
