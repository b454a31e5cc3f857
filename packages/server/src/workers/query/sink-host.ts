import { assertObjectKey, type ObjectEntry, QuireError } from '@quire/core';
import type { ResultSink } from '@quire/results';
import type { CallHandlers } from '../worker-process.ts';
import { queryCalls } from './query-work.ts';

/** The store's side of a `RemoteSink`: one put at a time, of objects of one result only. */
export class SinkHost {
  readonly handlers: CallHandlers;
  readonly #store: ResultSink;
  readonly #prefix: string;
  #put: PutUnderWay | undefined;

  /** @param prefix of the keys that may be written and deleted */
  constructor(store: ResultSink, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
    this.handlers = {
      [queryCalls.putBegin]: async (key) => {
        this.#put = new PutUnderWay(this.#store, this.#checked(key));
      },
      [queryCalls.putChunk]: (chunk) => this.#underWay().write(chunk as Uint8Array),
      [queryCalls.putEnd]: () => this.#underWay().end(),
      [queryCalls.putAbandon]: () => this.close(),
      [queryCalls.delete]: (key) => this.#store.delete(this.#checked(key)),
    };
  }

  /** Gives up the put under way, if there is one: its writer is gone. */
  async close(): Promise<void> {
    await this.#put?.abandon();
  }

  #underWay(): PutUnderWay {
    if (this.#put === undefined) {
      throw new QuireError('INTERNAL', 'A worker sent bytes without an object.');
    }
    return this.#put;
  }

  #checked(key: unknown): string {
    if (typeof key !== 'string' || !key.startsWith(this.#prefix)) {
      throw new QuireError('INTERNAL', `A worker asked for an object outside of ${this.#prefix}.`);
    }
    assertObjectKey(key);
    return key;
  }
}

/** A put whose bytes are pushed; the store pulls them. */
class PutUnderWay {
  readonly #stored: Promise<ObjectEntry>;
  /** The chunk that waits to be pulled, with its writer. */
  #offered = Promise.withResolvers<Uint8Array | undefined>();
  #taken = Promise.withResolvers<void>();

  constructor(store: ResultSink, key: string) {
    this.#stored = store.put(key, this.#chunks());
    this.#stored.catch(ignore);
    this.#offered.promise.catch(ignore);
  }

  /** Resolves once the store is done with the chunk. @throws what the store throws */
  async write(chunk: Uint8Array): Promise<void> {
    this.#offered.resolve(chunk);
    await Promise.race([this.#taken.promise, this.#stored]);
  }

  end(): Promise<ObjectEntry> {
    this.#offered.resolve(undefined);
    return this.#stored;
  }

  async abandon(): Promise<void> {
    this.#offered.reject(new QuireError('ABORTED', 'The writer gave up.'));
    await this.#stored.catch(ignore);
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (
      let chunk = await this.#offered.promise;
      chunk !== undefined;
      chunk = await this.#offered.promise
    ) {
      yield chunk;
      const taken = this.#taken;
      this.#offered = Promise.withResolvers();
      this.#offered.promise.catch(ignore);
      this.#taken = Promise.withResolvers();
      taken.resolve();
    }
  }
}

function ignore(): void {
  // The writer is told at its next call.
}
