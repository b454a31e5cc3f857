/**
 * Writes the cell of a row into `bytes` from `position`, where the caller has ensured enough space;
 * returns the position after it.
 */
export type WriteCell = (bytes: Uint8Array, position: number, row: number) => number;

/**
 * The writer of one column's cells: a closure over the column's buffers and kind, so that a row
 * costs one call for each column.
 *
 * The caller ensures space for `widthMax` bytes, and if there is a `widthOf`, for its result as
 * well. It calls `widthOf` once, before `write` or `piecesOf`.
 */
export interface CellWriter {
  readonly widthMax: number;
  readonly widthOf: ((row: number) => number) | undefined;
  readonly write: WriteCell;
  /**
   * Yields what `write` writes, in pieces that are each valid until the next one is requested: for
   * long texts, which then need little memory. Absent: values are never long.
   */
  readonly piecesOf?: ((row: number) => Iterable<Uint8Array>) | undefined;
}
