import { type ErrorCode, isQuireError, QuireError } from '@quire/core';
import type { TraceHeaders } from '@quire/core/trace';

/** An error, encoded for another process. */
export interface ErrorMessage {
  /** The code; undefined for an error that is not a QuireError. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly exceptionNumber?: number | undefined;
  readonly adminHint?: string | undefined;
  /** The messages of its causes, for the log. */
  readonly details?: string | undefined;
}

export type Outcome =
  | { readonly isGood: true; readonly value: unknown }
  | { readonly isGood: false; readonly error: ErrorMessage };

/** A message from the pool to a worker. */
export type ToWorker =
  | {
      readonly kind: 'open';
      readonly module: string;
      readonly setup: unknown;
      /** True if it records spans. */
      readonly isTraced: boolean;
    }
  /** The work, and its parent span. */
  | { readonly kind: 'run'; readonly input: unknown; readonly trace: TraceHeaders | undefined }
  | { readonly kind: 'cancel'; readonly reason: ErrorMessage }
  | { readonly kind: 'reply'; readonly callId: number; readonly outcome: Outcome }
  | { readonly kind: 'stop' };

/** A message from a worker to its pool. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly outcome: Outcome; readonly directories: readonly string[] }
  | {
      readonly kind: 'call';
      readonly callId: number;
      readonly name: string;
      readonly input: unknown;
      /** The span that makes the call. */
      readonly trace: TraceHeaders | undefined;
    }
  /** Finished spans, for the tracer of the pool's process. */
  | { readonly kind: 'spans'; readonly spans: unknown }
  /** The work that was sent last has started. */
  | { readonly kind: 'started' }
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly residentBytes: number };

/**
 * Encodes an error so that another process can throw it: a QuireError as itself, anything else as
 * INTERNAL.
 */
export function encodeError(error: unknown): ErrorMessage {
  if (isQuireError(error)) {
    const { code, message, stack, exceptionNumber, adminHint } = error;
    const details = detailsOf(error.cause);
    return { code, message, stack, exceptionNumber, adminHint, details };
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
  details,
}: ErrorMessage): QuireError {
  if (code === undefined) {
    const cause = Object.assign(new Error(message), stack === undefined ? {} : { stack });
    return new QuireError('INTERNAL', `A worker failed unexpectedly: ${message}`, { cause });
  }
  const cause = details === undefined ? undefined : new Error(details);
  return new QuireError(code, message, { exceptionNumber, adminHint, cause });
}

/** Returns the messages of an error and its causes. */
function detailsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const more = detailsOf(error.cause);
  return more === undefined || error.message.endsWith(more)
    ? error.message
    : `${error.message}: ${more}`;
}

/** Runs a task, and resolves to its outcome. */
export async function outcomeOf(task: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { isGood: true, value: await task() };
  } catch (error) {
    return { isGood: false, error: encodeError(error) };
  }
}

/** Returns the value of an outcome. @throws its error */
export function valueOf(outcome: Outcome): unknown {
  if (outcome.isGood) return outcome.value;
  throw decodeError(outcome.error);
}
