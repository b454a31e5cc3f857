import { abortError, objectNotFound, isQuireError, QuireError } from '@quire/core';
import { describeCall, type FailedCall } from '@quire/core/bucket';

/**
 * What the SDK tells of a failed request: the error's name is the code in the server's answer, if
 * it had one.
 */
interface ServerError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Code?: string;
}

/** Answers that come right by themselves when the same request is sent again. */
const passingCodes = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'OperationAborted',
  'InternalError',
]);
/** No room: Amazon has no such answer, others do. */
const fullCodes = new Set([
  'XMinioStorageFull',
  'QuotaExceeded',
  'EntityTooLarge',
  'NoSpaceLeftOnDevice',
]);
/** A file or directory of a server on a file system stands where the object should. */
const obstacleCodes = new Set([
  'ObjectParentIsFile',
  'ExistingObjectIsDirectory',
  'DirectoryObjectContainsData',
  'XMinioParentIsObject',
]);
/**
 * Refusals with a status that could mean something else, and what is found before a request is
 * sent.
 */
const credentialCodes = new Set([
  'AccessDenied', // of one key among others, which has no status of its own
  'XAdminUserNotFound',
  'InvalidAccessKeyId',
  'CredentialsProviderError',
  'TokenProviderError',
  'InvalidRegionError',
]);

/** The QuireError that a failure of a request stands for. */
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

  if (code === 'NoSuchUpload' || code === 'InvalidPart') {
    return failed(
      'STORE_MISCONFIGURED',
      " The upload was given up by another program while it was written: by a cleaner, whose grace period (graceMs) must be longer than any write, or by the bucket's rule for unfinished uploads.",
    );
  }
  if (passingCodes.has(code)) return failed('STORE_UNAVAILABLE');
  if (fullCodes.has(code) || status === 507) return failed('STORE_FULL');
  if (op === 'put' && (obstacleCodes.has(code) || status === 409)) {
    return failed('INVALID_OBJECT_KEY', ' It lies above or below another object.');
  }
  if (code === 'NoSuchBucket') {
    return failed('STORE_MISCONFIGURED', ' Check the name of the bucket.');
  }
  if (status === 401 || status === 403 || credentialCodes.has(code)) {
    return failed('STORE_MISCONFIGURED', ' Check the credentials and what they allow.');
  }
  if ((op === 'head' || op === 'get') && (code === 'NoSuchKey' || status === 404)) {
    return objectNotFound(key, location, error);
  }
  if (op === 'get' && status === 416) return failed('OBJECT_SHORT_READ');
  if (
    (status !== undefined && status >= 300 && status < 400) ||
    code === 'AuthorizationHeaderMalformed'
  ) {
    return failed('STORE_MISCONFIGURED', ' Check the region and the endpoint.');
  }
  // What a server does not know it will not know later.
  if (
    status === 501 ||
    (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429)
  ) {
    return failed('STORE_MISCONFIGURED');
  }
  // 5xx, 408, 429, and whatever kept an answer from coming, or from being one.
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

/** Tells whether the server answered that there is no such thing. */
export function isAbsence(error: unknown): boolean {
  return statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket';
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error ? (error as ServerError).$metadata?.httpStatusCode : undefined;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { Code, name } = error as ServerError;
  return Code ?? name;
}

function describe(error: unknown, code: string, status: number | undefined): string {
  const message =
    error instanceof Error && error.message !== ''
      ? error.message.replace(/\.+$/, '')
      : 'no answer came';
  const facts = [code === 'Error' ? '' : code, status === undefined ? '' : `HTTP ${status}`].filter(
    (fact) => fact !== '' && fact !== message,
  );
  return facts.length === 0 ? message : `${facts.join(', ')}: ${message}`;
}
