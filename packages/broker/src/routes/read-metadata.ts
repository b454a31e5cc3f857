import { brokerOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { principalOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { metadataOfResult } from '../metadata-record.ts';
import { openOwnResult } from '../own-results.ts';

/** GET /query/{requestId}/metadata. */
export function readMetadataRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readMetadata, async (request, reply) => {
    const { results } = context.options;
    const result = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    return reply.header('cache-control', 'no-store').send([metadataOfResult(result)]);
  });
}
