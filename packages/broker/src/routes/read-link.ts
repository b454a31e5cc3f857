import { brokerOperations, type LinkResponse } from '@quire/api';
import { QuireError } from '@quire/core';
import type { RouteOptions } from 'fastify';
import { principalOf, queryOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import type { BrokerOptions } from '../broker-options.ts';
import { openOwnResult } from '../own-results.ts';

/** What a store takes as the life of a link. */
const lifetimeMinMs = 1000;

/** GET /query/{requestId}/link: for those who may read the result. The link is in the response and nowhere else, no log included. */
export function readLinkRoute(context: BrokerContext, links: NonNullable<BrokerOptions['links']>): RouteOptions {
  return routeOf(brokerOperations.readLink, async (request, reply) => {
    const format = queryOf(request)['format'] ?? 'arrow';
    if (format !== 'arrow') {
      throw new QuireError(
        'INVALID_PARAMETER',
        "'format' is not arrow, and a link gives the data file, which is in that format.",
      );
    }
    const { results } = context.options;
    const { entry } = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    const nowMs = context.clock.nowMs();
    const lifetimeMs = Math.max(lifetimeMinMs, Math.min(links.lifetimeMs, entry.expirationTimeMs - nowMs));
    const url = await links.signer.signLink(entry.dataKey, lifetimeMs);
    const response: LinkResponse = { url, expirationTimeMs: nowMs + lifetimeMs };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
