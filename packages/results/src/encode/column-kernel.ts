/** Rows that are encoded together: their text should fit the processor's nearest cache. */
export const blockRows = 256;

/**
 * Writes the cells of one column, a block of rows at a time: first all widths, then all texts, each to its place in the rows.
 *
 * One loop a column, so that its body is compiled for one kind of value; and no text is moved once it is written.
 */
export interface ColumnKernel {
  /** Adds the bytes of the cell of row `start + index` to `widths[index]`, for `count` rows; remembers what `write` needs. */
  measure(start: number, count: number, widths: Int32Array): void;
  /** Writes the cells measured last at `positions[index]`, and moves each position behind its cell. */
  write(start: number, count: number, bytes: Uint8Array, positions: Int32Array): void;
}

/** Tells of each row whether it has a value; undefined when all have. */
export type Validity = ((row: number) => boolean) | undefined;
