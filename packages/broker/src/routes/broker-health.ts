import { brokerOperations, type HealthResponse } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import type { BrokerOptions } from '../broker-options.ts';
import { wholeMs } from '../metadata-record.ts';

/** GET /health: public, so it contains only public data. */
export function readHealthRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readHealth, async (_request, reply) => {
    const { options, queue, clock, startMs } = context;
    const details = await options.healthDetails?.();
    const health: HealthResponse = {
      status: isDegraded(details?.engine) ? 'degraded' : 'ok',
      version: options.version,
      brokerId: options.results.brokerId,
      uptimeMs: wholeMs(clock.monotonicMs() - startMs),
      storeType: options.storeType,
      isStoreShared: options.isStoreShared ?? false,
      queriesRunning: queue.takenCount,
      queriesQueued: queue.waitingCount,
      ...details,
    };
    return reply.header('cache-control', 'no-store').send(health);
  });
}

function isDegraded(engine: HealthResponse['engine']): boolean {
  return engine?.state === 'degraded' || engine?.state === 'unavailable';
}

/** GET /sweep: a dry run of the cleaner, for admins. */
export function readSweepPlanRoute(
  planSweep: NonNullable<BrokerOptions['planSweep']>,
): RouteOptions {
  return routeOf(brokerOperations.readSweepPlan, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    return reply.header('cache-control', 'no-store').send(await planSweep());
  });
}

/** GET /settings: for admins. */
export function readSettingsRoute(
  settingsInForce: NonNullable<BrokerOptions['settingsInForce']>,
): RouteOptions {
  return routeOf(brokerOperations.readBrokerSettings, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    return reply.header('cache-control', 'no-store').send(settingsInForce());
  });
}
