import { QuireError } from '../errors.ts';
import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
  ReadAtHand,
} from '../object-store.ts';
import { Slots } from '../wait/slots.ts';
import { SingleUseBody } from './single-use-body.ts';

/** How many calls `withLimit` lets run at once. */
export interface LimitOptions {
  /** Calls that run at once; at least 1. */
  readonly concurrentMax: number;
}

/**
 * The same store with at most `concurrentMax` calls at work at once, and as many reads of a body's
 * next chunk; the others wait in order of arrival.
 *
 * A call counts while the store works, never while its reader does: a `get` while it opens its
 * object, a `list` while it looks for its next entry. So a reader may take any time, and may call
 * the store in its loop. Chunks are counted apart from calls: where calls wait for one of a few
 * connections, an open body holds one, and must be read for them to go on. A `put` counts
 * throughout, its source's time included: a source that opens an object of the same limited store
 * can therefore wait for ever.
 *
 * @throws INVALID_PARAMETER when `concurrentMax` is not an integer from 1 up
 */
export function withLimit(store: ObjectStore, options: LimitOptions): ObjectStore {
  return new LimitedStore(store, options);
}

class LimitedStore implements ObjectStore {
  readonly deleteFolder: ObjectStore['deleteFolder'];
  readonly #store: ObjectStore;
  readonly #calls: Slots;
  readonly #chunkReads: Slots;
  /** It takes no slot: it has ended when it returns. */
  readonly readAtHand: ReadAtHand | undefined;

  constructor(store: ObjectStore, { concurrentMax }: LimitOptions) {
    if (!Number.isSafeInteger(concurrentMax) || concurrentMax < 1) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `concurrentMax is ${concurrentMax}; expected an integer from 1 up.`,
      );
    }
    this.#store = store;
    if (store.readAtHand !== undefined) {
      this.readAtHand = (...call) => store.readAtHand?.(...call) ?? false;
    }
    this.#calls = new Slots(concurrentMax);
    this.#chunkReads = new Slots(concurrentMax);
    if (store.deleteFolder === undefined) return;
    this.deleteFolder = (keys, options) =>
      this.#inSlot(
        options?.signal,
        async () => (await store.deleteFolder?.(keys, options)) === true,
      );
  }

  get location(): string {
    return this.#store.location;
  }

  head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.#inSlot(options?.signal, () => this.#store.head(key, options));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const { range, signal } = options ?? {};
    const object = await this.#inSlot(signal, () => this.#store.get(key, options));
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
    return this.#inSlot(options?.signal, () => this.#store.put(key, body, options));
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    const entries = this.#store.list(prefix, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await this.#inSlot(options?.signal, () => entries.next());
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      await entries.return?.();
    }
  }

  delete(key: string, options?: CallOptions): Promise<void> {
    return this.#inSlot(options?.signal, () => this.#store.delete(key, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  /** The chunks of a body, each read in a slot for chunks. */
  async *#chunks(
    object: ObjectBody,
    lengthBytes: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const chunks = object.body[Symbol.asyncIterator]();
    let deliveredBytes = 0;
    try {
      for (;;) {
        // After its last byte the store has nothing left to do, and needs no slot to say so.
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

  #inSlot<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    return this.#calls.run(call, signal);
  }
}
