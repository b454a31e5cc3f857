import {
  type ClusterDeletionResponse,
  type ClusterResultsResponse,
  controllerOperations,
  parseIntegerParameter,
  type StoredResult,
} from '@quire/api';
import { requireRole } from '@quire/auth';
import { audit, principalOf, queryOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { askBrokers, deleteExpired, listResults } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';

/** GET /cluster/results: for admins. */
export function listClusterResultsRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.listClusterResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) =>
      listResults(client, url, signalOf(request)),
    );
    const response: ClusterResultsResponse = {
      resultMetadataList: merge(outcomes.map(({ value }) => value?.results ?? [])),
      brokers: outcomes.map(({ url, value, error }) => ({
        url,
        state: error === undefined ? 'ok' : 'failed',
        resultCount: value?.results.length ?? 0,
        error: error?.message ?? null,
      })),
    };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

/** Merges lists, newest first, with each result once: a broker may have two addresses. */
function merge(lists: readonly (readonly StoredResult[])[]): StoredResult[] {
  const byId = new Map(
    lists.flat().map((result) => [`${result.brokerId} ${result.requestId}`, result]),
  );
  return [...byId.values()].toSorted(
    (one, other) =>
      other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1),
  );
}

/** DELETE /cluster/results?expiredBefore=ms: for admins. */
export function deleteExpiredClusterResultsRoute({
  options,
  client,
}: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.deleteExpiredClusterResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const cutoffMs = parseIntegerParameter('expiredBefore', queryOf(request)['expiredBefore']);
    const signal = signalOf(request);
    const outcomes = await askBrokers(options.brokers, (url) =>
      deleteExpired(client, url, { cutoffMs, signal }),
    );
    const brokers: ClusterDeletionResponse['brokers'] = outcomes.map(
      ({ url, value = 0, error }) => ({
        url,
        state: error === undefined ? 'ok' : 'failed',
        deletedCount: value,
        error: error?.message ?? null,
      }),
    );
    const deletedCount = brokers.reduce((sum, broker) => sum + broker.deletedCount, 0);
    const failedCount = brokers.filter(({ state }) => state === 'failed').length;
    audit(request, 'expired results deleted', {
      reason: 'expired',
      deletedCount,
      cutoffMs,
      failedBrokers: failedCount,
    });
    const response: ClusterDeletionResponse = { deletedCount, brokers };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
