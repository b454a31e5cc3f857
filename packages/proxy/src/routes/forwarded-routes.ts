import { isReservedSegment, type Operation } from '@quire/api';
import { requestIdOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { anyBroker } from '../routing/candidates.ts';
import { forwardToHolder, forwardToOneOf } from '../routing/forward-call.ts';
import { proxyRoute } from './proxy-route.ts';

/** A call about one result: to the broker that holds it. */
export function resultCallRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    if (isReservedSegment(requestIdOf(request))) {
      reply.callNotFound();
      return reply;
    }
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await forwardToHolder(context, request, call, requestIdOf(request));
    return reply;
  });
}

/** A call that any broker answers as any other would, such as which tables there are. */
export function anyBrokerRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await forwardToOneOf(context, request, call, anyBroker(context));
    return reply;
  });
}

/**
 * POST /query/sql: to the least busy broker that is up. Another one is tried only where nothing of the query was sent: no query ever
 * goes out twice.
 */
export function queryRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.queryMs });
    await forwardToOneOf(context, request, call, anyBroker(context, 'query'));
    return reply;
  });
}
