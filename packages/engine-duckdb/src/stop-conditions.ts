import { abortError, type Clock, isQuireError, QuireError } from '@quire/core';

export interface StopConditions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/**
 * Calls `stop` with the reason once the signal is aborted or the time is over, unless the returned function was called before.
 * Neither a listener nor a timer stays behind after either.
 */
export function watchStopConditions(conditions: StopConditions, clock: Clock, stop: (reason: QuireError) => void): () => void {
  const { signal, timeoutMs } = conditions;
  const watching = new AbortController();
  const end = (): void => {
    signal?.removeEventListener('abort', onAbort);
    watching.abort();
  };
  const onAbort = (): void => {
    end();
    if (signal !== undefined) stop(abortError(signal));
  };
  const onTimeout = (): void => {
    end();
    stop(new QuireError('QUERY_TIMED_OUT', `The query ran for longer than its time limit of ${timeoutMs} ms.`));
  };
  const onSleepFailed = (error: unknown): void => {
    if (isQuireError(error, 'ABORTED')) return;
    end();
    stop(new QuireError('INTERNAL', 'The clock failed while it watched the time limit of a query.', { cause: error }));
  };
  if (signal?.aborted === true) {
    onAbort();
  } else {
    signal?.addEventListener('abort', onAbort, { once: true });
    clock.sleep(timeoutMs, watching.signal).then(onTimeout, onSleepFailed);
  }
  return end;
}
