import { FailureTranslator } from '@quire/core/bucket';

/**
 * The SDK's error for a failed request: the code is that of the server, in the headers or the body
 * of its answer, or of the connection.
 */
interface ServerError extends Error {
  readonly statusCode?: number;
  readonly code?: string;
  readonly details?: { readonly errorCode?: string };
}

/** Codes of temporary failures, after which the same request may succeed. */
const passingCodes = new Set(['ServerBusy', 'InternalError', 'OperationTimedOut']);
/** Codes for credentials that the SDK or the server rejects, whatever the status. */
const credentialCodes = new Set([
  'AuthenticationFailed',
  'AuthorizationFailure',
  'InvalidAuthenticationInfo',
  'NoAuthenticationInformation',
  'AccountIsDisabled',
]);

/** Translates failures of requests to QuireErrors. */
export const requestFailures = new FailureTranslator({
  read: (error) => {
    const code = codeOf(error);
    const status = statusOf(error);
    return { code, status, text: describe(error, code, status) };
  },
  judge: ({ code }, { op }, error) => {
    if (code === 'InvalidBlockList' || code === 'InvalidBlockId') {
      return [
        'STORE_MISCONFIGURED',
        ' The blocks of the upload were removed while it was written: by a cleaner, whose grace period (graceMs) must be longer than any write, or by another write of the same object.',
      ];
    }
    // The SDK throws a RangeError for an answer without a range, and when it signs a link without a
    // key.
    if (error instanceof RangeError && op === 'get') return ['OBJECT_SHORT_READ'];
    if (passingCodes.has(code)) return ['STORE_UNAVAILABLE'];
    if (code === 'BlockCountExceedsLimit') return ['STORE_FULL'];
    if (code === 'ContainerNotFound' || code === 'ContainerBeingDeleted') {
      return ['STORE_MISCONFIGURED', ' Check the name of the container.'];
    }
    return credentialCodes.has(code) || error instanceof RangeError
      ? ['STORE_MISCONFIGURED', ' Check the credentials and their permissions.']
      : undefined;
  },
});

/** Reports whether the server answered that the blob does not exist. */
export function isAbsence(error: unknown): boolean {
  return statusOf(error) === 404 && !codeOf(error).startsWith('Container');
}

/** Reports whether a precondition on the state of the blob failed. */
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
  // The first line only; the SDK adds ids and times of the request in others.
  const [text = ''] = error instanceof Error ? error.message.split('\n') : [];
  const message = text.trim() === '' ? 'no answer' : text.trim().replace(/\.+$/, '');
  const facts = [code, status === undefined ? '' : `HTTP ${status}`].filter(
    (fact) => fact !== '' && !message.includes(fact),
  );
  return facts.length === 0 ? message : `${facts.join(', ')}: ${message}`;
}
