import { expirationHeader, pageHeaders, partialHeader } from '@quire/api';
import type { FastifyInstance } from 'fastify';

/**
 * What scripts of another origin may read of an answer's head, beside what browsers always show
 * them.
 */
const exposedHeaders = [
  ...Object.values(pageHeaders),
  expirationHeader,
  partialHeader,
  'accept-ranges',
  'content-range',
  'etag',
  'retry-after',
  'www-authenticate',
  'x-request-id',
].join(', ');

/** How long a browser may remember what it was allowed. */
const allowanceSeconds = 600;

/**
 * Lets pages of these origins call the service, by the rules of CORS (Fetch standard, section 3.3).
 * Credentials go in the Authorization header, which a page must have itself: cookies and what else
 * a browser adds on its own account are not allowed.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // Set on the bare response: what is passed on from elsewhere has them as well.
    reply.raw.setHeader('vary', 'origin');
    if (origin === undefined || !origins.includes(origin)) return undefined;
    reply.raw.setHeader('access-control-allow-origin', origin);
    if (
      request.method !== 'OPTIONS' ||
      request.headers['access-control-request-method'] === undefined
    ) {
      reply.raw.setHeader('access-control-expose-headers', exposedHeaders);
      return undefined;
    }
    return reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'authorization, content-type, if-none-match, if-range, range, forward_host, forward_port',
        'access-control-max-age': String(allowanceSeconds),
      })
      .code(204)
      .send();
  });
}
