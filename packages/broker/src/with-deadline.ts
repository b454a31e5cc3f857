import { abortError, type Clock, QuireError } from '@quire/core';

/**
 * Runs the task with a signal that is aborted when the given one is, and with QUERY_TIMED_OUT once the time is over.
 *
 * @throws QUERY_TIMED_OUT when the task failed after its time was over, whatever it made of that
 */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(timeoutMs, done.signal).then(
    () => deadline.abort(new QuireError('QUERY_TIMED_OUT', `The query took longer than its ${timeoutMs} ms.`)),
    () => undefined, // the task was done first
  );
  try {
    return await task(AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    throw deadline.signal.aborted ? abortError(deadline.signal) : error;
  } finally {
    done.abort();
    await timer;
  }
}
