import { type ErrorCode, isQuireError, QuireError } from '../errors.ts';

/** An error, encoded for another process or thread. */
export interface ErrorMessage {
  /** The code; undefined for an error that is not a QuireError. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly exceptionNumber?: number | undefined;
  readonly adminHint?: string | undefined;
  readonly isForCallers?: boolean | undefined;
  /** The messages of its causes, for the log. */
  readonly details?: string | undefined;
}

/**
 * Encodes an error so that another process or thread can throw it: a QuireError as itself, anything
 * else as INTERNAL.
 */
export function encodeError(error: unknown): ErrorMessage {
  if (isQuireError(error)) {
    const { code, message, stack, exceptionNumber, adminHint, isForCallers } = error;
    const details = detailsOf(error.cause);
    return { code, message, stack, exceptionNumber, adminHint, isForCallers, details };
  }
  if (error instanceof Error) {
    return { code: undefined, message: error.message, stack: error.stack };
  }
  return { code: undefined, message: String(error), stack: undefined };
}

/** Decodes the error of a message. */
export function decodeError({
  code,
  message,
  stack,
  exceptionNumber,
  adminHint,
  isForCallers,
  details,
}: ErrorMessage): QuireError {
  if (code === undefined) {
    const cause = Object.assign(new Error(message), stack === undefined ? {} : { stack });
    return new QuireError('INTERNAL', `A worker failed unexpectedly: ${message}`, { cause });
  }
  const cause = details === undefined ? undefined : new Error(details);
  return new QuireError(code, message, { exceptionNumber, adminHint, isForCallers, cause });
}

/** Returns the messages of an error and its causes. */
function detailsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const more = detailsOf(error.cause);
  return more === undefined || error.message.endsWith(more)
    ? error.message
    : `${error.message}: ${more}`;
}
