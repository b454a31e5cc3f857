/** What one preview may take. */
export interface PreviewLimits {
  /** Most rows that are looked at. */
  readonly rowsMax: number;
  /** Most bytes that are read of all files together, as they are after decompression. */
  readonly bytesMax: number;
  /** Longest row of a file, in bytes. */
  readonly rowBytesMax: number;
  /** Most files that are read. */
  readonly filesMax: number;
  /** Most digits of an integer. */
  readonly digitsMax: number;
  /** Largest value of a row, in bytes; characters count as one. */
  readonly valueBytesMax: number;
  /** Most columns of all rows together, those of nested objects among them. */
  readonly columnsMax: number;
  /** Most bytes of the values of all rows, and again of everything that is made of them on the way. */
  readonly rowsBytesMax: number;
  /** Most bytes of the answer. */
  readonly answerBytesMax: number;
  readonly timeMaxMs: number;
}

/** The limits that hold where nobody sets others. */
export const previewLimits: PreviewLimits = {
  rowsMax: 10_000,
  bytesMax: 64 * 1024 * 1024,
  rowBytesMax: 4 * 1024 * 1024,
  filesMax: 100,
  digitsMax: 1_000,
  valueBytesMax: 4 * 1024 * 1024,
  columnsMax: 5_000,
  rowsBytesMax: 64 * 1024 * 1024,
  answerBytesMax: 32 * 1024 * 1024,
  timeMaxMs: 30_000,
};
