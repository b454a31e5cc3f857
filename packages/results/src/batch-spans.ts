/**
 * Where the batches of a data file are: they lie one behind the other, and all but the last have
 * the same number of rows.
 */
export interface BatchSpans {
  readonly rowsPerBatch: number;
  /** Byte at which the first batch message starts. */
  readonly firstOffset: number;
  /**
   * Byte at which each batch message ends, in order: offsets, not lengths, so that a page is
   * planned without a sum.
   */
  readonly ends: readonly number[];
  /** CRC-32 of each batch message (ISO 3309, as zlib computes it). */
  readonly checksums: readonly number[];
}
