import { isQuireError } from '@quire/core';

/**
 * The reason why a call was refused, as the cause of the error that its caller receives: for the
 * log only. It contains no part of a credential.
 */
export class RefusalReason extends Error {
  override readonly name = 'RefusalReason';
}

/** Returns the reason why a call was refused, if it differs from the message to its caller. */
export function refusalReasonOf(error: unknown): string | undefined {
  return isQuireError(error) && error.cause instanceof RefusalReason
    ? error.cause.message
    : undefined;
}
