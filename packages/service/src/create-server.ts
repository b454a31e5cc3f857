import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiDocument } from '@quire/api/docs';
import { createRequestId, isQuireError, QuireError, systemRandom } from '@quire/core';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
  type RouteOptions,
} from 'fastify';
import { addCallHooks } from './call-hooks.ts';
import { replyToClientError, writeError } from './client-error.ts';
import { allowOrigins } from './cross-origin.ts';
import { replyWithError } from './error-reply.ts';
import { handOver } from './mounted.ts';
import { compiling, OpenApiDocument, withoutCompilers } from './open-api-document.ts';
import { readDocsRoute, readMetricsRoute, readOpenApiRoute } from './service-routes.ts';
import { RouteIndex } from './route-index.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServiceOptions } from './service-options.ts';
import { secureContextOf } from './tls-certificate.ts';
import { compileValidator } from './validation.ts';

/** The interval at which Node checks for slow clients; its default is 30 seconds. */
const slowClientCheckMs = { shortest: 25, longest: 5000 };

/** Returns the HTTP server with all routes, ready to listen. */
export async function createServer(
  service: ServiceOptions,
  context: ServiceContext,
): Promise<FastifyInstance> {
  const { server: options } = service;
  const { clock, calls } = context;
  const { logger, requestTimeoutMs, tls } = options;
  const random = options.random ?? systemRandom;
  const http = {
    maxHeaderSize: options.headerBytesMax,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    requireHostHeader: false, // a hook of the service answers
    connectionsCheckingInterval: Math.min(
      slowClientCheckMs.longest,
      Math.max(slowClientCheckMs.shortest, requestTimeoutMs / 4),
    ),
  };
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    replyWithError(error, request, reply, options.basicOffered);
  const { bodies = 'json' } = service;
  // The same instance in both cases; only its types distinguish HTTP from HTTPS.
  const server = fastify({
    ...(logger !== undefined && { loggerInstance: logger }),
    // A hook of the service logs calls, and omits private data.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: () => createRequestId(clock, random),
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: options.idleTimeoutMs,
    requestTimeout: requestTimeoutMs,
    ...(tls === undefined ? { http } : { https: { ...http, ...secureContextOf(tls) } }),
    // Ids are checked where they are looked up; here only the header limit applies.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: options.headerBytesMax },
    frameworkErrors: answerError,
    trustProxy:
      options.trustedProxies === undefined || options.trustedProxies.length === 0
        ? false
        : [...options.trustedProxies],
    forceCloseConnections: true, // it is closed when nothing is left to wait for
    return503OnClosing: false, // a hook of the service answers
    clientErrorHandler: (error, socket) => replyToClientError(error, socket, calls.isBusy(socket)),
    schemaController: compiling({
      ...withoutCompilers,
      ...(bodies === 'json' && { buildValidator: () => compileValidator }),
    }),
  } as FastifyServerOptions);
  server.setErrorHandler(answerError);
  const routes = [...service.routes(context), ...selfRoutes(service, () => document.read())];
  const document = new OpenApiDocument(routes, service.about, options.version);
  const index = new RouteIndex(routes);
  const explain = (request: FastifyRequest, reply: FastifyReply): QuireError => {
    const { error, allowed } = index.explain(request.method, request.url);
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    return error;
  };
  server.setNotFoundHandler((request, reply) =>
    answerError(explain(request, reply), request, reply),
  );
  if (bodies === 'json') readJsonBodies(server);
  else handOverBodies(server);
  allowOrigins(server, options.corsOrigins ?? []);
  if (service.mounted !== undefined) await handOver(server, service.mounted);
  addCallHooks(server, context, options, explain);
  for (const route of routes.filter(({ config }) => config?.isUpload !== true)) {
    server.route(route);
  }
  server.register((uploads, _options, done) => {
    // A file is not parsed, whatever its media type: one that is JSON may be large, too.
    handOverBodies(uploads);
    for (const route of routes.filter(({ config }) => config?.isUpload === true)) {
      uploads.route(route);
    }
    done();
  });
  // Without these listeners Node would close the connection, or answer without a body.
  server.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    writeError(socket, new QuireError('METHOD_NOT_ALLOWED', 'CONNECT is not supported.'));
  });
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    // The expectation may be ignored (RFC 9110 section 10.1.1): the request is answered as if it
    // had none.
    server.server.emit('request', request, response);
  });
  await server.ready();
  return server;
}

/** Returns the routes about the service itself, which are the same in all services. */
function selfRoutes(
  { metrics, server }: ServiceOptions,
  readDocument: () => Promise<ApiDocument>,
): RouteOptions[] {
  const { metricsEnabled = true, docsEnabled = true, docsPublic = false } = server;
  const docs = [
    readOpenApiRoute(readDocument),
    readDocsRoute(readDocument, { isPublic: docsPublic }),
  ].map((route) => (docsPublic ? withoutCredentials(route) : route));
  return [...(metricsEnabled ? [readMetricsRoute(metrics)] : []), ...(docsEnabled ? docs : [])];
}

function withoutCredentials(route: RouteOptions): RouteOptions {
  return {
    ...route,
    schema: { ...route.schema, security: [] },
    config: { ...route.config, isPublic: true },
  };
}

/**
 * Adds the parser of JSON bodies; an empty body counts as absent, because some clients declare JSON
 * with every call.
 */
function readJsonBodies(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => {
    done(
      new QuireError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The Content-Type of the request body is not application/json.',
      ),
    );
  });
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Some editors and shells write a byte order mark first.
    const text = (body as string).replace(/^\uFEFF/, '');
    if (text.length === 0) return done(null, undefined);
    const { parseBody } = request.routeOptions.config;
    if (parseBody !== undefined) return done(...parsedBy(parseBody, text));
    void parseJson(request, text, done);
  });
}

function parsedBy(
  parse: (text: string) => unknown,
  body: string,
): [error: Error | null, value?: unknown] {
  try {
    return [null, parse(body)];
  } catch (error) {
    if (isQuireError(error)) return [error];
    // The runtime's stack overflows if values are nested deeply.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    return [
      new QuireError('INVALID_BODY', 'The request body is not valid JSON.', { cause: error }),
    ];
  }
}

/** Passes bodies of any media type to the routes unread. */
function handOverBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}
