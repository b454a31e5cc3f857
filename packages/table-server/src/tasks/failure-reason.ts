import { QuireError } from '@quire/core';

/** The whole reason: what went wrong, and what that came from. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error instanceof QuireError ? error.message : (error.stack ?? error.message);
  const cause = error.cause === undefined ? '' : reasonOf(error.cause);
  return cause === '' || text.includes(cause) ? text : `${text}\nCaused by: ${cause}`;
}
