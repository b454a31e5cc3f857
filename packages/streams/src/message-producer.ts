import type { CallOptions } from '@quire/core';

/** A message to write. */
export interface NewMessage {
  /** Messages of one key go to one partition; null: to any. A file stream keeps no more of it. */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  /** Which partition it goes to, whatever its key. */
  readonly partition?: number | undefined;
}

/**
 * Writes messages to one topic of a stream. Within a partition they stand in the order in which
 * they were given.
 *
 * A producer that is killed leaves each message whole or not at all; who does not know whether a
 * message was written writes it again.
 */
export interface MessageProducer extends AsyncDisposable {
  /** What it writes to, for people and messages. */
  readonly description: string;

  /**
   * Resolves once all messages are in the stream, for every reader.
   *
   * @throws STREAM_UNAVAILABLE when it cannot be reached; some of the messages may have been
   * written
   * @throws STREAM_INVALID when a message names a partition that does not exist, or cannot be in
   * this stream
   */
  append(messages: readonly NewMessage[], options?: CallOptions): Promise<void>;
}
