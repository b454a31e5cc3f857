import { FailureTranslator } from '@quire/core/bucket';

/** A failure answer of the server. */
export class FailedAnswer extends Error {
  override readonly name = 'FailedAnswer';
  readonly status: number;
  /** The server's reason, such as `rateLimitExceeded`; empty if there is none. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Reasons of temporary failures, after which the same request may succeed. */
const passingReasons = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'backendError',
  'internalError',
]);
/** Matches the library's messages for missing or rejected credentials. */
const credentialsPattern =
  /default credentials|invalid_grant|invalid_client|invalid_scope|client_email|private.?key|keyfile|ENOENT|DECODER/i;

/** Translates failures of requests to QuireErrors. */
export const requestFailures = new FailureTranslator({
  read: (error) => {
    const status = statusOf(error);
    const code = error instanceof FailedAnswer ? error.reason : '';
    return { code, status, text: describe(error, status) };
  },
  judge: ({ code, status }, { op }, error) => {
    const message = error instanceof Error ? error.message : '';
    if (status === undefined && credentialsPattern.test(message)) {
      return ['STORE_MISCONFIGURED', ' Check the credentials.'];
    }
    if (passingReasons.has(code)) return ['STORE_UNAVAILABLE'];
    const isOfObject = (op === 'head' || op === 'get') && !/bucket does not exist/i.test(message);
    return status === 404 && !isOfObject
      ? ['STORE_MISCONFIGURED', ' Check the name of the bucket.']
      : undefined;
  },
});

/** Reports whether a precondition on the state of the object failed. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Returns the status of the failed answer, here or in the library; undefined if there was none. */
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
 * Returns the causes of a failure, because `fetch` only reports that it failed. If several
 * addresses were tried, the cause of the first failure.
 */
function causesOf(error: unknown): string[] {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error ? [messageOf(first), ...causesOf(first)] : [];
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? error.message.replace(/\.+$/, '')
    : 'no answer was received';
}
