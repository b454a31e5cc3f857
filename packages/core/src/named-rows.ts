import type { RecordBatch, Schema } from 'apache-arrow';
import type { CallOptions } from './object-store.ts';

/** Rows of some columns by position, in Arrow's layout, without column names. */
export interface ColumnarRows {
  readonly rowCount: number;
  readonly columns: readonly RecordBatch['data']['children'][number][];
}

/** The rows of a stored result, for a query that names it as `result('<requestId>')`. */
export interface NamedRows {
  /** The id as the query may write it, in lower case. */
  readonly requestId: string;
  readonly schema: Schema;
  readonly rowCount: number;
  /** The size of the rows as they are stored, in bytes. Absent: unknown. */
  readonly sizeBytes?: number;
  /**
   * Returns all rows in order. A deletion does not interrupt the read. Rows are valid until the
   * next batch is requested.
   *
   * @throws RESULT_DELETED when the result was deleted before it was opened, RESULT_CORRUPT,
   *   STORE_UNAVAILABLE
   */
  read(options: CallOptions): AsyncIterable<ColumnarRows>;
}
