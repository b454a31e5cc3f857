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

/** How the answer of a query is stored. */
export interface StoringOptions extends CallOptions {
  readonly limits: QueryLimits;
  /** Name of the principal that runs the query. */
  readonly owner: string;
  readonly requestId?: RequestId;
  /** As `NewResult.expirationMs`. */
  readonly expirationMs?: number | undefined;
  /** Shows the rows while they are written: `ResultStore.grow`. */
  readonly growth?: ProgressTarget | undefined;
  /** The results that the query names. */
  readonly results?: readonly Result[] | undefined;
  /** Told, before the first row, of which data the answer will be. */
  readonly onPlanned?: ((data: AnsweredData) => void) | undefined;
}

/** The data that an answer is of. */
export interface AnsweredData {
  /** As `QueryExecution.dataVersion`. */
  readonly version: string | undefined;
  readonly tables: readonly string[];
}

/** Runs queries and stores their answers whole; where it does so is its own affair. */
export interface StoringEngine {
  /**
   * Runs a query and stores its answer. When it rejects, nothing of it stays, in the store or
   * anywhere else, and nothing of it runs any more.
   *
   * @throws as `QueryEngine.execute` and `ResultStore.create`
   */
  store(query: Query, options: StoringOptions): Promise<Result>;
  /**
   * Returns the schema that the answer of a query has, and the types of its parameters; rows are not
   * computed.
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

/** What is known of a query under way. */
export function answeredData(execution: QueryExecution): AnsweredData {
  return { version: execution.dataVersion, tables: execution.statistics().tables };
}

/** Describes a query by its engine. @throws as `QueryEngine.execute` */
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

/** Runs queries on an engine in this process, which their memory and time then concern. */
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
