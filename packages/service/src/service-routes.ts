import swagger from '@fastify/swagger';
import { components, serviceOperations } from '@quire/api';
import type { ApiDocument } from '@quire/api/docs';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { principalOf } from './call-context.ts';
import { completeDocument } from './complete-document.ts';
import { docsSecurityPolicy, renderDocsPage } from './docs-page.ts';
import { routeOf } from './route.ts';
import type { ServiceMetrics } from './service-metrics.ts';
import type { ServiceDescription } from './service-options.ts';

/**
 * Creates the OpenAPI document from the routes that are added afterwards, with the schemas that
 * validate them.
 */
export async function addOpenApi(
  server: FastifyInstance,
  about: ServiceDescription,
  version: string,
): Promise<void> {
  for (const schema of [...components, ...(about.components ?? [])]) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        version,
        description: about.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...about.tags],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The name of a principal, and its password or token.',
          },
        },
      },
      security: [{ bearer: [] }, { basic: [] }],
    },
    transformObject: (object) =>
      'openapiObject' in object ? completeDocument(object.openapiObject) : object.swaggerObject,
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        (json['$id'] as string | undefined) ?? `Schema${index}`,
    },
  });
}

/** GET /docs: one self-contained page with a form to try each call. */
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
  return routeOf(serviceOperations.readMetrics, async (request, reply) => {
    const { accept = '' } = request.headers;
    const { text, contentType } = await metrics.render({
      isAdmin: principalOf(request).role === 'admin',
      isOpenMetrics: metrics.hasExemplars && accept.includes('application/openmetrics-text'),
    });
    return reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' }).send(text);
  });
}

/** GET /openapi.json: the document is created from the routes once all are added. */
export function readOpenApiRoute(): RouteOptions {
  return routeOf(serviceOperations.readOpenApi, async (request, reply) =>
    reply.header('cache-control', 'no-cache').send(request.server.swagger()),
  );
}
