import { serviceOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { routeOf } from '../route.ts';
import type { ServiceMetrics } from '../service-metrics.ts';

/** GET /metrics. */
export function readMetricsRoute(metrics: ServiceMetrics): RouteOptions {
  return routeOf(serviceOperations.readMetrics, async (_request, reply) => {
    const text = await metrics.render();
    return reply.headers({ 'content-type': metrics.contentType, 'cache-control': 'no-store' }).send(text);
  });
}
