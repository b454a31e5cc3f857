import type { CallOptions, Query, QueryDescription, QueryEngine, QueryLimits } from '@quire/core';
import {
  describeBy,
  type Result,
  type ResultStore,
  storeInProcess,
  type StoringEngine,
} from '@quire/results';

/** A `StoringEngine` that also describes queries about stored results. */
export interface DescribingEngine extends StoringEngine {
  describe(
    query: Query,
    options: CallOptions & {
      readonly limits: QueryLimits;
      /** The results that the query may reference. */
      readonly results?: readonly Result[];
    },
  ): Promise<QueryDescription>;
}

/** Returns an engine that describes a query about stored results as it runs one. */
export function describingEngineOf(
  engine: QueryEngine,
  results: Pick<ResultStore, 'create'>,
): DescribingEngine {
  return {
    ...storeInProcess(engine, results),
    describe: (query, { results: named = [], ...options }) => {
      const described = { ...options, results: named.map((result) => result.rows()) };
      return describeBy(engine, query, described);
    },
  };
}
