import { operations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { routeOf } from '../route.ts';

/** GET /metrics. */
export function readMetricsRoute(context: BrokerContext): RouteOptions {
  return routeOf(operations.readMetrics, async (_request, reply) => {
    const text = await context.metrics.render();
    return reply.headers({ 'content-type': context.metrics.contentType, 'cache-control': 'no-store' }).send(text);
  });
}
