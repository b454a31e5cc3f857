import { QuireError } from '@quire/core';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admitCaller, assertMayWork, followWork } from './admit-caller.ts';
import { type CallContext, callContextOf, setCallContext } from './call-context.ts';
import type { CallOutcome } from './calls-in-progress.ts';
import { errorStatuses, routePatterns } from '@quire/api';
import { addCallSpans, endCallSpan } from './call-spans.ts';
import { unknownTransferEncoding } from './client-error.ts';
import { toQuireError } from './error-reply.ts';
import { assertOwnOrAllowedPage } from './foreign-pages.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServerOptions } from './service-options.ts';
import { logTrace } from './trace-context.ts';

/**
 * Adds the hooks for every call: count it, authenticate or refuse it, and log and measure it when
 * it has ended.
 */
export function addCallHooks(
  server: FastifyInstance,
  context: ServiceContext,
  options: ServerOptions,
  explainMissing: (request: FastifyRequest, reply: FastifyReply) => QuireError,
): void {
  const { clock, calls } = context;
  addCallSpans(server);

  server.addHook('onRequest', async (request, reply) => {
    const call = calls.begin(reply.raw);
    logTrace(request, reply);
    setCallContext(request, { call, startMs: clock.monotonicMs() });
    reply.header('x-request-id', request.id);
    void call.outcome.then((outcome) =>
      observeEnd(context, request, outcome === 'finished' ? reply.statusCode : outcome),
    );
    assertUnderstood(request, reply);
    if (calls.isDraining) {
      throw new QuireError('SHUTTING_DOWN', 'The server is shutting down; use another server.');
    }
    // Checked before credentials: a page of another site must not make the browser ask for a
    // password.
    assertOwnOrAllowedPage(request, options.corsOrigins);
  });

  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isPublic === true) return;
    await letIn(request, reply, options);
  });

  server.addHook('onRequest', async (request, reply) => {
    // The framework would first require a body for this method, whatever the path.
    if (request.is404 && request.method === 'QUERY') throw explainMissing(request, reply);
    assertPlainBody(request);
  });
}

/**
 * Rejects a compressed body, which would otherwise be parsed as invalid JSON, or stored as the
 * file.
 */
function assertPlainBody({ headers, routeOptions }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const takesBody = routeOptions.schema?.body !== undefined || routeOptions.config.isUpload;
  if (encoding === '' || encoding === 'identity' || takesBody !== true) return;
  throw new QuireError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Encoding is '${encoding.slice(0, 40)}'; expected an uncompressed body.`,
  );
}

/** Rejects requests that Node would answer by itself without a body, or would misinterpret. */
function assertUnderstood(request: FastifyRequest, reply: FastifyReply): void {
  const { headers, httpVersion } = request.raw;
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked') {
    reply.header('connection', 'close');
    throw unknownTransferEncoding();
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new QuireError('INVALID_PARAMETER', 'The Host header is missing; HTTP/1.1 requires it.');
  }
}

/** Authenticates the caller and checks its limits before anything else. */
async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
): Promise<void> {
  const context = callContextOf(request);
  const { authorization } = request.headers;
  const caller = { authorization, address: request.ip };
  const { admitted } = await admitCaller(options, caller, retryAfterOn(reply), (principal) => {
    context.principal = principal;
  });
  if (admitted === undefined) return;
  context.admitted = admitted;
  void context.call.outcome.then(admitted.release);
}

/** Checks the caller of a request as `assertMayWork` does. */
export function admitWork(request: FastifyRequest, reply: FastifyReply): void {
  assertMayWork(callContextOf(request), retryAfterOn(reply));
}

/** Counts work for the caller of a request as `followWork` does. */
export function countWork(request: FastifyRequest, work: Promise<unknown>): void {
  followWork(callContextOf(request), work);
}

function retryAfterOn(reply: FastifyReply): (seconds: number) => void {
  return (seconds) => void reply.header('retry-after', String(seconds));
}

/**
 * Writes one line in the log and one point in the metrics for each call. Neither contains the URL,
 * which may include private data.
 */
function observeEnd(
  context: ServiceContext,
  request: FastifyRequest,
  end: number | UnfinishedOutcome,
): void {
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  const callContext = callContextOf(request);
  observeCallEnd(context, callContext, { method, route, log: request.log, end });
  endCallSpan(request, end, callContext.principal?.name);
}

/** The end of a call: its status, or the reason why its response is incomplete. */
export interface CallEnd {
  readonly method: string;
  readonly route: string;
  readonly log: FastifyBaseLogger;
  readonly end: number | UnfinishedOutcome;
}

/** Observes the end of a call of any protocol. */
export function observeCallEnd(
  { clock, metrics }: Pick<ServiceContext, 'clock' | 'metrics'>,
  context: Omit<CallContext, 'call'>,
  { method, route, log, end }: CallEnd,
): void {
  const { startMs, principal, failure, notes } = context;
  const durationMs = clock.monotonicMs() - startMs;
  const brokenStatus =
    errorStatuses[failure === undefined ? 'ABORTED' : toQuireError(failure).code];
  const status = typeof end === 'number' ? end : brokenStatus;
  metrics.observeCall({ method, route, status, durationMs });
  if (end === 'stalled') metrics.observeStalled(route);
  if (typeof end !== 'number' && status >= 500) {
    log.error({ err: failure }, 'response cut off');
  }
  // Monitoring calls repeat every few seconds: successful ones are not worth a line.
  const isRoutine =
    status < 400 && (route === routePatterns.health || route === routePatterns.metrics);
  log[isRoutine ? 'debug' : 'info'](
    { method, route, status, durationMs, principal: principal?.name, ...notes },
    typeof end === 'number' ? 'call ended' : endings[end],
  );
}

/** The end of a call whose response is incomplete. */
export type UnfinishedOutcome = Exclude<CallOutcome, 'finished'>;

const endings: Readonly<Record<UnfinishedOutcome, string>> = {
  broken: 'call aborted',
  stalled:
    'call ended: the client received nothing of the response within engine.broker.page.stall.timeout',
};
