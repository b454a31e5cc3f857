import { brokerOperations, type Operation } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { audit, principalOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { openOwnResult, hideFromOthers } from '../own-results.ts';

/** DELETE /query/resultStore/{requestId}: for admins, and for its owner. */
export function deleteResultRoute(context: BrokerContext, operation: Operation = brokerOperations.deleteResult): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    const { results } = context.options;
    const principal = principalOf(request);
    const requestId = requestIdOf(request);
    // An admin may also delete what cannot be opened any more.
    if (principal.role !== 'admin') await openOwnResult(results, principal, requestId, { signal: signalOf(request) });
    const deleted = await hideFromOthers(results, principal, requestId, () => results.delete(requestId));
    audit(request, 'result deleted', { resultId: deleted.requestId, reason: 'deleted', sizeBytes: deleted.sizeBytes });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Query Results for ${deleted.requestId} deleted.`);
  });
}
