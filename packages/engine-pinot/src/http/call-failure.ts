import { abortError, isQuireError, QuireError } from '@quire/core';

/**
 * Codes of undici and of the system for calls of which nothing has been sent: they may be made
 * elsewhere.
 */
const unsentCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of OpenSSL for a certificate that is not trusted have no prefix of their own. */
const distrustCodes =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME)/;

/**
 * What stands in the log and not in an answer: callers of Quire need not know the hosts of the
 * cluster.
 */
export function at(url: string, reason: string, cause?: unknown): Error {
  return new Error(`${new URL(url).origin}: ${reason}`, { cause });
}

/** Why a call has no answer. */
export function callFailure(
  { signal, url }: { readonly signal?: AbortSignal | undefined; readonly url: string },
  error: unknown,
): QuireError {
  if (signal?.aborted === true) return abortError(signal);
  if (isQuireError(error)) return error;
  return new QuireError('ENGINE_UNAVAILABLE', messageOf(codeOf(error)), {
    cause: at(url, error instanceof Error ? error.message : String(error), error),
    exceptionNumber: 427, // as a broker says of a server
  });
}

function messageOf(code: string | undefined): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `Apache Pinot has a certificate for another host (${code}); look at engine.pinot.controller.url and engine.pinot.broker.url.`;
  }
  if (code !== undefined && distrustCodes.test(code)) {
    return `Apache Pinot has a certificate that is not trusted (${code}); look at engine.tls.ca.file.`;
  }
  if (code !== undefined && /^(?:ERR_SSL_|EPROTO)/.test(code)) {
    return (
      `Apache Pinot does not speak TLS there (${code}). Its controller may tell of brokers' ports without it: ` +
      'look at engine.pinot.broker.url.'
    );
  }
  return `Apache Pinot does not answer${code === undefined ? '' : `: ${code}`}.`;
}

/** Tells whether a call failed before anything of it was sent. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error) || !isQuireError(error, 'ENGINE_UNAVAILABLE')) return false;
  const cause = error.cause instanceof Error ? error.cause.cause : undefined;
  const causes = cause instanceof AggregateError ? (cause.errors as readonly unknown[]) : [cause];
  return causes.some((each) => unsentCodes.has(codeOf(each)));
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
