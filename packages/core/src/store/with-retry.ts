import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import { assertRetryLimits, retry, type RetryOptions, waitForRetry } from './retry.ts';
import { observeSource } from './observe-source.ts';
import { type StoreOperation, StoreWrapper } from './store-wrapper.ts';

/**
 * Returns the same store, which retries when it is unavailable or too slow (`retry` defines when
 * and how).
 *
 * Calls that cannot be repeated safely are not retried: a `put` whose source was started, and a
 * body that fails while it is read, because a second `get` might open another object. A listing
 * continues after the last entry that it yielded.
 *
 * @throws INVALID_PARAMETER when the options are not valid
 */
export function withRetry(store: ObjectStore, options: RetryOptions): ObjectStore {
  assertRetryLimits(options);
  return new RetryingStore(store, options);
}

class RetryingStore extends StoreWrapper {
  readonly #options: RetryOptions;

  constructor(store: ObjectStore, options: RetryOptions) {
    super(store);
    this.#options = options;
  }

  get(key: string, options?: GetOptions): Promise<ObjectBody> {
    return this.call('get', key, options, () => this.inner.get(key, options));
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    if (body instanceof Uint8Array) {
      return this.call('put', key, options, () => this.inner.put(key, body, options));
    }
    let isStarted = false;
    const source = observeSource(body, { onPull: () => (isStarted = true) });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inner.put(key, source, options);
      } catch (error) {
        if (isStarted) throw error;
        await waitForRetry(this.#options, `put ${key}`, attempt, error, options?.signal);
      }
    }
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    let after = options?.after;
    for (let attempt = 1; ; attempt += 1) {
      const entries = this.inner.list(prefix, { ...options, after })[Symbol.asyncIterator]();
      let isSuspended = false;
      try {
        for (;;) {
          const step = await entries.next();
          if (step.done === true) return;
          after = step.value.key;
          attempt = 1; // the listing has made progress, so the next failure is a new one
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

  protected override call<T>(
    operation: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    return retry(this.#options, `${operation} ${key}`, () => run(options), options?.signal);
  }
}
