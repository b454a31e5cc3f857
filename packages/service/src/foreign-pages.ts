import { QuireError } from '@quire/core';
import type { FastifyRequest } from 'fastify';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Matches a valid origin; other values of the header are not repeated in a message. */
const originPattern = /^[a-z][a-z0-9+.-]{0,20}:\/\/[\w.:[\]-]{1,255}$/i;

/**
 * Refuses calls that may change state and are from a page of another origin, unless that origin is
 * allowed. A browser adds cached Basic credentials to any such call, and sends no preflight for a
 * form or an empty body.
 *
 * `Sec-Fetch-Site` decides if the browser sends it: no page can set it and no proxy changes its
 * meaning. Other browsers (old ones, and plain HTTP to another machine) send `Origin`, which must
 * name the host that the call was sent to. Programs send neither and pass.
 *
 * @throws ORIGIN_NOT_ALLOWED when the page is of another origin
 */
export function assertOwnOrAllowedPage(
  request: FastifyRequest,
  allowedOrigins: readonly string[] = [],
): void {
  if (safeMethods.has(request.method)) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && allowedOrigins.includes(origin)) return;
  // `none`: an action of the user, such as a bookmark; no page was involved.
  const isOwn =
    site === undefined
      ? origin === undefined || isHostOf(request.host, origin)
      : ['same-origin', 'none'].includes(String(site));
  if (isOwn) return;
  const page =
    origin !== undefined && originPattern.test(origin)
      ? `a page of ${origin}`
      : 'a page of another origin';
  throw new QuireError(
    'ORIGIN_NOT_ALLOWED',
    `The call was sent by ${page}, which may not call this server; engine.http.cors.origins lists the allowed origins.`,
  );
}

/**
 * Reports whether an origin has this host and port. Its scheme is ignored, because TLS may end at a
 * proxy.
 */
function isHostOf(host: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false; // `null`: a page that hides its origin, or has none
  const { protocol, host: originHost } = new URL(origin);
  // Parsed with the origin's scheme, so that its default port is dropped.
  return (
    URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === originHost
  );
}
