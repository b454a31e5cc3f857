import { serviceOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { routeOf } from '../route.ts';

/** GET /openapi.json: the document is made from the routes once they are all there. */
export function readOpenApiRoute(): RouteOptions {
  return routeOf(serviceOperations.readOpenApi, async (request, reply) =>
    reply.header('cache-control', 'no-cache').send(request.server.swagger()),
  );
}
