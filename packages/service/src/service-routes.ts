import { serviceOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { type ApiDocument, renderDocsPage } from './docs-page.ts';
import { routeOf } from './route.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** GET /docs: one page, without scripts and without anything from elsewhere. */
export function readDocsRoute(): RouteOptions {
  return routeOf(serviceOperations.readDocs, async (request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'cache-control': 'no-cache',
      })
      .send(renderDocsPage(request.server.swagger() as unknown as ApiDocument)),
  );
}

/** GET /metrics. */
export function readMetricsRoute(metrics: ServiceMetrics): RouteOptions {
  return routeOf(serviceOperations.readMetrics, async (_request, reply) => {
    const text = await metrics.render();
    return reply.headers({ 'content-type': metrics.contentType, 'cache-control': 'no-store' }).send(text);
  });
}

/** GET /openapi.json: the document is made from the routes once they are all there. */
export function readOpenApiRoute(): RouteOptions {
  return routeOf(serviceOperations.readOpenApi, async (request, reply) =>
    reply.header('cache-control', 'no-cache').send(request.server.swagger()),
  );
}
