import { type ClusterHealthResponse, controllerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import type { CleaningStatus } from '../expiry-job.ts';
import { askBrokers, readHealth } from '../broker-calls.ts';

type BrokerState = ClusterHealthResponse['brokers'][number];

/** GET /cluster/health: for admins. */
export function readClusterHealthRoute({ options, client, job }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readClusterHealth, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) => readHealth(client, url, signalOf(request)));
    const brokers = outcomes.map(({ url, value, error }): BrokerState => ({
      url,
      state: error !== undefined ? 'down' : value === 'leaving' ? 'leaving' : 'up',
      brokerId: value === undefined || value === 'leaving' ? null : value.brokerId,
      version: value === undefined || value === 'leaving' ? null : value.version,
      error: error?.message ?? null,
      health: value === undefined || value === 'leaving' ? null : value.health,
      cleaning: cleaningOf(job.statusOf(url)),
    }));
    const isGood = brokers.every(({ state, cleaning }) => state === 'up' && cleaning.error === null);
    const response: ClusterHealthResponse = { status: isGood ? 'ok' : 'degraded', brokers };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

function cleaningOf({ lastRunMs, lastGoodRunMs, deletedCount, error }: CleaningStatus): BrokerState['cleaning'] {
  return {
    lastRunMs: lastRunMs ?? null,
    lastGoodRunMs: lastGoodRunMs ?? null,
    deletedCount,
    error: error?.message ?? null,
  };
}
