import { authenticateChallenges } from '@quire/auth';
import { brokerHeadersOf, brokerMembersOf, type ErrorBody, errorStatuses } from '@quire/api';
import { type ErrorCode, isQuireError, MiB, QuireError } from '@quire/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { auditedCallOf, auditRefusal } from './audit.ts';
import { findCallContext } from './call-context.ts';

/** The framework's errors that the caller can correct, by their code. */
const frameworkErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type of the request body is not application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'INVALID_BODY',
    'The length of the request body does not match Content-Length.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['INVALID_BODY', 'The request body is empty; expected JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['INVALID_BODY', 'The request body is not valid JSON.'],
  FST_ERR_BAD_URL: [
    'INVALID_PARAMETER',
    'The path cannot be decoded: its percent-encoding is not valid.',
  ],
  FST_ERR_MAX_PARAM_LENGTH: ['INVALID_PARAMETER', 'A part of the path is too long.'],
};

/** Returns the QuireError for any thrown value; unexpected values are INTERNAL. */
export function toQuireError(error: unknown): QuireError {
  if (isQuireError(error)) return error;
  const { code, statusCode } =
    error instanceof Error ? (error as { code?: unknown; statusCode?: unknown }) : {};
  const known = typeof code === 'string' ? frameworkErrors[code] : undefined;
  if (known !== undefined) return new QuireError(known[0], known[1], { cause: error });
  // The JSON parser and others mark the caller's errors with a 4xx status.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new QuireError('INVALID_BODY', 'The request cannot be read; expected a JSON body.', {
      cause: error,
    });
  }
  return new QuireError('INTERNAL', 'An unexpected error occurred.', { cause: error });
}

/**
 * The refusals of a body that may not have been received completely; the framework closes the
 * connection after them.
 */
const bodyErrors: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_BODY',
]);
const discardedBytesMax = 4 * MiB;

/**
 * Lets Node read and drop the rest of a refused body if it is small enough. Closing the connection
 * earlier resets it, and a client that is still sending may lose the answer.
 */
function keepOrClose({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (Number(headers['content-length']) <= discardedBytesMax) reply.removeHeader('connection');
  else reply.header('connection', 'close');
}

/**
 * Returns the part of an error's message that a caller may read: keys, paths and hosts stay in the
 * log. An admin also reads the error's hint for admins.
 */
export function publicMessage(
  error: QuireError,
  requestId: string,
  { isAdmin = false }: { readonly isAdmin?: boolean } = {},
): string {
  const message = callersMessage(error, requestId);
  return isAdmin && error.adminHint !== undefined ? `${message} ${error.adminHint}` : message;
}

function callersMessage(error: QuireError, requestId: string): string {
  const { code, kind } = error;
  if (error.isForCallers) return error.message;
  const more = `The log has details of call ${requestId}.`;
  if (code === 'STORE_FULL') return 'The result store is full.';
  if (code === 'STORE_UNAVAILABLE' || code === 'STORE_TIMED_OUT') {
    return `The result store does not answer; try again. ${more}`;
  }
  // The message names a table, a segment or a record, about which the caller or an admin can do
  // something.
  if (code === 'TABLE_DAMAGED' || code === 'RECORD_DAMAGED') return error.message;
  if (kind === 'corrupt' || code === 'OBJECT_NOT_FOUND') {
    return `The stored result is damaged. ${more}`;
  }
  if (kind === 'internal') return `An unexpected error occurred. ${more}`;
  return error.message;
}

export function errorBodyOf(
  error: QuireError,
  requestId: string,
  reader: { readonly isAdmin?: boolean } = {},
): ErrorBody {
  return {
    code: errorStatuses[error.code],
    error: publicMessage(error, requestId, reader),
    reason: error.code,
    ...(error.broker !== undefined && brokerMembersOf(error.broker)),
    ...(error.findings !== undefined && { findings: [...error.findings] }),
  };
}

/** Reports whether an operator must know of an error: not one of its caller or of a shutdown. */
export function isServerFailure({ code, kind }: QuireError): boolean {
  return errorStatuses[code] >= 500 && kind !== 'unsupported' && code !== 'SHUTTING_DOWN';
}

/** The codes of Node's errors for a connection that its other side has closed. */
const closedCodes: readonly unknown[] = ['ABORT_ERR', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'];

/**
 * Reports whether a failure is a consequence of the client's disconnecting: no one waits for the
 * answer, and an operator has nothing to repair. A defect or damage that such a call detects is
 * still reported.
 */
function isOfClosedConnection({ kind, cause }: QuireError, request: FastifyRequest): boolean {
  const reason: unknown = findCallContext(request)?.call.signal.reason;
  // A request that has been read to its end is destroyed as well.
  const isCutOff = request.raw.destroyed && !request.raw.complete;
  const isClosed = isQuireError(reason, 'ABORTED') || isCutOff;
  if (kind === 'corrupt' || !isClosed) return false;
  return kind !== 'internal' || (isErrorWithCode(cause) && closedCodes.includes(cause.code));
}

function isErrorWithCode(cause: unknown): cause is Error & { readonly code: unknown } {
  return cause instanceof Error && 'code' in cause;
}

/**
 * Answers a call with an error, and logs it for operators. `offersBasic`: true if a 401 makes
 * browsers ask for a name and password.
 */
export function replyWithError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  offersBasic = true,
): void {
  const error = toQuireError(thrown);
  const isAdmin = findCallContext(request)?.principal?.role === 'admin';
  const body = errorBodyOf(error, request.id, { isAdmin });
  if (isServerFailure(error) && !isOfClosedConnection(error, request)) {
    request.log.error({ err: error }, 'call failed');
  }
  if (body.code === 401) reply.header('www-authenticate', authenticateChallenges({ offersBasic }));
  if ((body.code === 429 || body.code === 503) && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', '1');
  }
  if (error.broker !== undefined) reply.headers(brokerHeadersOf(error.broker));
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  auditRefusal(auditedCallOf(request), error, { method, route });
  if (error.code === 'SHUTTING_DOWN') reply.header('connection', 'close');
  else if (bodyErrors.has(error.code)) keepOrClose(request, reply);
  void reply
    .code(body.code)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(body));
}
