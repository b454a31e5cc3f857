import { QuireError } from '../errors.ts';
import type { CallOptions, GetOptions, ListOptions, ObjectBody, ObjectEntry, ObjectStore, ReadAtHand } from '../object-store.ts';
import { type ReleaseSlot, Slots } from '../wait/slots.ts';
import { SingleUseBody } from './single-use-body.ts';

export interface LimitOptions {
  /** Calls that run at once; at least 1. */
  readonly concurrentMax: number;
}

/**
 * The same store with at most `concurrentMax` calls at work at once; the others wait in order of arrival.
 *
 * A `get` counts until its last byte was delivered or its body was left or disposed. A `list` counts only while it looks for its
 * next entry, so that its reader may call the store in the loop. A `put` counts throughout, its source's time included: a source
 * that reads from the same limited store can therefore wait for ever.
 *
 * @throws INVALID_PARAMETER when `concurrentMax` is not an integer from 1 up
 */
export function withLimit(store: ObjectStore, options: LimitOptions): ObjectStore {
  return new LimitedStore(store, options);
}

class LimitedStore implements ObjectStore {
  readonly deleteFolder: ObjectStore['deleteFolder'];
  readonly #store: ObjectStore;
  readonly #slots: Slots;
  /** It takes no slot: it has ended when it returns. */
  readonly readAtHand: ReadAtHand | undefined;

  constructor(store: ObjectStore, { concurrentMax }: LimitOptions) {
    if (!Number.isSafeInteger(concurrentMax) || concurrentMax < 1) {
      throw new QuireError('INVALID_PARAMETER', `concurrentMax is ${concurrentMax}; expected an integer from 1 up.`);
    }
    this.#store = store;
    if (store.readAtHand !== undefined) this.readAtHand = (...call) => store.readAtHand?.(...call) ?? false;
    this.#slots = new Slots(concurrentMax);
    if (store.deleteFolder === undefined) return;
    this.deleteFolder = (keys, options) =>
      this.#inSlot(options?.signal, async () => (await store.deleteFolder?.(keys, options)) === true);
  }

  get location(): string {
    return this.#store.location;
  }

  head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.#inSlot(options?.signal, () => this.#store.head(key, options));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const release = await this.#slots.acquire(options?.signal);
    try {
      const object = await this.#store.get(key, options);
      const { range } = options ?? {};
      return limitedBody(key, object, range === undefined ? object.sizeBytes : range.end - range.start, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options?: CallOptions): Promise<ObjectEntry> {
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

  async #inSlot<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const release = await this.#slots.acquire(signal);
    try {
      return await call();
    } finally {
      release();
    }
  }
}

function limitedBody(key: string, object: ObjectBody, lengthBytes: number, release: ReleaseSlot): ObjectBody {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let deliveredBytes = 0;
    for await (const chunk of object.body) {
      deliveredBytes += chunk.byteLength;
      // The store has nothing left to do: a reader that is slow with its last chunk keeps nobody waiting.
      if (deliveredBytes >= lengthBytes) release();
      yield chunk;
    }
  }
  return new SingleUseBody({
    key,
    sizeBytes: object.sizeBytes,
    chunks,
    release: async () => {
      release();
      await object[Symbol.asyncDispose]();
    },
  });
}
