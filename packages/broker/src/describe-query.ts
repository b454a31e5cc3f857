import type { Principal } from '@quire/auth';
import type { Query, QueryDescription } from '@quire/core';
import { withDeadline } from '@quire/core/wait';
import type { Result } from '@quire/results';
import { claimOf } from '@quire/service';
import type { BrokerContext } from './broker-context.ts';
import { timedOut } from './query-runner.ts';

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
