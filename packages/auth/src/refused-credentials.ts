import { isQuireError, QuireError } from '@quire/core';

/** The same refusal for every wrong credential; `reason` is for the operator's log and must hold nothing of the credential. */
export function refusedCredentials(reason?: string): QuireError {
  return new QuireError(
    'UNAUTHENTICATED',
    'The credentials are wrong.',
    reason === undefined ? undefined : { cause: new RefusalReason(reason) },
  );
}

/** Why credentials were refused, if more is known than that they are wrong. */
export function refusalReasonOf(error: unknown): string | undefined {
  return isQuireError(error) && error.cause instanceof RefusalReason ? error.cause.message : undefined;
}

class RefusalReason extends Error {
  override readonly name = 'RefusalReason';
}
