import { type Clock, QuireError } from '@quire/core';

/** A call that says when it gets on, and ends when its signal is aborted. */
export type StallableCall<T> = (signal: AbortSignal, hasProgress: () => void) => Promise<T>;

export interface StallOptions {
  readonly clock: Clock;
  /** How long a call may make no progress. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Runs a call, and aborts it when it makes no progress for too long. @throws STORE_TIMED_OUT then */
export async function unlessStalled<T>(name: string, run: StallableCall<T>, options: StallOptions): Promise<T> {
  const { clock, timeoutMs, signal } = options;
  const stop = new AbortController();
  const done = new AbortController();
  let deadlineMs = clock.monotonicMs() + timeoutMs;
  const watch = async (): Promise<void> => {
    for (let leftMs = timeoutMs; leftMs > 0; leftMs = deadlineMs - clock.monotonicMs()) await clock.sleep(leftMs, done.signal);
    stop.abort(new QuireError('STORE_TIMED_OUT', `${name} made no progress for ${timeoutMs} ms.`));
  };
  // Only the end of the call ends the watch early.
  watch().catch(() => undefined);
  try {
    return await run(signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]), () => {
      deadlineMs = clock.monotonicMs() + timeoutMs;
    });
  } finally {
    done.abort();
  }
}
