import { abortError, objectNotFound, isQuireError, QuireError } from '@quire/core';
import { describeCall, type FailedCall } from '@quire/core/bucket';

/** An answer of the server that says that a request has failed. */
export class FailedAnswer extends Error {
  override readonly name = 'FailedAnswer';
  readonly status: number;
  /** The server's word for it, such as `rateLimitExceeded`; empty when it gave none. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Refusals that come right by themselves when the same request is sent later. */
const passingReasons = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'backendError',
  'internalError',
]);
/** What the library says when it finds no credentials, or Google no longer accepts them. */
const credentialsPattern =
  /default credentials|invalid_grant|invalid_client|invalid_scope|client_email|private.?key|keyfile|ENOENT|DECODER/i;

/** The QuireError that a failure of a request stands for. */
export function toStoreError(error: unknown, call: FailedCall): unknown {
  if (isQuireError(error)) return error;
  if (call.signal?.aborted === true) return abortError(call.signal);
  const { op, key, location } = call;
  const status = statusOf(error);
  const failed = (as: ConstructorParameters<typeof QuireError>[0], hint = ''): QuireError =>
    new QuireError(as, `${describeCall(call)} failed: ${describe(error, status)}.${hint}`, {
      cause: error,
    });

  if (status === undefined) {
    const isDenied = error instanceof Error && credentialsPattern.test(error.message);
    return isDenied
      ? failed('STORE_MISCONFIGURED', ' Check the credentials.')
      : failed('STORE_UNAVAILABLE');
  }
  if (error instanceof FailedAnswer && passingReasons.has(error.reason)) {
    return failed('STORE_UNAVAILABLE');
  }
  if (status === 404) {
    const isObject =
      (op === 'head' || op === 'get') && !/bucket does not exist/i.test((error as Error).message);
    return isObject
      ? objectNotFound(key, location, error)
      : failed('STORE_MISCONFIGURED', ' Check the name of the bucket.');
  }
  if (op === 'get' && status === 416) return failed('OBJECT_SHORT_READ');
  if (status === 413 || status === 507) return failed('STORE_FULL');
  if (status === 401 || status === 403) {
    return failed('STORE_MISCONFIGURED', ' Check the credentials and what they allow.');
  }
  if (status >= 300 && status < 500 && status !== 408 && status !== 429) {
    return failed('STORE_MISCONFIGURED');
  }
  return failed('STORE_UNAVAILABLE');
}

/** Runs requests of one call of the store; their failures come out as QuireErrors. */
export async function translated<T>(call: FailedCall, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toStoreError(error, call);
  }
}

/** The status of the answer that failed, here or in the library; undefined when there was none. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof FailedAnswer) return error.status;
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}

function describe(error: unknown, status: number | undefined): string {
  const message = messageOf(error);
  if (status !== undefined) return `HTTP ${status}: ${message}`;
  return [message, ...causesOf(error).filter((cause) => cause !== message)].join(': ');
}

/**
 * What stands behind a failure: `fetch` says only that it failed. Of several addresses that were
 * tried, the first speaks for all.
 */
function causesOf(error: unknown): string[] {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error ? [messageOf(first), ...causesOf(first)] : [];
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? error.message.replace(/\.+$/, '')
    : 'no answer came';
}
