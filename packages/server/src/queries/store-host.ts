import {
  assertObjectKey,
  type ByteRange,
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  QuireError,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { ResultSink } from '@quire/results';
import type { CallHandlers } from '../workers/worker-process.ts';
import { queryCalls } from './query-work.ts';

/** The objects that a query may access. */
export interface ReachableObjects {
  /** Prefix of the keys that may be written and deleted: those of one result. Absent: none. */
  readonly writePrefix?: string;
  /** Keys that may be read: those of the results that the query references. */
  readonly readKeys: readonly string[];
}

/** The parent's side of a `RemoteStore`. */
export class StoreHost {
  readonly handlers: CallHandlers;
  readonly #store: ResultSink & Pick<ObjectStore, 'get'>;
  readonly #reachable: ReachableObjects;
  #put: PushedPut | undefined;
  #object: ObjectBody | undefined;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  #isClosed = false;

  constructor(store: ResultSink & Pick<ObjectStore, 'get'>, reachable: ReachableObjects) {
    this.#store = store;
    this.#reachable = reachable;
    this.handlers = {
      [queryCalls.putBegin]: async (key) => {
        this.#put = new PushedPut(this.#store, this.#writable(key));
      },
      [queryCalls.putChunk]: (chunk) => this.#startedPut().write(chunk as Uint8Array),
      [queryCalls.putEnd]: () => this.#startedPut().end(),
      [queryCalls.putAbandon]: () => this.#abandonPut(),
      [queryCalls.delete]: (key) => this.#store.delete(this.#writable(key)),
      [queryCalls.getBegin]: (input) =>
        this.#startGet(input as { readonly key: string; readonly range?: ByteRange }),
      [queryCalls.getChunk]: async () =>
        (await this.#chunks?.next())?.value as Uint8Array | undefined,
      [queryCalls.getEnd]: () => this.#closeGet(),
    };
  }

  /** Aborts the put and closes the get of a worker that has ended, if any. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#abandonPut();
    await this.#closeGet();
  }

  async #abandonPut(): Promise<void> {
    await this.#put?.abandon();
  }

  async #closeGet(): Promise<void> {
    const object = this.#object;
    this.#object = undefined;
    this.#chunks = undefined;
    await object?.[Symbol.asyncDispose]();
  }

  async #startGet({
    key,
    range,
  }: {
    readonly key: string;
    readonly range?: ByteRange;
  }): Promise<number> {
    if (!this.#reachable.readKeys.includes(key)) {
      throw new QuireError(
        'INTERNAL',
        'A worker requested an object that its query does not reference.',
      );
    }
    await this.#closeGet();
    const object = await this.#store.get(key, { range });
    this.#object = object;
    // The reader may have ended before the object was open.
    if (this.#isClosed) await this.#closeGet();
    else this.#chunks = object.body[Symbol.asyncIterator]();
    return object.sizeBytes;
  }

  #startedPut(): PushedPut {
    if (this.#put === undefined) {
      throw new QuireError('INTERNAL', 'A worker sent bytes without an object.');
    }
    return this.#put;
  }

  #writable(key: unknown): string {
    const { writePrefix } = this.#reachable;
    if (typeof key !== 'string' || writePrefix === undefined || !key.startsWith(writePrefix)) {
      throw new QuireError(
        'INTERNAL',
        `A worker requested an object outside of ${writePrefix ?? 'what it may read'}.`,
      );
    }
    assertObjectKey(key);
    return key;
  }
}

/** A put whose bytes are pushed; the store pulls them. */
class PushedPut {
  readonly #stored: Promise<ObjectEntry>;
  readonly #abandoned = new AbortController();
  /** The chunk that waits to be pulled, with its writer. */
  #offered = Promise.withResolvers<Uint8Array | undefined>();
  #taken = Promise.withResolvers<void>();

  constructor(store: ResultSink, key: string) {
    this.#stored = store.put(key, this.#chunks(), { signal: this.#abandoned.signal });
    this.#stored.catch(ignore);
  }

  /** Resolves once the store has finished with the chunk. @throws any error of the store */
  async write(chunk: Uint8Array): Promise<void> {
    this.#offered.resolve(chunk);
    await Promise.race([this.#taken.promise, this.#stored]);
  }

  end(): Promise<ObjectEntry> {
    this.#offered.resolve(undefined);
    return this.#stored;
  }

  async abandon(): Promise<void> {
    this.#abandoned.abort(new QuireError('ABORTED', 'The writer aborted.'));
    await this.#stored.catch(ignore);
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      // The writer may end at any time, also while the store takes a chunk.
      const chunk = await unlessAborted(this.#offered.promise, this.#abandoned.signal);
      if (chunk === undefined) return;
      yield chunk;
      const taken = this.#taken;
      this.#offered = Promise.withResolvers();
      this.#taken = Promise.withResolvers();
      taken.resolve();
    }
  }
}

function ignore(): void {
  // The writer receives it at its next call.
}
