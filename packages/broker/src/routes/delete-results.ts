import { brokerOperations, type Operation, parseIntegerParameter } from '@quire/api';
import { requireRole } from '@quire/auth';
import { audit, principalOf, queryOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { hideFromOthers, openOwnResult } from '../own-results.ts';

/** DELETE /query/resultStore/{requestId}: for admins, and for its owner. */
export function deleteResultRoute(context: BrokerContext, operation: Operation = brokerOperations.deleteResult): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    const { results } = context.options;
    const principal = principalOf(request);
    const requestId = requestIdOf(request);
    context.queries.assertEnded(principal, requestId);
    // An admin may also delete what cannot be opened any more.
    if (principal.role !== 'admin') await openOwnResult(results, principal, requestId, { signal: signalOf(request) });
    const deleted = await hideFromOthers(results, principal, requestId, () => results.delete(requestId));
    audit(request, 'result deleted', { resultId: deleted.requestId, reason: 'deleted', sizeBytes: deleted.sizeBytes });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Query Results for ${deleted.requestId} deleted.`);
  });
}

/** DELETE /query/resultStore?expiredBefore=ms: for admins. Goes on when the caller has gone. */
export function deleteExpiredResultsRoute(
  context: BrokerContext,
  operation: Operation = brokerOperations.deleteExpiredResults,
): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const cutoffMs = parseIntegerParameter('expiredBefore', queryOf(request)['expiredBefore']) ?? context.clock.nowMs();
    const deletedCount = await context.options.results.deleteExpired(cutoffMs);
    audit(request, 'expired results deleted', { reason: 'expired', deletedCount, cutoffMs });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Deleted ${deletedCount} expired response(s).`);
  });
}
