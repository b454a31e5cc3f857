import { isReservedSegment, type Operation } from '@quire/api';
import { QuireError } from '@quire/core';
import { requestIdOf, type RouteHandler, routeOf } from '@quire/service';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { anyBroker, brokersForQuery } from '../routing/candidates.ts';
import { forwardToHolder, forwardToOneOf } from '../routing/forward-call.ts';

/** Returns a route for a call about one result, which is forwarded to the broker that holds it. */
export function resultCallRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    if (isReservedSegment(requestIdOf(request))) {
      reply.callNotFound();
      return reply;
    }
    const call = new ForwardedCall(context, request, reply, {
      headTimeoutMs: context.options.timeouts.answerMs,
    });
    await forwardToHolder(context, request, call, requestIdOf(request));
    return reply;
  });
}

/**
 * Returns a route for a call that any broker answers in the same way, such as the list of tables.
 */
export function anyBrokerRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, {
      headTimeoutMs: context.options.timeouts.answerMs,
    });
    await forwardToOneOf(context, request, call, anyBroker(context));
    return reply;
  });
}

/**
 * POST /query/sql: forwards to the least busy broker that is up, to the one that the caller names,
 * or to the one that has the result that the query reads. Another broker is tried only if nothing
 * of the query was sent: no query is ever sent twice.
 */
export function queryRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, {
      headTimeoutMs: context.options.timeouts.queryMs,
    });
    try {
      const candidates = await brokersForQuery(context, request, () => call.peekBody());
      await forwardToOneOf(context, request, call, candidates);
    } finally {
      call.dropBody();
    }
    return reply;
  });
}

/**
 * Returns a route whose calls are forwarded to brokers. If those check the credentials, the proxy
 * only checks that there are some, before any broker is called.
 */
export function proxyRoute(
  { options }: ProxyContext,
  operation: Operation,
  handler: RouteHandler,
): RouteOptions {
  if (options.authMode === 'check') return routeOf(operation, handler);
  const route = routeOf(operation, async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw new QuireError(
        'UNAUTHENTICATED',
        'The Authorization header is missing; expected Basic or Bearer.',
      );
    }
    holdBackGuessing(options, request, reply, authorization);
    return handler(request, reply);
  });
  return { ...route, config: { ...route.config, isPublic: true } };
}

/**
 * Limits guessing at credentials. Brokers see all callers at the proxy's address, so only the proxy
 * knows their own.
 */
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
    throw new QuireError(
      'TOO_MANY_REQUESTS',
      `Too many wrong credentials came from this address; try again in ${seconds} s.`,
    );
  }
  reply.raw.once('close', () => {
    if (reply.statusCode === 401) limits.countFailure(request.ip, authorization);
    // A caller that left before its answer proves nothing, and has learned nothing: the status is
    // still 200 then.
    else if (reply.raw.headersSent && reply.statusCode < 400) limits.countSuccess(authorization);
  });
}
