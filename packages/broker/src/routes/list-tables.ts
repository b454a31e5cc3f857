import { brokerOperations, type PinotTableList } from '@quire/api';
import { routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';

/** GET /tables. */
export function listTablesRoute({ options }: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listTables, async (_request, reply) => {
    const response: PinotTableList = { tables: (options.tables ?? []).toSorted() };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
