import { QuireError } from '../errors.ts';
import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import { Slots } from '../wait/slots.ts';
import { SingleUseBody } from './single-use-body.ts';
import { type StoreOperation, StoreWrapper } from './store-wrapper.ts';

/** The concurrency limit of `withLimit`. */
export interface LimitOptions {
  /** The maximum number of concurrent calls; at least 1. */
  readonly concurrentMax: number;
}

/**
 * Returns the same store with at most `concurrentMax` calls in progress, and as many reads of a
 * body's next chunk. Other calls wait in order of arrival.
 *
 * A call counts only while the store is working, not while its reader is: a `get` while it opens
 * its object, a `list` while it looks for its next entry. So a reader may take any time, and may
 * call the store in its loop.
 *
 * Chunks have their own limit, because an open body may hold one of a few connections and must be
 * read before other calls can proceed.
 *
 * A `put` counts until it ends, including its source's time. A source that opens an object of the
 * same limited store can therefore deadlock.
 *
 * @throws INVALID_PARAMETER when `concurrentMax` is not an integer from 1 up
 */
export function withLimit(store: ObjectStore, options: LimitOptions): ObjectStore {
  return new LimitedStore(store, options);
}

/** Limits the calls of a store. A cached read takes no slot, because it is synchronous. */
class LimitedStore extends StoreWrapper {
  readonly #calls: Slots;
  readonly #chunkReads: Slots;

  constructor(store: ObjectStore, { concurrentMax }: LimitOptions) {
    super(store);
    if (!Number.isSafeInteger(concurrentMax) || concurrentMax < 1) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `concurrentMax is ${concurrentMax}; expected an integer of at least 1.`,
      );
    }
    this.#calls = new Slots(concurrentMax);
    this.#chunkReads = new Slots(concurrentMax);
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const { range, signal } = options ?? {};
    const object = await this.#calls.run(() => this.inner.get(key, options), signal);
    const lengthBytes = range === undefined ? object.sizeBytes : range.end - range.start;
    return new SingleUseBody({
      key,
      sizeBytes: object.sizeBytes,
      chunks: () => this.#chunks(object, lengthBytes, signal),
      release: async () => object[Symbol.asyncDispose](),
    });
  }

  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    return this.#calls.run(() => this.inner.put(key, body, options), options?.signal);
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    const entries = this.inner.list(prefix, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await this.#calls.run(() => entries.next(), options?.signal);
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      await entries.return?.();
    }
  }

  /** Yields the chunks of a body, each read in a slot for chunks. */
  async *#chunks(
    object: ObjectBody,
    lengthBytes: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const chunks = object.body[Symbol.asyncIterator]();
    let deliveredBytes = 0;
    try {
      for (;;) {
        // The end of the body is read without a slot: the store has no work left.
        const read = (): Promise<IteratorResult<Uint8Array>> => chunks.next();
        const step = await (deliveredBytes < lengthBytes
          ? this.#chunkReads.run(read, signal)
          : read());
        if (step.done === true) return;
        deliveredBytes += step.value.byteLength;
        yield step.value;
      }
    } finally {
      await chunks.return?.();
    }
  }

  protected override call<T>(
    _operation: StoreOperation,
    _key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#calls.run(() => run(options), options?.signal);
  }
}
