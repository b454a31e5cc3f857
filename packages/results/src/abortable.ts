import { abortError, throwIfAborted } from '@quire/core';

/**
 * Waits for an outcome that others wait for as well; gives up waiting, and nothing else, when the signal is aborted.
 *
 * @throws ABORTED, or the QuireError that is the abort's reason
 */
export async function abortable<T>(outcome: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return outcome;
  throwIfAborted(signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(abortError(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
