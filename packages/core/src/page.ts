import { QuireError } from './errors.ts';

/** Half-open range of rows `[start, end)` of a result. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** A page request: `rowCount` rows from row `offset`; both are integers ≥ 0. */
export interface PageRequest {
  readonly offset: number;
  readonly rowCount: number;
}

/**
 * Limits a page request to the existing rows. An `offset` equal to `totalRows` gives an empty
 * range.
 *
 * @throws INVALID_PARAMETER when `offset` is not an integer ≥ 0, or `rowCount` is not
 * @throws OFFSET_OUT_OF_RANGE when `offset` is past the end of the result; the message shows
 *   `shownOffset`, because text may have more digits
 */
export function resolveRowRange(
  page: PageRequest,
  totalRows: number,
  shownOffset = String(page.offset),
): RowRange {
  checkCount('offset', page.offset);
  checkCount('rowCount', page.rowCount);
  if (page.offset > totalRows) {
    throw new QuireError(
      'OFFSET_OUT_OF_RANGE',
      `offset ${shownOffset} is past the end of the result, which has ${totalRows} rows.`,
    );
  }
  // offset + rowCount may exceed 2^53, where sums are inexact: compare the remaining rows instead.
  const remainingRows = totalRows - page.offset;
  return { start: page.offset, end: page.offset + Math.min(page.rowCount, remainingRows) };
}

/** Returns the page after this one with the same page size, or undefined when no row follows. */
export function nextPage(page: PageRequest, totalRows: number): PageRequest | undefined {
  const { end } = resolveRowRange(page, totalRows);
  return end < totalRows ? { offset: end, rowCount: page.rowCount } : undefined;
}

/**
 * Returns the page before this one with the same page size; at the front, the rows before this one;
 * undefined if there are none.
 */
export function previousPage(page: PageRequest): PageRequest | undefined {
  if (page.offset <= 0) return undefined;
  // The first page may be shorter than a page, so that no row is served twice.
  const rowCount = Math.min(page.rowCount, page.offset);
  return { offset: page.offset - rowCount, rowCount };
}

function checkCount(name: keyof PageRequest, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `${name} is ${String(value)}; expected an integer, 0 or more.`,
  );
}
