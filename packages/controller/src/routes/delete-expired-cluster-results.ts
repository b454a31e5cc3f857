import { type ClusterDeletionResponse, controllerOperations, parseIntegerParameter } from '@quire/api';
import { requireRole } from '@quire/auth';
import { audit, principalOf, queryOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { askBrokers, deleteExpired } from '../broker-calls.ts';

/** DELETE /cluster/results?expiredBefore=ms: for admins. */
export function deleteExpiredClusterResultsRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.deleteExpiredClusterResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const cutoffMs = parseIntegerParameter('expiredBefore', queryOf(request)['expiredBefore']);
    const signal = signalOf(request);
    const outcomes = await askBrokers(options.brokers, (url) => deleteExpired(client, url, { cutoffMs, signal }));
    const brokers: ClusterDeletionResponse['brokers'] = outcomes.map(({ url, value = 0, error }) => ({
      url,
      state: error === undefined ? 'ok' : 'failed',
      deletedCount: value,
      error: error?.message ?? null,
    }));
    const deletedCount = brokers.reduce((sum, broker) => sum + broker.deletedCount, 0);
    const failedCount = brokers.filter(({ state }) => state === 'failed').length;
    audit(request, 'expired results deleted', { reason: 'expired', deletedCount, cutoffMs, failedBrokers: failedCount });
    const response: ClusterDeletionResponse = { deletedCount, brokers };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
