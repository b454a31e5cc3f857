import { brokerOperations } from '@quire/api';
import { QuireError } from '@quire/core';
import { withDeadline } from '@quire/core/wait';
import { routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { pinotSchemaOf } from '../pinot/table-schema.ts';
import { timedOut } from '../run-query.ts';

/** GET /tables/{tableName}/schema: found out by a query of no rows, which waits for its turn like any other. */
export function readTableSchemaRoute(context: BrokerContext): RouteOptions {
  const { options, clock, engine, queue } = context;
  return routeOf(brokerOperations.readTableSchema, async (request, reply) => {
    const asked = (request.params as { readonly tableName: string }).tableName.replace(/_(?:OFFLINE|REALTIME)$/, '');
    const tableName = options.tables?.find((name) => name === asked);
    if (tableName === undefined) throw new QuireError('TABLE_NOT_FOUND', 'There is no such table.');
    const timeoutMs = options.queryTimeoutMs;
    const schema = await withDeadline({ clock, timeoutMs, signal: signalOf(request), error: timedOut }, (signal) =>
      queue.run(
        () => engine.describe({ sql: `SELECT * FROM "${tableName}" LIMIT 0` }, { signal, limits: { timeoutMs } }),
        signal,
      ),
    );
    return reply.header('cache-control', 'no-store').send(pinotSchemaOf(tableName, schema));
  });
}
