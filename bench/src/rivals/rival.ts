/**
 * Another way to serve pages of rows; all rivals of a kind share one process, behind the same plain
 * HTTP server.
 */
export interface Rival {
  /**
   * Returns the rows `[offset, offset + rowCount)` as a JSON array of arrays, or the bytes of the
   * requested file.
   */
  page(request: RivalRequest): Promise<string | Uint8Array>;
  close(): Promise<void>;
}

export interface RivalRequest {
  readonly offset: number;
  readonly rowCount: number;
}

export const rivalKinds = [
  'static-file',
  'duckdb-parquet',
  'duckdb-parquet-json',
  'duckdb-table',
  'apache-arrow',
  'json-lines',
  'whole-json',
  'postgres-cursor',
] as const;

export type RivalKind = (typeof rivalKinds)[number];
