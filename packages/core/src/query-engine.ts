import type { RecordBatch, Schema } from 'apache-arrow';
import type { NamedRows } from './named-rows.ts';
import type { ParameterType, QueryParameters } from './query-parameters.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** A query as the caller sent it. */
export interface Query {
  readonly sql: string;
  /**
   * Values for the parameters in the SQL; absent if it has none. They are bound, never inserted
   * into the text.
   */
  readonly parameters?: QueryParameters | undefined;
  /** The language of the SQL; absent: the engine's own. */
  readonly dialect?: SqlDialect | undefined;
  /** Options that the caller set by name; an engine ignores unknown ones. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * True if the answer is stored and read in pages. An engine may then fetch all rows instead of
   * its default number.
   */
  readonly isPaginated?: boolean | undefined;
}

/** The limits that an engine enforces for a query. */
export interface QueryLimits {
  /** The query fails with QUERY_TIMED_OUT once it has run for longer. */
  readonly timeoutMs: number;
}

/** An engine's actual knowledge of a finished query. Unknown values are null, never estimated. */
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
  /**
   * Segments of the live tables that the query reads, and the number of them that are still
   * consuming.
   */
  readonly segments?: { readonly queried: number; readonly consuming: number } | undefined;
  /**
   * The time up to which the least recent stream of those tables is consumed, in epoch
   * milliseconds.
   */
  readonly consumedUntilMs?: number | undefined;
  /** The language of the query; absent if the engine has only one. */
  readonly dialect?: SqlDialect | undefined;
  /**
   * Other facts from an engine on a cluster, as JSON, stored and passed on unchanged. Only that
   * engine and the broker's metadata record interpret it.
   */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A running query. Disposing cancels it and releases all resources; it may be disposed at any time.
 */
export interface QueryExecution extends AsyncDisposable {
  readonly schema: Schema;
  /**
   * The answer, in order; iterate once. The engine works only as fast as it is read, and a batch
   * belongs to the reader.
   *
   * @throws QUERY_FAILED when the engine fails at run time (a failed cast, out of memory …)
   * @throws QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED when a limit is exceeded
   * @throws ABORTED when the signal is aborted
   */
  readonly batches: AsyncIterable<RecordBatch>;
  /** Returns the statistics so far; they are final once `batches` has ended. */
  statistics(): QueryStatistics;
  /**
   * Identifies the data that was queried: the same query on the same version has the same answer.
   * Absent if the engine has no versions, or if the query depends on the time or on random values.
   */
  readonly dataVersion?: string | undefined;
  /**
   * The expected types of positional parameters, `NULL` where any type is accepted. Absent if the
   * query has no parameters, or the engine does not know the types.
   */
  readonly parameterTypes?: readonly ParameterType[] | undefined;
}

/** The facts about a query that are known before its rows are computed. */
export interface QueryDescription {
  readonly schema: Schema;
  /** As `QueryExecution.parameterTypes`. */
  readonly parameterTypes?: readonly ParameterType[] | undefined;
}

/**
 * The port to SQL engines. Nothing engine-specific crosses it: SQL in, Arrow schema and record
 * batches out.
 */
export interface QueryEngine extends AsyncDisposable {
  /**
   * Starts a query and resolves once its schema is known.
   *
   * @throws QUERY_SYNTAX, QUERY_INVALID, TABLE_NOT_FOUND, COLUMN_NOT_FOUND when the SQL is not
   *   valid
   * @throws QUERY_INVALID when a parameter has no value, or a value has no parameter
   * @throws QUERY_FAILED, QUERY_TIMED_OUT, QUERY_LIMIT_EXCEEDED, ABORTED as for `batches`
   */
  execute(
    query: Query,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly limits: QueryLimits;
      /** The results that the query may reference; for engines with `readsResults`. */
      readonly results?: readonly NamedRows[] | undefined;
      /**
       * Called while the query runs with the share of its rows that it has processed, above 0 and
       * at most 1. Engines that do not know it never call it.
       */
      readonly onProgress?: ((share: number) => void) | undefined;
    },
  ): Promise<QueryExecution>;
  /**
   * Returns the schema that the answer will most likely have, without computing rows. Engines for
   * which this costs as much as `execute` omit it.
   *
   * @throws as `execute`
   */
  describe?(
    query: Query,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly limits: QueryLimits;
      /** As for `execute`. */
      readonly results?: readonly NamedRows[] | undefined;
    },
  ): Promise<QueryDescription>;
  /**
   * True if queries may reference stored results as `result('<requestId>')`. Absent: they may not.
   */
  readonly readsResults?: boolean;
  /**
   * Returns the current `dataVersion` for a query of these tables, which are named as in its
   * statistics; undefined if it is unknown. Engines without versions omit it.
   */
  dataVersion?(tables: readonly string[]): Promise<string | undefined>;
}
