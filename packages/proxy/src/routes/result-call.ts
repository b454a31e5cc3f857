import type { Operation } from '@quire/api';
import { requestIdOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { forwardToAny, forwardToHolder } from '../routing/forward-to-holder.ts';
import { passedRoute } from './passed-route.ts';

/** A call about one result: to the broker that holds it. */
export function resultCallRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await forwardToHolder(context, request, call, requestIdOf(request));
    return reply;
  });
}

/** A call that any broker answers as any other would, such as which tables there are. */
export function anyBrokerRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await forwardToAny(context, request, call);
    return reply;
  });
}
