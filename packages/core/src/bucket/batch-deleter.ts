import { abortError, isQuireError, type QuireError } from '../errors.ts';
import type { CallOptions } from '../object-store.ts';
import { yieldToEventLoop } from '../wait/time-slice.ts';

/**
 * The number of concurrent requests. A server deletes the keys of one request sequentially, so with
 * a single request all callers would wait for the slowest.
 */
const requestsInFlightMax = 4;

/** The two kinds of delete request; an object that does not exist counts as deleted. */
export interface DeleteRequests {
  /** The maximum number of keys in one request. */
  readonly batchKeysMax: number;
  deleteOne(key: string, signal: AbortSignal): Promise<void>;
  /** Deletes several objects in one request; resolves to the failures by key. */
  deleteBatch(
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, QuireError>>;
  /** Returns the error for a failure that concerns `key`. */
  translate(error: unknown, key: string): QuireError;
}

/** A call of `delete` that has not finished. */
interface Waiter {
  readonly key: string;
  readonly settle: (error?: QuireError) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Deletes objects and combines concurrent calls into batch requests. Only a few requests run at a
 * time; later calls join the next one. A cleaner with many deletions at once needs about a quarter
 * as many requests.
 *
 * Each call receives only the failure of its own key. An aborted call rejects immediately; the
 * request continues while any call waits for it.
 */
export class BatchDeleter {
  readonly #requests: DeleteRequests;
  readonly #waiting = new Set<Waiter>();
  #inFlightCount = 0;
  /** False once the server has rejected a batch request; some servers do not support it. */
  #takesBatches = true;

  constructor(requests: DeleteRequests) {
    this.#requests = requests;
  }

  /** Deletes an object; does nothing when it does not exist. */
  async delete(key: string, { signal }: CallOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        key,
        signal,
        settle: (error) => {
          signal?.removeEventListener('abort', onAbort);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        if (signal !== undefined) waiter.settle(abortError(signal));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      if (this.#inFlightCount < requestsInFlightMax && this.#waiting.size === 1) {
        void this.#sendAll();
      }
    });
  }

  async #sendAll(): Promise<void> {
    this.#inFlightCount += 1;
    // A caller that deletes several objects enqueues all of them before the first request is sent.
    await yieldToEventLoop();
    while (this.#waiting.size > 0) {
      const waiters = [...this.#waiting].slice(0, this.#requests.batchKeysMax);
      for (const waiter of waiters) this.#waiting.delete(waiter);
      const failures = await this.#send(waiters);
      for (const { key, signal, settle } of waiters) {
        if (signal?.aborted !== true) settle(failures.get(key));
      }
    }
    this.#inFlightCount -= 1;
  }

  /** Sends one request for all waiters; resolves to the failures by key. */
  async #send(waiters: readonly Waiter[]): Promise<ReadonlyMap<string, QuireError>> {
    const keys = [...new Set(waiters.map(({ key }) => key))];
    using stop = abortWhenAllAre(waiters.map(({ signal }) => signal));
    if (keys.length === 1 || !this.#takesBatches) return await this.#deleteEach(keys, stop.signal);
    try {
      return await this.#requests.deleteBatch(keys, stop.signal);
    } catch (error) {
      const failures = new Map(keys.map((key) => [key, this.#requests.translate(error, key)]));
      const isRefused = [...failures.values()].every((failure) =>
        isQuireError(failure, 'STORE_MISCONFIGURED'),
      );
      if (!isRefused || stop.signal.aborted) return failures;
      const singly = await this.#deleteEach(keys, stop.signal);
      if (singly.size < keys.length) this.#takesBatches = false;
      return singly;
    }
  }

  async #deleteEach(
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, QuireError>> {
    const failures = new Map<string, QuireError>();
    await Promise.all(
      keys.map(async (key) => {
        try {
          await this.#requests.deleteOne(key, signal);
        } catch (error) {
          failures.set(key, this.#requests.translate(error, key));
        }
      }),
    );
    return failures;
  }
}

/** Returns a signal that is aborted once all of these signals are, until it is disposed. */
function abortWhenAllAre(
  signals: readonly (AbortSignal | undefined)[],
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const onAbort = (): void => {
    if (signals.every((signal) => signal?.aborted === true)) controller.abort();
  };
  for (const signal of signals) signal?.addEventListener('abort', onAbort, { once: true });
  onAbort();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) signal?.removeEventListener('abort', onAbort);
    },
  };
}
