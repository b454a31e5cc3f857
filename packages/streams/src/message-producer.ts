import type { CallOptions } from '@quire/core';

/** A message to write. */
export interface NewMessage {
  /**
   * Messages of one key are written to one partition; null: to any. A file stream does not store
   * the key.
   */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  /** The partition, regardless of the key. */
  readonly partition?: number | undefined;
}

/**
 * Writes messages to one topic of a stream, in order within a partition.
 *
 * If a producer is killed, each message is written completely or not at all. A caller that does not
 * know whether a message was written writes it again.
 */
export interface MessageProducer extends AsyncDisposable {
  /** Its destination, for display. */
  readonly description: string;

  /**
   * Resolves once all messages are in the stream, for every reader.
   *
   * @throws STREAM_UNAVAILABLE when it cannot be reached; some of the messages may have been
   *   written
   * @throws STREAM_INVALID when a message names a partition that does not exist, or cannot be in
   *   this stream
   */
  append(messages: readonly NewMessage[], options?: CallOptions): Promise<void>;
}
