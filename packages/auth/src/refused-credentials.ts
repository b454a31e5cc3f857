import { QuireError } from '@quire/core';
import { RefusalReason } from './refusal-reason.ts';

/**
 * Returns the same refusal for every wrong credential; `reason` is for the operator's log and must
 * contain no part of the credential.
 */
export function refusedCredentials(reason?: string): QuireError {
  const cause = reason === undefined ? {} : { cause: new RefusalReason(reason) };
  return new QuireError('UNAUTHENTICATED', 'The credentials are wrong.', cause);
}
