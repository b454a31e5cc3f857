import { abortError, isQuireError, QuireError } from '@quire/core';
import { pinotSettings } from '../settings.ts';

/**
 * Codes of undici and of the system for calls that failed before anything was sent: they may be
 * retried elsewhere.
 */
const unsentCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** OpenSSL's codes of untrusted certificates have no common prefix. */
const distrustCodes =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME)/;

/**
 * Returns details that are logged, but not part of the response: callers of Quire need not know the
 * hosts of the cluster.
 */
export function at(url: string, reason: string, cause?: unknown): Error {
  return new Error(`${new URL(url).origin}: ${reason}`, { cause });
}

/** Describes why a call has no answer. */
export function callFailure(
  { signal, url }: { readonly signal?: AbortSignal | undefined; readonly url: string },
  error: unknown,
): QuireError {
  if (signal?.aborted === true) return abortError(signal);
  if (isQuireError(error)) return error;
  const { message, settings } = messageOf(codeOf(error));
  return new QuireError('ENGINE_UNAVAILABLE', message, {
    cause: at(url, error instanceof Error ? error.message : String(error), error),
    exceptionNumber: 427, // the number that brokers report for a server
    adminHint: hintOf(url, settings),
  });
}

/** Describes a failed call for admins: its address, and the settings to check. */
export function hintOf(url: string, settings: string): string {
  return `The address is ${new URL(url).origin}; check ${settings}.`;
}

const { controllerUrls, brokerUrls } = pinotSettings.settings;
const addressSettings = `${controllerUrls.key} and ${brokerUrls.key}`;

function messageOf(code: string | undefined): {
  readonly message: string;
  readonly settings: string;
} {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const message = `Apache Pinot has a certificate for another host (${code}).`;
    return { message, settings: addressSettings };
  }
  if (code !== undefined && distrustCodes.test(code)) {
    const message = `Apache Pinot has a certificate that is not trusted (${code}).`;
    return { message, settings: 'engine.tls.ca.file' };
  }
  if (code !== undefined && /^(?:ERR_SSL_|EPROTO)/.test(code)) {
    const message = `Apache Pinot does not use TLS, although its address is https (${code}).`;
    // A controller may report ports of brokers that do not speak TLS.
    return { message, settings: brokerUrls.key };
  }
  const message = `Apache Pinot does not answer${code === undefined ? '' : `: ${code}`}.`;
  return { message, settings: addressSettings };
}

/** Reports whether a call failed before anything of it was sent. */
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
