import type { Operation } from '@quire/api';
import { requestIdOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { PassedCall } from '../passing/passed-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { passToAny, passToHolder } from '../routing/pass-to-holder.ts';
import { passedRoute } from './passed-route.ts';

/** A call about one result: to the broker that holds it. */
export function resultCallRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const call = new PassedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await passToHolder(context, request, call, requestIdOf(request));
    return reply;
  });
}

/** A call that any broker answers as any other would, such as which tables there are. */
export function anyBrokerRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const call = new PassedCall(context, request, reply, { headTimeoutMs: context.options.timeouts.answerMs });
    await passToAny(context, request, call);
    return reply;
  });
}
