import type { Operation } from '@quire/api';
import { QuireError } from '@quire/core';
import { type RouteHandler, routeOf } from '@quire/service';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';

/**
 * A route whose calls go on to brokers. Where those check the credentials, the proxy only sees to it that there are some: without, no
 * broker is troubled.
 */
export function proxyRoute({ options }: ProxyContext, operation: Operation, handler: RouteHandler): RouteOptions {
  if (options.authMode === 'check') return routeOf(operation, handler);
  const route = routeOf(operation, async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw new QuireError('UNAUTHENTICATED', 'The Authorization header is missing; expected Basic or Bearer.');
    }
    holdBackGuessing(options, request, reply, authorization);
    return handler(request, reply);
  });
  return { ...route, config: { ...route.config, isPublic: true } };
}

/** Brokers see all callers at one address, the proxy's: who guesses at credentials is known by its own address only here. */
function holdBackGuessing(
  { limits }: ProxyContext['options'],
  request: FastifyRequest,
  reply: FastifyReply,
  authorization: string,
): void {
  if (limits === undefined) return;
  const seconds = Math.ceil(limits.retryAfterFailuresMs(request.ip, authorization) / 1000);
  if (seconds > 0) {
    reply.header('retry-after', String(seconds));
    throw new QuireError('TOO_MANY_REQUESTS', `Too many wrong credentials came from this address; try again in ${seconds} s.`);
  }
  reply.raw.once('close', () => {
    if (reply.statusCode === 401) limits.countFailure(request.ip, authorization);
    else if (reply.statusCode < 400) limits.countSuccess(authorization);
  });
}
