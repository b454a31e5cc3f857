import { type CallerResponse, controllerOperations } from '@quire/api';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';

/** GET /whoami. */
export function readCallerRoute(): RouteOptions {
  return routeOf(controllerOperations.readCaller, async (request, reply) => {
    const { name, role } = principalOf(request);
    const response: CallerResponse = { name, role };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
