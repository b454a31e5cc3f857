import { FailureTranslator } from '@quire/core/bucket';

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

/** The failures of requests as QuireErrors. */
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

/** Tells whether a condition on the state of the object was not met. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 412;
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
