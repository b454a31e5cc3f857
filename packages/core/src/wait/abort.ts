import type { Clock } from '../clock.ts';
import { abortError, throwIfAborted } from '../errors.ts';

/**
 * Waits for a promise; stops waiting, and nothing else, when the signal is aborted. A later failure
 * is ignored.
 *
 * @throws ABORTED, or the QuireError that is the abort's reason
 */
export async function unlessAborted<T>(
  outcome: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return outcome;
  if (signal.aborted) outcome.catch(() => undefined);
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

/** Resolves once the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Sleeps until the delay has passed or the signal is aborted, whichever is first. */
export async function sleepUnlessAborted(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
