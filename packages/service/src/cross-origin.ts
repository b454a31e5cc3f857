import { expirationHeader, pageHeaders, partialHeader } from '@quire/api';
import type { FastifyInstance } from 'fastify';

/**
 * The response headers that scripts of another origin may read, besides those that browsers always
 * expose.
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

/** The time for which a browser may cache a preflight response. */
const allowanceSeconds = 600;

/**
 * Allows pages of these origins to call the service, by the rules of CORS (Fetch standard, section
 * 3.3). Credentials are sent in the Authorization header, which a page must have itself: cookies
 * and other credentials that a browser adds are not allowed.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // Set on the raw response, so that forwarded responses have them as well.
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
