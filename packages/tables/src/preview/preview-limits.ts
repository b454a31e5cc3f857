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
  readonly timeMaxMs: number;
}

/** The limits that hold where nobody sets others. */
export const previewLimits: PreviewLimits = {
  rowsMax: 10_000,
  bytesMax: 64 * 1024 * 1024,
  rowBytesMax: 4 * 1024 * 1024,
  filesMax: 100,
  timeMaxMs: 30_000,
};
