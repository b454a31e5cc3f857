import {
  type CallOptions,
  type GetOptions,
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  SingleUseBody,
  sourceChunks,
  throwIfAborted,
} from '@quire/core';
import type { ResultSink } from '@quire/results';
import type { WorkContext } from '../workers/worker-kind.ts';
import { queryCalls } from './query-work.ts';

/**
 * A store in the parent process: objects are transferred chunk by chunk, with one put and one get
 * at a time.
 */
export class RemoteStore implements ResultSink, Pick<ObjectStore, 'get'> {
  readonly #call: WorkContext['call'];

  constructor(call: WorkContext['call']) {
    this.#call = call;
  }

  /** Sends each chunk when the store has accepted the previous one. */
  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions = {},
  ): Promise<ObjectEntry> {
    await this.#call(queryCalls.putBegin, key);
    try {
      for await (const chunk of sourceChunks(body, options.signal)) {
        await this.#call(queryCalls.putChunk, chunk);
      }
    } catch (error) {
      await this.#call(queryCalls.putAbandon, undefined);
      throw error;
    }
    return (await this.#call(queryCalls.putEnd, undefined)) as ObjectEntry;
  }

  async delete(key: string): Promise<void> {
    await this.#call(queryCalls.delete, key);
  }

  async get(key: string, { range, signal }: GetOptions = {}): Promise<ObjectBody> {
    const sizeBytes = (await this.#call(queryCalls.getBegin, { key, range })) as number;
    return new SingleUseBody({
      key,
      sizeBytes,
      chunks: () => this.#chunks(signal),
      release: async () => void (await this.#call(queryCalls.getEnd, undefined)),
    });
  }

  async *#chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    for (;;) {
      throwIfAborted(signal);
      const chunk = (await this.#call(queryCalls.getChunk, undefined)) as Uint8Array | undefined;
      if (chunk === undefined) return;
      yield chunk;
    }
  }
}
