import { FailureTranslator } from '@quire/core/bucket';

/**
 * The SDK's error for a failed request: its name is the code in the server's answer, if there was
 * one.
 */
interface ServerError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Code?: string;
}

/** Codes of temporary failures, after which the same request may succeed. */
const passingCodes = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'OperationAborted',
  'ConditionalRequestConflict', // another write of the same object was in progress
  'InternalError',
]);
/** Codes for a full store, which Amazon never returns, but other servers do. */
const fullCodes = new Set([
  'XMinioStorageFull',
  'QuotaExceeded',
  'EntityTooLarge',
  'NoSpaceLeftOnDevice',
]);
/** Codes of servers on file systems if a file or directory blocks the path of the object. */
const obstacleCodes = new Set([
  'ObjectParentIsFile',
  'ExistingObjectIsDirectory',
  'DirectoryObjectContainsData',
  'XMinioParentIsObject',
]);
/** Codes of refused credentials, with an ambiguous status, or detected before a request is sent. */
const credentialCodes = new Set([
  'AccessDenied', // for one key of a bulk delete, which has no status of its own
  'XAdminUserNotFound',
  'InvalidAccessKeyId',
  'CredentialsProviderError',
  'TokenProviderError',
  'InvalidRegionError',
]);

/** Translates failures of requests to QuireErrors. */
export const requestFailures = new FailureTranslator({
  read: (error) => {
    const code = codeOf(error);
    const status = statusOf(error);
    return { code, status, text: describe(error, code, status) };
  },
  judge: ({ code, status }, { op }) => {
    if (code === 'NoSuchUpload' || code === 'InvalidPart') {
      return [
        'STORE_MISCONFIGURED',
        " The upload was aborted by another program while it was written: by a cleaner, whose grace period (graceMs) must be longer than any write, or by the bucket's rule for unfinished uploads.",
      ];
    }
    if (passingCodes.has(code)) return ['STORE_UNAVAILABLE'];
    if (fullCodes.has(code)) return ['STORE_FULL'];
    if (op === 'put' && (obstacleCodes.has(code) || status === 409)) {
      return ['INVALID_OBJECT_KEY', ' It is above or below another object.'];
    }
    if (code === 'NoSuchBucket') return ['STORE_MISCONFIGURED', ' Check the name of the bucket.'];
    if (credentialCodes.has(code)) {
      return ['STORE_MISCONFIGURED', ' Check the credentials and their permissions.'];
    }
    if ((op === 'head' || op === 'get') && code === 'NoSuchKey') return ['OBJECT_NOT_FOUND'];
    const isElsewhere = status !== undefined && status >= 300 && status < 400;
    return isElsewhere || code === 'AuthorizationHeaderMalformed'
      ? ['STORE_MISCONFIGURED', ' Check the region and the endpoint.']
      : undefined;
  },
});

/** Reports whether the server answered that the object does not exist. */
export function isAbsence(error: unknown): boolean {
  return statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket';
}

/** Reports whether the server answered the request that failed. */
export function isAnswered(error: unknown): boolean {
  return statusOf(error) !== undefined;
}

/** Reports whether the server did not store an object because it exists. */
export function isPresence(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Reports whether the server does not support the request. */
export function isUnsupported(error: unknown): boolean {
  return statusOf(error) === 501;
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
      : 'no answer was received';
  const facts = [code === 'Error' ? '' : code, status === undefined ? '' : `HTTP ${status}`].filter(
    (fact) => fact !== '' && fact !== message,
  );
  return facts.length === 0 ? message : `${facts.join(', ')}: ${message}`;
}
