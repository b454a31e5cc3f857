import { isQuireError, QuireError } from '@quire/core';
import type { ErrorMessage, Outcome } from './messages.ts';

/**
 * Writes an error so that another process can throw it: a QuireError as itself, anything else as
 * INTERNAL.
 */
export function encodeError(error: unknown): ErrorMessage {
  if (isQuireError(error)) {
    const { code, message, stack, exceptionNumber } = error;
    return { code, message, stack, exceptionNumber, details: detailsOf(error.cause) };
  }
  if (error instanceof Error) {
    return { code: undefined, message: error.message, stack: error.stack };
  }
  return { code: undefined, message: String(error), stack: undefined };
}

export function decodeError({
  code,
  message,
  stack,
  exceptionNumber,
  details,
}: ErrorMessage): QuireError {
  if (code === undefined) {
    const cause = Object.assign(new Error(message), stack === undefined ? {} : { stack });
    return new QuireError('INTERNAL', `A worker failed unexpectedly: ${message}`, { cause });
  }
  const cause = details === undefined ? undefined : new Error(details);
  return new QuireError(code, message, { exceptionNumber, cause });
}

/** What an error and its causes say. */
function detailsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const more = detailsOf(error.cause);
  return more === undefined || error.message.endsWith(more)
    ? error.message
    : `${error.message}: ${more}`;
}

/** How a task ended, as a message. */
export async function outcomeOf(task: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { isGood: true, value: await task() };
  } catch (error) {
    return { isGood: false, error: encodeError(error) };
  }
}

/** @throws the error that the outcome holds */
export function valueOf(outcome: Outcome): unknown {
  if (outcome.isGood) return outcome.value;
  throw decodeError(outcome.error);
}
