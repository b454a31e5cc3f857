import { brokerOperations } from '@quire/api';
import { principalOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { openOwnResult } from '../own-results.ts';
import { ownedResultOf } from '../stored-result-entry.ts';

/** GET /query/resultStore/{requestId}: for admins, and for its owner. */
export function readResultRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readResult, async (request, reply) => {
    const { results, storeLocation } = context.options;
    const result = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    return reply.header('cache-control', 'no-store').send(ownedResultOf(result, storeLocation));
  });
}
