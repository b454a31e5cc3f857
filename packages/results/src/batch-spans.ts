/**
 * The positions of the batches of a data file. They are contiguous, and all but the last have the
 * same number of rows.
 */
export interface BatchSpans {
  readonly rowsPerBatch: number;
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
