import type { Operation } from '@quire/api';
import { QuireError } from '@quire/core';
import type { RouteOptions } from 'fastify';
import { ForwardedCall, errorOf } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { passedRoute } from './passed-route.ts';

/**
 * POST /query/sql: to the least busy broker that is up. Another one is tried only where nothing of the query was sent: no query ever
 * goes out twice.
 */
export function runQueryRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const { brokers, metrics, options } = context;
    const call = new ForwardedCall(context, request, reply, { headTimeoutMs: options.timeouts.queryMs });
    metrics.observeRoute('query');
    let error = new QuireError('BROKER_UNAVAILABLE', 'No broker can take the query now; try again.');
    for (const [index, broker] of brokers.inOrder().entries()) {
      if (index > 0) metrics.observeRetry(broker.label);
      const outcome = await call.forwardTo(broker);
      if (outcome.kind === 'answered' || outcome.kind === 'declined' || outcome.kind === 'broken') return reply;
      error = errorOf(broker, outcome);
      if (outcome.kind !== 'unsent' || !call.isWhole) throw error;
    }
    throw error;
  });
}
