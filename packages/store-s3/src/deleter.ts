import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { abortError, type CallOptions, isQuireError, QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import type { Bucket } from './bucket.ts';
import { isAbsence, toStoreError } from './errors.ts';

/** S3 takes no more keys in one request. */
const batchKeysMax = 1000;
/**
 * A server works through the keys of a request one after the other: with only one at a time,
 * everybody waits for the slowest.
 */
const requestsInFlightMax = 4;

/** A call of `delete` that is not over. */
interface Waiter {
  readonly key: string;
  readonly settle: (error?: QuireError) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Deletes objects, those together for which calls come in at the same time. A few requests are
 * under way at any time, and what comes meanwhile goes with the next one: so a cleaner with many
 * deletions at once needs a request for about a quarter as many of them.
 *
 * Each call is told of its own key alone. A call that is aborted is over at once; a request goes on
 * while anybody waits for it.
 */
export class ObjectDeleter {
  readonly #bucket: Bucket;
  readonly #waiting = new Set<Waiter>();
  #inFlightCount = 0;
  /** Not all servers know the request for several keys. */
  #takesBatches = true;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Deletes an object; does nothing when there is no such object. */
  async delete(key: string, { signal }: CallOptions = {}): Promise<void> {
    using _connections = this.#bucket.hold();
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
    // A caller that deletes several objects asks for all of them before the first one goes.
    await yieldToEventLoop();
    while (this.#waiting.size > 0) {
      const waiters = [...this.#waiting].slice(0, batchKeysMax);
      for (const waiter of waiters) this.#waiting.delete(waiter);
      const failures = await this.#send(waiters);
      for (const { key, signal, settle } of waiters) {
        if (signal?.aborted !== true) settle(failures.get(key));
      }
    }
    this.#inFlightCount -= 1;
  }

  /** Sends one request for all of them; gives what went wrong, by key. */
  async #send(waiters: readonly Waiter[]): Promise<Map<string, QuireError>> {
    const keys = [...new Set(waiters.map(({ key }) => key))];
    using stop = abortWhenAllAre(waiters.map(({ signal }) => signal));
    if (keys.length === 1 || !this.#takesBatches) return await this.#deleteEach(keys, stop.signal);
    try {
      return await this.#deleteBatch(keys, stop.signal);
    } catch (error) {
      const failures = new Map(keys.map((key) => [key, this.#translated(error, key)]));
      const isRefused = [...failures.values()].every((failure) =>
        isQuireError(failure, 'STORE_MISCONFIGURED'),
      );
      if (!isRefused || stop.signal.aborted) return failures;
      const singly = await this.#deleteEach(keys, stop.signal);
      if (singly.size < keys.length) this.#takesBatches = false;
      return singly;
    }
  }

  async #deleteBatch(
    keys: readonly string[],
    abortSignal: AbortSignal,
  ): Promise<Map<string, QuireError>> {
    const { name, prefix, location, client } = this.#bucket;
    const Objects = keys.map((key) => ({ Key: prefix + key }));
    const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: false } });
    const { Deleted = [], Errors = [] } = await client.send(command, { abortSignal });
    const deleted = new Set(Deleted.map(({ Key }) => Key));
    const refused = new Map(Errors.map((refusal) => [refusal.Key, refusal]));
    const failures = new Map<string, QuireError>();
    for (const key of keys) {
      const { Code = '', Message = '' } = refused.get(prefix + key) ?? {};
      if (Code === 'NoSuchKey' || deleted.has(prefix + key)) continue;
      const error = Object.assign(new Error(Message), { name: Code });
      const untold = new QuireError(
        'STORE_UNAVAILABLE',
        `delete of ${key} in ${location}: the answer does not say whether it succeeded.`,
      );
      failures.set(key, Code === '' ? untold : this.#translated(error, key));
    }
    return failures;
  }

  async #deleteEach(
    keys: readonly string[],
    abortSignal: AbortSignal,
  ): Promise<Map<string, QuireError>> {
    const failures = new Map<string, QuireError>();
    const { client } = this.#bucket;
    await Promise.all(
      keys.map(async (key) => {
        try {
          await client.send(new DeleteObjectCommand(this.#bucket.target(key)), { abortSignal });
        } catch (error) {
          // Amazon answers 204 whether there was one or not; not all others do.
          if (!isAbsence(error)) failures.set(key, this.#translated(error, key));
        }
      }),
    );
    return failures;
  }

  #translated(error: unknown, key: string): QuireError {
    return toStoreError(error, this.#bucket.callOf('delete', key, undefined));
  }
}

/** A signal that is aborted as soon as all of these are, for as long as it is not disposed. */
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
