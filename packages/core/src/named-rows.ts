import type { RecordBatch, Schema } from 'apache-arrow';
import type { CallOptions } from './object-store.ts';

/** Rows of some columns, by position: Arrow's own layout, whatever the names. */
export interface ColumnarRows {
  readonly rowCount: number;
  readonly columns: readonly RecordBatch['data']['children'][number][];
}

/** The rows of a stored result, for a query that names it as `result('<requestId>')`. */
export interface NamedRows {
  /** As the query may write it, in lower case. */
  readonly requestId: string;
  readonly schema: Schema;
  readonly rowCount: number;
  /**
   * All rows, in order, by one read that a deletion does not cut off; rows may be looked at until
   * the next ones are asked for.
   *
   * @throws RESULT_DELETED when it has gone before it was opened, RESULT_CORRUPT, STORE_UNAVAILABLE
   */
  read(options: CallOptions): AsyncIterable<ColumnarRows>;
}
