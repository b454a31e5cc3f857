import { QuireError } from '@quire/core';

/** The error of a task that exceeded its timeout. */
export function tooLong(timeoutMs: number): QuireError {
  return new QuireError(
    'QUERY_TIMED_OUT',
    `It took longer than ${timeoutMs} ms, the limit of its task.`,
  );
}

/** Returns the whole reason of a failure: what went wrong, and what caused it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error instanceof QuireError ? error.message : (error.stack ?? error.message);
  const cause = error.cause === undefined ? '' : reasonOf(error.cause);
  return cause === '' || text.includes(cause) ? text : `${text}\nCaused by: ${cause}`;
}
