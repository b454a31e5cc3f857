import { type CallOptions, type ObjectEntry, sourceChunks } from '@quire/core';
import type { ResultSink } from '@quire/results';
import type { WorkContext } from '../worker-module.ts';
import { queryCalls } from './query-work.ts';

/**
 * Writes into a store that lives in the process this one works for: chunk by chunk, each when the
 * store has taken the one before.
 */
export class RemoteSink implements ResultSink {
  readonly #call: WorkContext['call'];

  constructor(call: WorkContext['call']) {
    this.#call = call;
  }

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
}
