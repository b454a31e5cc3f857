import type { Operation } from '@quire/api';
import { QuireError } from '@quire/core';
import { type RouteHandler, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';

/**
 * A route whose calls go on to brokers. Where those check the credentials, the proxy only sees to it that there are some: without, no
 * broker is troubled.
 */
export function passedRoute({ options }: ProxyContext, operation: Operation, handler: RouteHandler): RouteOptions {
  const route = routeOf(operation, async (request, reply) => {
    if (request.headers.authorization === undefined) {
      throw new QuireError('UNAUTHENTICATED', 'The Authorization header is missing; expected Basic or Bearer.');
    }
    return handler(request, reply);
  });
  return options.authMode === 'check' ? route : { ...route, config: { ...route.config, isPublic: true } };
}
