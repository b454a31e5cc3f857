import { isQuireError } from '@quire/core';

/**
 * Why a call was refused, as the cause of the error that its caller hears: for the log alone. Holds
 * nothing of a credential.
 */
export class RefusalReason extends Error {
  override readonly name = 'RefusalReason';
}

/** Why a call was refused, if more is known than its caller is told. */
export function refusalReasonOf(error: unknown): string | undefined {
  return isQuireError(error) && error.cause instanceof RefusalReason
    ? error.cause.message
    : undefined;
}
