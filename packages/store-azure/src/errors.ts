import { abortError, objectNotFound, isQuireError, QuireError } from '@quire/core';
import { describeCall, type FailedCall } from '@quire/core/bucket';

/**
 * What the SDK says of a failed request: the code is that of the server, in the headers of its answer
 * or in its body, or of the connection.
 */
interface ServerError extends Error {
  readonly statusCode?: number;
  readonly code?: string;
  readonly details?: { readonly errorCode?: string };
}

/** Refusals that the same request does not receive later. */
const passingCodes = new Set(['ServerBusy', 'InternalError', 'OperationTimedOut']);
/** Credentials that the SDK or the server cannot use, whatever the status. */
const credentialCodes = new Set([
  'AuthenticationFailed',
  'AuthorizationFailure',
  'InvalidAuthenticationInfo',
  'NoAuthenticationInformation',
  'AccountIsDisabled',
]);

/** Returns the QuireError that a failure of a request stands for. */
export function toStoreError(error: unknown, call: FailedCall): QuireError {
  if (isQuireError(error)) return error;
  if (call.signal?.aborted === true) return abortError(call.signal);
  const { op, key, location } = call;
  const status = statusOf(error);
  const code = codeOf(error);
  const failed = (as: ConstructorParameters<typeof QuireError>[0], hint = ''): QuireError =>
    new QuireError(as, `${describeCall(call)} failed: ${describe(error, code, status)}.${hint}`, {
      cause: error,
    });

  if (code === 'InvalidBlockList' || code === 'InvalidBlockId') {
    return failed(
      'STORE_MISCONFIGURED',
      ' The blocks of the upload were removed while it was written: by a cleaner, whose grace period (graceMs) must be longer than any write, or by another write of the same object.',
    );
  }
  // The SDK refuses answers that do not say what they hold, and to sign a link without a key.
  if (error instanceof RangeError && op === 'get') return failed('OBJECT_SHORT_READ');
  if (passingCodes.has(code)) return failed('STORE_UNAVAILABLE');
  if (status === 413 || status === 507 || code === 'BlockCountExceedsLimit') {
    return failed('STORE_FULL');
  }
  if (code === 'ContainerNotFound' || code === 'ContainerBeingDeleted') {
    return failed('STORE_MISCONFIGURED', ' Check the name of the container.');
  }
  if (
    status === 401 ||
    status === 403 ||
    credentialCodes.has(code) ||
    error instanceof RangeError
  ) {
    return failed('STORE_MISCONFIGURED', ' Check the credentials and what they allow.');
  }
  if ((op === 'head' || op === 'get') && status === 404) {
    return objectNotFound(key, location, error);
  }
  if (op === 'get' && status === 416) return failed('OBJECT_SHORT_READ');
  if (
    status === 501 ||
    (status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429)
  ) {
    return failed('STORE_MISCONFIGURED');
  }
  // 5xx, 408, 429, and failures without an answer.
  return failed('STORE_UNAVAILABLE');
}

/** Runs requests of one call of the store and throws their failures as QuireErrors. */
export async function translated<T>(call: FailedCall, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toStoreError(error, call);
  }
}

/** Tells whether the server answered that there is no such blob. */
export function isAbsence(error: unknown): boolean {
  return statusOf(error) === 404 && !codeOf(error).startsWith('Container');
}

/** Tells whether a condition on the state of the blob was not met. */
export function isConflict(error: unknown): boolean {
  const status = statusOf(error);
  return status === 409 || status === 412;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error ? (error as ServerError).statusCode : undefined;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { details, code = '' } = error as ServerError;
  return details?.errorCode ?? code;
}

function describe(error: unknown, code: string, status: number | undefined): string {
  // The first line; the SDK adds ids and times of the request in others.
  const [text = ''] = error instanceof Error ? error.message.split('\n') : [];
  const message = text.trim() === '' ? 'no answer' : text.trim().replace(/\.+$/, '');
  const facts = [code, status === undefined ? '' : `HTTP ${status}`].filter(
    (fact) => fact !== '' && !message.includes(fact),
  );
  return facts.length === 0 ? message : `${facts.join(', ')}: ${message}`;
}
