import { QuireError } from '@quire/core';
import type { FastifyRequest } from 'fastify';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** What an origin consists of: anything else in the header is not repeated in a message. */
const originPattern = /^[a-z][a-z0-9+.-]{0,20}:\/\/[\w.:[\]-]{1,255}$/i;

/**
 * Refuses calls that may change something and come from a page of another origin, unless that
 * origin is allowed. A browser adds Basic credentials that it holds to any such call, and asks
 * nothing first where the call is a form or has no body.
 *
 * `Sec-Fetch-Site` counts where a browser sends it, since no page can set it and no proxy changes
 * what it means. Browsers that do not (to plain HTTP on another machine than their own, or old
 * ones) send `Origin`, which must name the host that the call was sent to. Programs send neither
 * and pass.
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
  // `none`: the user's own doing, such as a bookmark; no page had a part in it.
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
    `The call was sent by ${page}, which may not change anything here; engine.http.cors.origins names the origins that may.`,
  );
}

/** Whether an origin has this host and port. Its scheme does not count: TLS may end at a proxy. */
function isHostOf(host: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false; // `null`: a page that hides its origin, or has none
  const { protocol, host: originHost } = new URL(origin);
  // With the scheme of the origin, so that its default port counts as none.
  return (
    URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === originHost
  );
}
