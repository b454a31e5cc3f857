import type { RecordBatch, Schema } from 'apache-arrow';
import type { QueryParameters } from './query-parameters.ts';

/** One query as it came from the caller. */
export interface Query {
  readonly sql: string;
  /** Values for the parameters in the SQL; absent when it has none. They are bound, never written into its text. */
  readonly parameters?: QueryParameters | undefined;
}

export interface QueryLimits {
  /** The query fails with QUERY_TIMED_OUT once it has run for longer. */
  readonly timeoutMs: number;
}

/** What an engine really knows of a finished query. What it does not know it leaves at null: nothing is invented. */
export interface QueryStatistics {
  /** From acceptance to the last batch, in milliseconds. */
  readonly elapsedMs: number;
  /** CPU time over all threads, in nanoseconds. */
  readonly cpuTimeNs: number | null;
  /** Rows read from the tables. */
  readonly rowsScanned: number | null;
  /** Rows that the tables of the query hold. */
  readonly rowsTotal: number | null;
  /** Names of the tables that the query reads. */
  readonly tables: readonly string[];
}

/** A query under way. Disposing cancels what still runs and releases everything; it may be called at any time. */
export interface QueryExecution extends AsyncDisposable {
  readonly schema: Schema;
  /**
   * The answer, in order; iterate once. The engine works only as fast as it is read, and a batch belongs to the reader.
   *
   * @throws QUERY_FAILED when the engine gives up at run time (a failed cast, out of memory …)
   * @throws QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED when a limit is crossed
   * @throws ABORTED when the signal is aborted
   */
  readonly batches: AsyncIterable<RecordBatch>;
  /** What is known so far; final once `batches` has ended. */
  statistics(): QueryStatistics;
}

/** The port to whatever answers SQL. Nothing engine-specific passes it: SQL in, Arrow schema and record batches out. */
export interface QueryEngine extends AsyncDisposable {
  /**
   * Starts a query and resolves once its schema is known.
   *
   * @throws QUERY_SYNTAX, QUERY_INVALID, TABLE_NOT_FOUND, COLUMN_NOT_FOUND when the SQL cannot run as it is
   * @throws QUERY_INVALID when a parameter has no value, or a value no parameter
   * @throws QUERY_FAILED, QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED, ABORTED as for `batches`
   */
  execute(
    query: Query,
    options: { readonly signal?: AbortSignal | undefined; readonly limits: QueryLimits },
  ): Promise<QueryExecution>;
}
