import type { CallOptions } from '@quire/core';
import type {
  FetchedMessages,
  FetchLimits,
  MessageStream,
  PartitionOffsets,
} from './message-stream.ts';

/**
 * A stream whose client is loaded by the first call, so that a server without such streams does not
 * use memory for it.
 */
export class LateStream implements MessageStream {
  readonly description: string;
  readonly #open: () => Promise<MessageStream>;
  #opened: Promise<MessageStream> | undefined;
  #isClosed = false;

  constructor(description: string, open: () => Promise<MessageStream>) {
    this.description = description;
    this.#open = open;
  }

  async readPartitions(options?: CallOptions): Promise<readonly PartitionOffsets[]> {
    return (await this.#stream()).readPartitions(options);
  }

  async fetch(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    options?: CallOptions,
  ): Promise<FetchedMessages> {
    return (await this.#stream()).fetch(partition, fromOffset, limits, options);
  }

  async findOffset(partition: number, timeMs: number, options?: CallOptions): Promise<number> {
    return (await this.#stream()).findOffset(partition, timeMs, options);
  }

  async countMessages(
    partition: number,
    fromOffset: number,
    toOffset: number,
    options?: CallOptions,
  ): Promise<number> {
    return (await this.#stream()).countMessages(partition, fromOffset, toOffset, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined); // its callers got the error
    await opened?.[Symbol.asyncDispose]();
  }

  #stream(): Promise<MessageStream> {
    return (this.#opened ??= this.#openOnce().catch((error: unknown) => {
      this.#opened = undefined; // the next call tries again
      throw error;
    }));
  }

  async #openOnce(): Promise<MessageStream> {
    const stream = await this.#open();
    // The stream itself refuses calls after its disposal.
    if (this.#isClosed) await stream[Symbol.asyncDispose]();
    return stream;
  }
}
