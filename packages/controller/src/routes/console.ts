import { QuireError } from '@quire/core';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ConsoleFile, ControllerConsole } from '../console-files.ts';
import type { ControllerContext } from '../controller-context.ts';

/**
 * The permissions of the console's page: it may only load its own files and call its own origin.
 * Nothing inline runs, and no text becomes markup or script, whatever a cell or a name contains.
 */
const consoleSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const securityHeaders = {
  'content-security-policy': consoleSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * GET /console and its files, without authentication: they contain no data. GET / redirects there.
 */
export function consoleRoutes({ options }: ControllerContext): readonly RouteOptions[] {
  const { console: site } = options;
  if (site === undefined) return [];
  const about = {
    version: options.version,
    quickstartTokens: site.hasQuickstartTokens,
    readsResults: site.readsResults !== false,
    dialects: site.dialects ?? [],
    docs: options.docsPublic === true,
  };
  return [
    openRoute('/', async (_request, reply) => reply.redirect('/console/', 302)),
    openRoute('/console/about.json', async (_request, reply) =>
      reply.headers({ ...securityHeaders, 'cache-control': 'no-store' }).send(about),
    ),
    openRoute('/console/*', async (request, reply) => sendFile(site, request, reply)),
    openRoute('/console', async (request, reply) => {
      // Relative addresses within the page need the slash.
      if (new URL(request.url, 'http://localhost').pathname === '/console') {
        return reply.redirect('/console/', 302);
      }
      return sendFile(site, request, reply);
    }),
  ];
}

/** Hides the route from the API document: it is not a call of the API. */
const hidden: object = { hide: true };

function openRoute(
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): RouteOptions {
  return { method: 'GET', url, handler, schema: hidden, config: { isPublic: true } };
}

function sendFile(
  { files }: ControllerConsole,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { '*': path = '' } = (request.params ?? {}) as { readonly '*'?: string };
  const file = files.get(path === '' ? 'index.html' : path);
  if (file === undefined) throw new QuireError('ROUTE_NOT_FOUND', 'The console has no such file.');
  const { bytes, encoding } = choose(file, request.headers['accept-encoding']);
  return reply
    .headers({
      ...securityHeaders,
      'content-type': file.contentType,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    })
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function choose(
  { bytes, brotli }: ConsoleFile,
  accepted: string | undefined,
): { readonly bytes: Uint8Array; readonly encoding?: string } {
  const takesBrotli = /(?:^|,)\s*br\s*(?:,|$)/.test(accepted ?? '');
  return brotli !== undefined && takesBrotli ? { bytes: brotli, encoding: 'br' } : { bytes };
}
