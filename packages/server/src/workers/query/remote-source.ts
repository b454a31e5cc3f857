import {
  type GetOptions,
  type ObjectBody,
  type ObjectStore,
  SingleUseBody,
  throwIfAborted,
} from '@quire/core';
import type { WorkContext } from '../worker-module.ts';
import { queryCalls } from './query-work.ts';

/**
 * Reads from a store that lives in the process this one works for: chunk by chunk, one object at a
 * time.
 */
export class RemoteSource implements Pick<ObjectStore, 'get'> {
  readonly #call: WorkContext['call'];

  constructor(call: WorkContext['call']) {
    this.#call = call;
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
