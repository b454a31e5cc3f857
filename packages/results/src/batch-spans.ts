/** Where the batches of a data file are: they lie one behind the other, and all but the last have the same number of rows. */
export interface BatchSpans {
  readonly rowsPerBatch: number;
  /** Byte at which the first batch message starts. */
  readonly firstOffset: number;
  /** Bytes of each batch message, in order. */
  readonly lengths: readonly number[];
  /** CRC-32 of each batch message (ISO 3309, as zlib computes it). */
  readonly checksums: readonly number[];
}
