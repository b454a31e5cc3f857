import { type ProxyHealthResponse, proxyOperations } from '@quire/api';
import { routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';

/** GET /health: open to everybody, so it says no more of brokers than their own health does. */
export function readHealthRoute({ brokers, options, clock, startMs }: ProxyContext): RouteOptions {
  return routeOf(proxyOperations.readHealth, async (_request, reply) => {
    const states = brokers.all.map(({ isUp }) => isUp);
    const health: ProxyHealthResponse = {
      status: !states.includes(true) ? 'unavailable' : states.includes(false) ? 'degraded' : 'ok',
      version: options.version,
      uptimeMs: Math.max(0, Math.round(clock.monotonicMs() - startMs)),
      brokers: brokers.all.map(({ health: its, isUp, callCount }) => ({
        brokerId: its?.brokerId ?? null,
        state: isUp ? 'up' : 'down',
        callsRunning: callCount,
      })),
      ...options.healthDetails?.(),
    };
    return reply.header('cache-control', 'no-store').send(health);
  });
}
