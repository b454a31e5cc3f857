import type { RecordBatch, Schema } from 'apache-arrow';
import type { NamedRows } from './named-rows.ts';
import type { ParameterType, QueryParameters } from './query-parameters.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** One query as it came from the caller. */
export interface Query {
  readonly sql: string;
  /**
   * Values for the parameters in the SQL; absent when it has none. They are bound, never written
   * into its text.
   */
  readonly parameters?: QueryParameters | undefined;
  /** What the SQL is written in; absent: the language of the engine. */
  readonly dialect?: SqlDialect | undefined;
  /** Options that the caller gave by name; an engine ignores those that it does not know. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the answer is kept and read in pages. An engine may then ask for all rows where it
   * would give a few.
   */
  readonly isPaginated?: boolean | undefined;
}

/** The limits that an engine holds a query to. */
export interface QueryLimits {
  /** The query fails with QUERY_TIMED_OUT once it has run for longer. */
  readonly timeoutMs: number;
}

/**
 * What an engine really knows of a finished query. What it does not know it leaves at null: nothing
 * is invented.
 */
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
  /** Segments of the live tables that the query reads, and how many of them still consume. */
  readonly segments?: { readonly queried: number; readonly consuming: number } | undefined;
  /** Up to when the least recent of the streams behind those tables is read, in epoch ms. */
  readonly consumedUntilMs?: number | undefined;
  /** What the query was written in; absent where the engine has one language. */
  readonly dialect?: SqlDialect | undefined;
  /**
   * What else an engine on a cluster knows, as JSON: stored and passed on as it is. Only such an
   * engine and the metadata record of the broker know its members.
   */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A query under way. Disposing cancels what still runs and releases everything; it may be called at
 * any time.
 */
export interface QueryExecution extends AsyncDisposable {
  readonly schema: Schema;
  /**
   * The answer, in order; iterate once. The engine works only as fast as it is read, and a batch
   * belongs to the reader.
   *
   * @throws QUERY_FAILED when the engine gives up at run time (a failed cast, out of memory …)
   * @throws QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED when a limit is crossed
   * @throws ABORTED when the signal is aborted
   */
  readonly batches: AsyncIterable<RecordBatch>;
  /** What is known so far; final once `batches` has ended. */
  statistics(): QueryStatistics;
  /**
   * Names the data that the answer is of: where it is the same, the same query has the same answer.
   * Absent when the engine cannot tell, or when the query asks for what changes by itself, such as
   * the time, or for chance.
   */
  readonly dataVersion?: string | undefined;
  /**
   * The types that values for the parameters by position should have, `NULL` where any will do.
   * Absent when the query has no parameters, or the engine cannot tell.
   */
  readonly parameterTypes?: readonly ParameterType[] | undefined;
}

/** What is known of a query before its rows are computed. */
export interface QueryDescription {
  readonly schema: Schema;
  /** As `QueryExecution.parameterTypes`. */
  readonly parameterTypes?: readonly ParameterType[] | undefined;
}

/**
 * The port to whatever answers SQL. Nothing engine-specific passes it: SQL in, Arrow schema and
 * record batches out.
 */
export interface QueryEngine extends AsyncDisposable {
  /**
   * Starts a query and resolves once its schema is known.
   *
   * @throws QUERY_SYNTAX, QUERY_INVALID, TABLE_NOT_FOUND, COLUMN_NOT_FOUND when the SQL cannot run
   * as it is
   * @throws QUERY_INVALID when a parameter has no value, or a value no parameter
   * @throws QUERY_FAILED, QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED, ABORTED as for `batches`
   */
  execute(
    query: Query,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly limits: QueryLimits;
      /** The results that the query may name; for engines with `readsResults`. */
      readonly results?: readonly NamedRows[] | undefined;
    },
  ): Promise<QueryExecution>;
  /**
   * Returns the schema that the answer of a query most likely has, without computing rows. Engines
   * for which that costs as much as `execute` leave it out.
   *
   * @throws as `execute`
   */
  describe?(
    query: Query,
    options: { readonly signal?: AbortSignal | undefined; readonly limits: QueryLimits },
  ): Promise<QueryDescription>;
  /** Whether queries may name stored results, as `result('<requestId>')`. Absent: they may not. */
  readonly readsResults?: boolean;
  /**
   * The `dataVersion` that a query of these tables, as its statistics name them, would have if it
   * were run now; undefined when that is not known. Engines without versions leave it out.
   */
  dataVersion?(tables: readonly string[]): Promise<string | undefined>;
}
