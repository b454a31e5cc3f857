import { brokerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { pinotEntryOf } from '../pinot/cursor-response.ts';
import { sendList } from '../send-list.ts';

/** GET /responseStore: newest first, for admins. */
export function listPinotResponsesRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listPinotResponses, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    return sendList(context, request, reply, { open: '[', itemOf: (entry) => pinotEntryOf(context, entry), close: ']' });
  });
}
