import { type ByteRange, type ObjectBody, type ObjectStore, QuireError } from '@quire/core';
import type { CallHandlers } from '../worker-process.ts';
import { queryCalls } from './query-work.ts';

/**
 * The store's side of a `RemoteSource`: reads one object at a time, of those that a query names.
 */
export class SourceHost {
  readonly handlers: CallHandlers;
  readonly #store: Pick<ObjectStore, 'get'>;
  readonly #keys: readonly string[];
  #object: ObjectBody | undefined;
  #chunks: AsyncIterator<Uint8Array> | undefined;

  constructor(store: Pick<ObjectStore, 'get'>, keys: readonly string[]) {
    this.#store = store;
    this.#keys = keys;
    this.handlers = {
      [queryCalls.getBegin]: (input) =>
        this.#begin(input as { readonly key: string; readonly range?: ByteRange }),
      [queryCalls.getChunk]: async () =>
        (await this.#chunks?.next())?.value as Uint8Array | undefined,
      [queryCalls.getEnd]: () => this.close(),
    };
  }

  /** Gives up what is being read: its reader has ended. */
  async close(): Promise<void> {
    const object = this.#object;
    this.#object = undefined;
    this.#chunks = undefined;
    await object?.[Symbol.asyncDispose]();
  }

  async #begin({
    key,
    range,
  }: {
    readonly key: string;
    readonly range?: ByteRange;
  }): Promise<number> {
    if (!this.#keys.includes(key)) {
      throw new QuireError(
        'INTERNAL',
        'A worker asked for an object that its query does not name.',
      );
    }
    await this.close();
    this.#object = await this.#store.get(key, { range });
    this.#chunks = this.#object.body[Symbol.asyncIterator]();
    return this.#object.sizeBytes;
  }
}
