import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
  ReadAtHand,
} from '../object-store.ts';
import { assertRetryOptions, retry, type RetryOptions, waitForRetry } from './retry.ts';
import { observeSource } from './observe-source.ts';

/**
 * The same store, which tries again when it is unavailable or too slow (`retry` says when and how).
 *
 * What cannot be repeated safely is not: a `put` whose source was begun, and a body that fails on
 * the way, because nothing proves that a second `get` would open the same object. A listing goes on
 * after the last entry that it gave.
 *
 * @throws INVALID_PARAMETER when the options make no sense
 */
export function withRetry(store: ObjectStore, options: RetryOptions): ObjectStore {
  assertRetryOptions(options);
  return new RetryingStore(store, options);
}

class RetryingStore implements ObjectStore {
  readonly deleteFolder: ObjectStore['deleteFolder'];
  readonly #store: ObjectStore;
  readonly #options: RetryOptions;
  /** What it cannot read is read by `get`. */
  readonly readAtHand: ReadAtHand | undefined;

  constructor(store: ObjectStore, options: RetryOptions) {
    this.#store = store;
    if (store.readAtHand !== undefined) {
      this.readAtHand = (...call) => store.readAtHand?.(...call) ?? false;
    }
    this.#options = options;
    if (store.deleteFolder === undefined) return;
    this.deleteFolder = (keys, call) => {
      const run = async (): Promise<boolean> => (await store.deleteFolder?.(keys, call)) === true;
      return retry(options, `delete ${keys[0]}`, run, call?.signal);
    };
  }

  get location(): string {
    return this.#store.location;
  }

  head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return retry(
      this.#options,
      `head ${key}`,
      () => this.#store.head(key, options),
      options?.signal,
    );
  }

  get(key: string, options?: GetOptions): Promise<ObjectBody> {
    return retry(this.#options, `get ${key}`, () => this.#store.get(key, options), options?.signal);
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    if (body instanceof Uint8Array) {
      return retry(
        this.#options,
        `put ${key}`,
        () => this.#store.put(key, body, options),
        options?.signal,
      );
    }
    let isBegun = false;
    const source = observeSource(body, { onPull: () => (isBegun = true) });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#store.put(key, source, options);
      } catch (error) {
        if (isBegun) throw error;
        await waitForRetry(this.#options, `put ${key}`, attempt, error, options?.signal);
      }
    }
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    let after = options?.after;
    for (let attempt = 1; ; attempt += 1) {
      const entries = this.#store.list(prefix, { ...options, after })[Symbol.asyncIterator]();
      let isSuspended = false;
      try {
        for (;;) {
          const step = await entries.next();
          if (step.done === true) return;
          after = step.value.key;
          attempt = 1; // it got further, so what fails next is a new failure
          isSuspended = true;
          yield step.value;
          isSuspended = false;
        }
      } catch (error) {
        await waitForRetry(this.#options, `list ${prefix}`, attempt, error, options?.signal);
      } finally {
        if (isSuspended) await entries.return?.();
      }
    }
  }

  delete(key: string, options?: CallOptions): Promise<void> {
    return retry(
      this.#options,
      `delete ${key}`,
      () => this.#store.delete(key, options),
      options?.signal,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}
