import { brokerOperations, type Operation, parseIntegerParameter } from '@quire/api';
import { requireRole } from '@quire/auth';
import type { RouteOptions } from 'fastify';
import { audit, principalOf, queryOf, routeOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';

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
