import { serviceOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { type ApiDocument, renderDocsPage } from '../docs-page.ts';
import { routeOf } from '../route.ts';

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
