import type { Principal } from '@quire/auth';
import type { CallOptions, Query, QueryDescription, QueryEngine, QueryLimits } from '@quire/core';
import { withDeadline } from '@quire/core/wait';
import {
  describeBy,
  type Result,
  type ResultStore,
  storeInProcess,
  type StoringEngine,
} from '@quire/results';
import { claimOf } from '@quire/service';
import type { BrokerContext } from './broker-context.ts';
import { timedOut } from './query-runner.ts';

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

/**
 * Returns the schema of the answer of a query, and the types of its parameters, without running it.
 * It waits for its turn as a query does.
 *
 * @throws as `StoringEngine.describe`
 */
export function describeInTurn(
  { options, clock, engine, queue }: BrokerContext,
  principal: Principal,
  {
    query,
    results = [],
    signal,
  }: {
    readonly query: Query;
    readonly results?: readonly Result[];
    readonly signal: AbortSignal;
  },
): Promise<QueryDescription> {
  const timeoutMs = options.queryTimeoutMs;
  return withDeadline({ clock, timeoutMs, signal, error: timedOut }, (limited) =>
    queue.run(
      claimOf(principal),
      () => engine.describe(query, { signal: limited, limits: { timeoutMs }, results }),
      limited,
    ),
  );
}

/** Returns a query for all columns of a table and none of its rows. */
export function columnsQueryOf(tableName: string): Query {
  return { sql: `SELECT * FROM "${tableName.replaceAll('"', '""')}" LIMIT 0` };
}
