import type { CallOptions } from '@quire/core';

/** One message of a partition. */
export interface StreamMessage {
  /** Its position in the partition. Offsets increase along a partition, not always by one. */
  readonly offset: number;
  readonly key: Uint8Array | null;
  /** The value; null is a message without one, which some streams have. */
  readonly value: Uint8Array | null;
  /**
   * The time at which it was written, according to the stream, in epoch milliseconds; null if it is
   * unknown.
   */
  readonly timestampMs: number | null;
}

/**
 * The offsets of a partition as a half-open range: `[earliestOffset, latestOffset)` can be fetched.
 */
export interface PartitionOffsets {
  readonly partition: number;
  readonly earliestOffset: number;
  readonly latestOffset: number;
}

/** The maximum size of a fetch, and its maximum wait. */
export interface FetchLimits {
  readonly messagesMax: number;
  /** The maximum total size; a single message may be larger and is then returned alone. */
  readonly bytesMax: number;
  /** The time to wait for the first message if there is none yet; 0: none. */
  readonly waitMs: number;
}

/** The messages of a fetch, and the start of the next one. */
export interface FetchedMessages {
  /** The messages in order, without gaps other than those of the stream. */
  readonly messages: readonly StreamMessage[];
  /**
   * The next offset to fetch: after the last message and anything in the stream that is not a
   * message.
   */
  readonly nextOffset: number;
  /** The partition's latest offset at the time of the fetch. */
  readonly latestOffset: number;
}

/**
 * The port to one topic of a stream: partitions of ordered messages, each message addressed by its
 * offset until the stream deletes it. Every call may be repeated: fetching consumes nothing.
 *
 * Failures are STREAM_UNAVAILABLE, which may be retried, and STREAM_INVALID, which may not; both
 * name the stream. Every sentence here has a case in the conformance suite.
 */
export interface MessageStream extends AsyncDisposable {
  /** A description for display: `kafka topic orders at 127.0.0.1:9092`. */
  readonly description: string;

  /**
   * Returns all partitions, in ascending order, with their offsets. @throws STREAM_INVALID when the
   * topic does not exist
   */
  readPartitions(options?: CallOptions): Promise<readonly PartitionOffsets[]>;

  /**
   * Returns the messages from an offset.
   *
   * @throws OFFSET_NOT_FOUND when the stream no longer has that offset, or it is past the latest
   *   one; the message names both ends
   */
  fetch(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    options?: CallOptions,
  ): Promise<FetchedMessages>;

  /**
   * Returns the first offset whose message was written at or after a time; the latest offset if
   * there is none.
   */
  findOffset(partition: number, timeMs: number, options?: CallOptions): Promise<number>;

  /**
   * Returns the number of messages in `[fromOffset, toOffset)`; exact if offsets count messages,
   * otherwise a cheap estimate.
   */
  countMessages(
    partition: number,
    fromOffset: number,
    toOffset: number,
    options?: CallOptions,
  ): Promise<number>;
}
