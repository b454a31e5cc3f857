import { abortError, type Clock, QuireError } from '@quire/core';

/** Stops a query for the first of three reasons: its caller, its timeout, or its disposal. */
export class QueryStop {
  readonly #stopping = new AbortController();
  readonly #watching = new AbortController();
  readonly #outer: AbortSignal | undefined;

  constructor(
    clock: Clock,
    { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
  ) {
    this.#outer = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
    clock.sleep(timeoutMs, this.#watching.signal).then(
      () =>
        this.stop(
          new QuireError('QUERY_TIMED_OUT', `The query exceeded its timeout of ${timeoutMs} ms.`),
        ),
      () => undefined, // it ended before
    );
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get reason(): QuireError | undefined {
    return this.signal.aborted ? abortError(this.signal) : undefined;
  }

  stop(reason: QuireError): void {
    this.end();
    this.#stopping.abort(reason);
  }

  /** Removes the listener and the timer. */
  end(): void {
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#watching.abort();
  }

  readonly #onAbort = (): void => {
    if (this.#outer !== undefined) this.stop(abortError(this.#outer));
  };
}

/** Rejects when the query is stopped; the task, which queries share, continues. */
export async function unlessStopped<T>(task: Promise<T>, { signal }: QueryStop): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(abortError(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([task, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    stopped.promise.catch(() => undefined);
  }
}
