import type {
  CallOptions,
  Query,
  QueryDescription,
  QueryEngine,
  QueryExecution,
  QueryLimits,
  RequestId,
} from '@quire/core';
import type { ProgressTarget } from './progress-event.ts';
import type { ResultStore } from './result-store.ts';
import type { Result } from './result.ts';

/** The options for storing the answer of a query. */
export interface StoringOptions extends CallOptions {
  readonly limits: QueryLimits;
  /** Name of the principal that runs the query. */
  readonly owner: string;
  readonly requestId?: RequestId;
  /** As `NewResult.expirationMs`. */
  readonly expirationMs?: number | undefined;
  /** The target of `ResultStore.grow`, which shows the rows while they are written. */
  readonly growth?: ProgressTarget | undefined;
  /** The results that the query references. */
  readonly results?: readonly Result[] | undefined;
  /** As that of `QueryEngine.execute`. */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Called before the first row with the data that the answer is computed from. */
  readonly onPlanned?: ((data: AnsweredData) => void) | undefined;
}

/** The data that an answer is computed from. */
export interface AnsweredData {
  /** As `QueryExecution.dataVersion`. */
  readonly version: string | undefined;
  readonly tables: readonly string[];
}

/** Runs queries and stores their whole answers, in this process or another. */
export interface StoringEngine {
  /**
   * Runs a query and stores its answer. If it rejects, nothing of it is left behind anywhere, and
   * nothing of it is still running.
   *
   * @throws as `QueryEngine.execute` and `ResultStore.create`
   */
  store(query: Query, options: StoringOptions): Promise<Result>;
  /**
   * Returns the schema of the answer of a query, and the types of its parameters, without computing
   * rows.
   *
   * @throws as `QueryEngine.execute`
   */
  describe(
    query: Query,
    options: CallOptions & { readonly limits: QueryLimits },
  ): Promise<QueryDescription>;
  /** As `QueryEngine.readsResults`. */
  readonly readsResults?: boolean | undefined;
  /** As `QueryEngine.dataVersion`. */
  readonly dataVersion?: ((tables: readonly string[]) => Promise<string | undefined>) | undefined;
}

/** Returns the data that a running query reads. */
export function answeredData(execution: QueryExecution): AnsweredData {
  return { version: execution.dataVersion, tables: execution.statistics().tables };
}

/** Describes a query with its engine. @throws as `QueryEngine.execute` */
export async function describeBy(
  engine: Pick<QueryEngine, 'describe' | 'execute'>,
  query: Query,
  options: CallOptions & { readonly limits: QueryLimits },
): Promise<QueryDescription> {
  if (engine.describe !== undefined) return engine.describe(query, options);
  await using execution = await engine.execute(query, options);
  const { schema, parameterTypes } = execution;
  return { schema, parameterTypes };
}

/** Returns an engine that runs queries in this process, and uses its memory and time. */
export function storeInProcess(
  engine: QueryEngine,
  results: Pick<ResultStore, 'create'>,
): StoringEngine {
  return {
    store: async (
      query,
      { owner, requestId, expirationMs, growth, onPlanned, results: named = [], ...options },
    ) => {
      await using execution = await engine.execute(query, {
        ...options,
        results: named.map((result) => result.rows()),
      });
      onPlanned?.(answeredData(execution));
      return await results.create(execution, {
        owner,
        sql: query.sql,
        expirationMs,
        growth,
        signal: options.signal,
        ...(requestId !== undefined && { requestId }),
      });
    },
    describe: (query, options) => describeBy(engine, query, options),
    readsResults: engine.readsResults,
    dataVersion: engine.dataVersion?.bind(engine),
  };
}
