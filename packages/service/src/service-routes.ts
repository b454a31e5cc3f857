import { serviceOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { type ApiDocument, renderDocsPage } from './docs-page.ts';
import { docsSecurityPolicy } from './docs-try.ts';
import { routeOf } from './route.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** GET /docs: one page, without anything from elsewhere, with a form to try each call. */
export function readDocsRoute({ isPublic }: { readonly isPublic: boolean }): RouteOptions {
  return routeOf(serviceOperations.readDocs, async (request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': docsSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      .send(renderDocsPage(request.server.swagger() as unknown as ApiDocument, { isPublic })),
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
