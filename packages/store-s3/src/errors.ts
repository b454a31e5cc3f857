import { FailureTranslator } from '@quire/core/bucket';

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
  'ConditionalRequestConflict', // another write of the same object was under way
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

/** The failures of requests as QuireErrors. */
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
        " The upload was given up by another program while it was written: by a cleaner, whose grace period (graceMs) must be longer than any write, or by the bucket's rule for unfinished uploads.",
      ];
    }
    if (passingCodes.has(code)) return ['STORE_UNAVAILABLE'];
    if (fullCodes.has(code)) return ['STORE_FULL'];
    if (op === 'put' && (obstacleCodes.has(code) || status === 409)) {
      return ['INVALID_OBJECT_KEY', ' It lies above or below another object.'];
    }
    if (code === 'NoSuchBucket') return ['STORE_MISCONFIGURED', ' Check the name of the bucket.'];
    if (credentialCodes.has(code)) {
      return ['STORE_MISCONFIGURED', ' Check the credentials and what they allow.'];
    }
    if ((op === 'head' || op === 'get') && code === 'NoSuchKey') return ['OBJECT_NOT_FOUND'];
    const isElsewhere = status !== undefined && status >= 300 && status < 400;
    return isElsewhere || code === 'AuthorizationHeaderMalformed'
      ? ['STORE_MISCONFIGURED', ' Check the region and the endpoint.']
      : undefined;
  },
});

/** Tells whether the server answered that there is no such thing. */
export function isAbsence(error: unknown): boolean {
  return statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket';
}

/** Tells whether the server did not store an object because it exists. */
export function isPresence(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Tells whether the server does not know what was asked of it. */
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
      : 'no answer came';
  const facts = [code === 'Error' ? '' : code, status === undefined ? '' : `HTTP ${status}`].filter(
    (fact) => fact !== '' && fact !== message,
  );
  return facts.length === 0 ? message : `${facts.join(', ')}: ${message}`;
}
