import { QuireError } from '@quire/core';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admitCaller, assertMayWork, followWork } from './admit-caller.ts';
import { type CallContext, callContextOf, setCallContext } from './call-context.ts';
import type { CallOutcome } from './calls-under-way.ts';
import { errorStatuses, routePatterns } from '@quire/api';
import { addCallSpans, endCallSpan } from './call-spans.ts';
import { unknownTransferEncoding } from './client-error.ts';
import { toQuireError } from './error-reply.ts';
import { assertOwnOrAllowedPage } from './foreign-pages.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServerOptions } from './service-options.ts';
import { logTrace } from './trace-context.ts';

/**
 * What happens to every call: it is counted in, let in or refused, and logged and measured when it
 * has ended.
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
      throw new QuireError('SHUTTING_DOWN', 'The server is shutting down; call another one.');
    }
    // Before credentials: a page of another site must not have the browser ask for a password
    // either.
    assertOwnOrAllowedPage(request, options.corsOrigins);
  });

  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isPublic === true) return;
    await letIn(request, reply, options);
  });

  server.addHook('onRequest', async (request, reply) => {
    // The framework would first ask a call of this method for its body, whatever the path.
    if (request.is404 && request.method === 'QUERY') throw explainMissing(request, reply);
    assertPlainBody(request);
  });
}

/** Refuses a body that is compressed: it would be taken for broken JSON, or for the file itself. */
function assertPlainBody({ headers, routeOptions }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const takesBody = routeOptions.schema?.body !== undefined || routeOptions.config.isUpload;
  if (encoding === '' || encoding === 'identity' || takesBody !== true) return;
  throw new QuireError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Encoding is '${encoding.slice(0, 40)}'; expected a body that is not compressed.`,
  );
}

/**
 * Refuses what Node would answer by itself, without a body, or read as if it were something else.
 */
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

/** Finds out who calls, and whether it may call just now, before anything else is done for it. */
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

/** As `assertMayWork`, for the caller of a request. */
export function admitWork(request: FastifyRequest, reply: FastifyReply): void {
  assertMayWork(callContextOf(request), retryAfterOn(reply));
}

/** As `followWork`, for the caller of a request. */
export function countWork(request: FastifyRequest, work: Promise<unknown>): void {
  followWork(callContextOf(request), work);
}

function retryAfterOn(reply: FastifyReply): (seconds: number) => void {
  return (seconds) => void reply.header('retry-after', String(seconds));
}

/**
 * One line in the log and one point in the metrics per call. The URL shows in neither: it may hold
 * what is nobody's business.
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

/** A call that has ended: by a status, or before its response was whole. */
export interface CallEnd {
  readonly method: string;
  readonly route: string;
  readonly log: FastifyBaseLogger;
  readonly end: number | UnfinishedOutcome;
}

/** The same for a call of any protocol. */
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
  // Those who watch ask every few seconds: what is as it should be says nothing new.
  const isRoutine =
    status < 400 && (route === routePatterns.health || route === routePatterns.metrics);
  log[isRoutine ? 'debug' : 'info'](
    { method, route, status, durationMs, principal: principal?.name, ...notes },
    typeof end === 'number' ? 'call ended' : endings[end],
  );
}

/** How a call ended whose response is not whole. */
export type UnfinishedOutcome = Exclude<CallOutcome, 'finished'>;

const endings: Readonly<Record<UnfinishedOutcome, string>> = {
  broken: 'call broken off',
  stalled:
    'call ended: the client took nothing of the response within engine.broker.page.stall.timeout',
};
