import type { RowRange } from '@quire/core';

/** The positions of the batches of a data file, which are contiguous. */
export interface BatchSpans {
  /** The usual number of rows in a batch. */
  readonly rowsPerBatch: number;
  /**
   * The end of each batch in rows, in order. Absent: all batches have `rowsPerBatch` rows, and the
   * last one as many or fewer.
   */
  readonly rowEnds?: readonly number[];
  /** The offset of the first batch message. */
  readonly firstOffset: number;
  /**
   * The end of each batch message, in order. Offsets rather than lengths, so that a page is planned
   * without adding up lengths.
   */
  readonly ends: readonly number[];
  /** CRC-32 of each batch message (ISO 3309, as zlib computes it). */
  readonly checksums: readonly number[];
}

/** Returns the rows of a batch; the last one may have fewer if there are no `rowEnds`. */
export function rowsOfBatch({ rowsPerBatch, rowEnds }: BatchSpans, index: number): RowRange {
  return rowEnds === undefined
    ? { start: index * rowsPerBatch, end: (index + 1) * rowsPerBatch }
    : { start: rowEnds[index - 1] ?? 0, end: rowEnds[index] ?? 0 };
}

/** Returns the index of the batch that contains a row of the file. */
export function batchOfRow({ rowsPerBatch, rowEnds }: BatchSpans, row: number): number {
  if (rowEnds === undefined) return Math.floor(row / rowsPerBatch);
  let [first, last] = [0, rowEnds.length - 1];
  while (first < last) {
    const middle = (first + last) >>> 1;
    if ((rowEnds[middle] ?? 0) > row) last = middle;
    else first = middle + 1;
  }
  return first;
}
