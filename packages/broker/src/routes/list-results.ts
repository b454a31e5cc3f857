import { brokerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { sendList } from '../send-list.ts';
import { storedResultOf } from '../stored-result-entry.ts';

/** GET /query/resultStore: newest first, for admins. */
export function listResultsRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const { storeLocation } = context.options;
    return sendList(context, request, reply, {
      open: '{"resultMetadataList":[',
      itemOf: (entry) => storedResultOf(entry, storeLocation),
      close: ']}',
    });
  });
}
