import { type ClusterResultsResponse, controllerOperations, type StoredResult } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { askBrokers, listResults } from '../broker-calls.ts';

/** GET /cluster/results: for admins. */
export function listClusterResultsRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.listClusterResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) => listResults(client, url, signalOf(request)));
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

/** Newest first, each result once: brokers may go by two addresses. */
function merge(lists: readonly (readonly StoredResult[])[]): StoredResult[] {
  const byId = new Map(lists.flat().map((result) => [`${result.brokerId} ${result.requestId}`, result]));
  return [...byId.values()].toSorted(
    (one, other) => other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1),
  );
}
