import { serviceOperations } from '@quire/api';
import type { ApiDocument } from '@quire/api/docs';
import type { RouteOptions } from 'fastify';
import { principalOf } from './call-context.ts';
import { docsSecurityPolicy, renderDocsPage } from './docs-page.ts';
import { routeOf } from './route.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** GET /docs: one self-contained page with a form to try each call. */
export function readDocsRoute(
  readDocument: () => Promise<ApiDocument>,
  { isPublic }: { readonly isPublic: boolean },
): RouteOptions {
  return routeOf(serviceOperations.readDocs, async (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': docsSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      .send(renderDocsPage(await readDocument(), { isPublic })),
  );
}

/** GET /metrics. */
export function readMetricsRoute(metrics: ServiceMetrics): RouteOptions {
  return routeOf(serviceOperations.readMetrics, async (request, reply) => {
    const { accept = '' } = request.headers;
    const { text, contentType } = await metrics.render({
      isAdmin: principalOf(request).role === 'admin',
      isOpenMetrics: metrics.hasExemplars && accept.includes('application/openmetrics-text'),
    });
    return reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' }).send(text);
  });
}

/** GET /openapi.json. */
export function readOpenApiRoute(readDocument: () => Promise<ApiDocument>): RouteOptions {
  return routeOf(serviceOperations.readOpenApi, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(await readDocument()),
  );
}
