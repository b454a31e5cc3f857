import { isQuireError, QuireError } from '@quire/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callContextOf, setCallContext } from './call-context.ts';
import type { CallOutcome } from './calls-under-way.ts';
import { errorStatuses, routePatterns } from '@quire/api';
import { unknownTransferEncoding } from './client-error.ts';
import { toQuireError } from './error-reply.ts';
import { assertOwnOrAllowedPage } from './foreign-pages.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServerOptions } from './service-options.ts';

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

  server.addHook('onRequest', async (request, reply) => {
    const call = calls.begin(reply.raw);
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
  { authenticate, limits }: ServerOptions,
): Promise<void> {
  const context = callContextOf(request);
  const header = request.headers.authorization;
  const waitMs = limits?.retryAfterFailuresMs(request.ip, header) ?? 0;
  if (waitMs > 0) throw tooMany(reply, waitMs, 'Too many wrong credentials came from this address');
  try {
    context.principal = await authenticate(header);
  } catch (error) {
    if (isQuireError(error, 'UNAUTHENTICATED')) limits?.countFailure(request.ip, header);
    throw error;
  }
  if (limits === undefined) return;
  limits.countSuccess(header);
  const admission = limits.admit(context.principal);
  if (!admission.isAdmitted) {
    throw tooMany(reply, admission.retryAfterMs, `${context.principal.name} ${admission.problem}`);
  }
  context.admitted = admission;
  void context.call.outcome.then(admission.release);
}

/**
 * Lets a call start work of its own, such as a query. Calls that only read, watch or cancel do not
 * ask: a principal whose work fills its limit can still see to it.
 *
 * @throws TOO_MANY_REQUESTS when the principal has as much under way as it may, the work of earlier
 * calls included
 */
export function admitWork(request: FastifyRequest, reply: FastifyReply): void {
  const { admitted, principal } = callContextOf(request);
  const refusal = admitted?.refuseWork();
  if (refusal !== undefined) {
    throw tooMany(reply, refusal.retryAfterMs, `${principal?.name} ${refusal.problem}`);
  }
}

/** Counts the caller until the work has ended, however it ends, which may be after its call. */
export function countWork(request: FastifyRequest, work: Promise<unknown>): void {
  const ignore = (): void => undefined;
  callContextOf(request).admitted?.follow(work.then(ignore, ignore));
}

function tooMany(reply: FastifyReply, waitMs: number, what: string): QuireError {
  const seconds = Math.ceil(waitMs / 1000);
  reply.header('retry-after', String(seconds));
  return new QuireError('TOO_MANY_REQUESTS', `${what}; try again in ${seconds} s.`);
}

/**
 * One line in the log and one point in the metrics per call. The URL shows in neither: it may hold
 * what is nobody's business.
 */
function observeEnd(
  { clock, metrics }: ServiceContext,
  request: FastifyRequest,
  end: number | UnfinishedOutcome,
): void {
  const { startMs, principal, failure, notes } = callContextOf(request);
  const durationMs = clock.monotonicMs() - startMs;
  const brokenStatus =
    errorStatuses[failure === undefined ? 'ABORTED' : toQuireError(failure).code];
  const status = typeof end === 'number' ? end : brokenStatus;
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  metrics.observeCall({ method, route, status, durationMs });
  if (end === 'stalled') metrics.observeStalled(route);
  if (typeof end !== 'number' && status >= 500) {
    request.log.error({ err: failure }, 'response cut off');
  }
  // Those who watch ask every few seconds: what is as it should be says nothing new.
  const isRoutine =
    status < 400 && (route === routePatterns.health || route === routePatterns.metrics);
  request.log[isRoutine ? 'debug' : 'info'](
    { method, route, status, durationMs, principal: principal?.name, ...notes },
    typeof end === 'number' ? 'call ended' : endings[end],
  );
}

type UnfinishedOutcome = Exclude<CallOutcome, 'finished'>;

const endings: Readonly<Record<UnfinishedOutcome, string>> = {
  broken: 'call broken off',
  stalled:
    'call ended: the client took nothing of the response within engine.broker.page.stall.timeout',
};
