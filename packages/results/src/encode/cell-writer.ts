/**
 * Writes the cell of a row into `bytes` from `position` on, where its caller has made room; returns
 * the position behind it.
 */
export type WriteCell = (bytes: Uint8Array, position: number, row: number) => number;

/**
 * What writes one column's cells: a closure with the column's buffers and kind already chosen, so
 * that a row is one call a column.
 *
 * A row's caller makes room for `widthMax` bytes, and where there is a `widthOf`, for as many more
 * as that says of the row; it asks once, before it writes.
 */
export interface CellWriter {
  readonly widthMax: number;
  readonly widthOf: ((row: number) => number) | undefined;
  readonly write: WriteCell;
}
