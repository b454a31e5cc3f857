import { type ControllerHealthResponse, controllerOperations } from '@quire/api';
import { routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';

/** GET /health: open to everybody, so it says nothing that is not for everybody. */
export function readHealthRoute({ options, clock, startMs }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readHealth, async (_request, reply) => {
    const health: ControllerHealthResponse = {
      status: 'ok',
      version: options.version,
      uptimeMs: Math.max(0, Math.floor(clock.monotonicMs() - startMs)),
      ...options.healthDetails?.(),
    };
    return reply.header('cache-control', 'no-store').send(health);
  });
}
