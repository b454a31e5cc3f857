import { brokerOperations } from '@quire/api';
import { principalOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { openOwnResult } from '../own-results.ts';
import { pinotResponseOf } from '../pinot/cursor-response.ts';

/** GET /responseStore/{requestId}. */
export function readPinotResponseRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readPinotResponse, async (request, reply) => {
    const { results } = context.options;
    const result = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    return reply.header('cache-control', 'no-store').send(pinotResponseOf(context, result));
  });
}
