import type { CallOptions } from '@quire/core';

/** One message of a partition. */
export interface StreamMessage {
  /** Its place in the partition. Offsets grow along a partition, not always by one. */
  readonly offset: number;
  readonly key: Uint8Array | null;
  /** Null is a message without a value, which some streams have. */
  readonly value: Uint8Array | null;
  /**
   * When it was written, as the stream tells it, in epoch milliseconds; null where the stream does
   * not.
   */
  readonly timestampMs: number | null;
}

/**
 * Offsets of a partition, as half-open range: what may be fetched is `[earliestOffset,
 * latestOffset)`.
 */
export interface PartitionOffsets {
  readonly partition: number;
  readonly earliestOffset: number;
  readonly latestOffset: number;
}

/** How much a fetch gives at most, and how long it waits. */
export interface FetchLimits {
  readonly messagesMax: number;
  /** A single message may be larger; it then comes alone. */
  readonly bytesMax: number;
  /** How long to wait for the first message where there is none yet; 0: not at all. */
  readonly waitMs: number;
}

/** What a fetch gave, and where the next one begins. */
export interface FetchedMessages {
  /** In order, without gaps that were not there in the stream. */
  readonly messages: readonly StreamMessage[];
  /**
   * Where to fetch from next: past the last message, and past what the stream holds there that is
   * not a message.
   */
  readonly nextOffset: number;
  /** The partition's latest offset, as known when the messages came. */
  readonly latestOffset: number;
}

/**
 * The port to one topic of a stream: messages in partitions, each in order, each found again by its
 * offset for as long as the stream keeps it. Every call may be repeated: fetching consumes nothing.
 *
 * Failures are STREAM_UNAVAILABLE, which may be retried, and STREAM_INVALID, which may not; both
 * name the stream. Every sentence here has a case in the conformance suite.
 */
export interface MessageStream extends AsyncDisposable {
  /** What it is, for people and messages: `kafka topic orders at 127.0.0.1:9092`. */
  readonly description: string;

  /**
   * All partitions, in ascending order, with their offsets. @throws STREAM_INVALID when there is no
   * such topic
   */
  readPartitions(options?: CallOptions): Promise<readonly PartitionOffsets[]>;

  /**
   * The messages from an offset on.
   *
   * @throws OFFSET_NOT_FOUND when the stream does not hold that offset any more, or it is past the
   * latest one; the message names both ends
   */
  fetch(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    options?: CallOptions,
  ): Promise<FetchedMessages>;

  /**
   * The first offset whose message was written at or after a time; the latest offset where there is
   * none.
   */
  findOffset(partition: number, timeMs: number, options?: CallOptions): Promise<number>;

  /**
   * Messages in `[fromOffset, toOffset)`; exact where offsets count messages, else as exact as the
   * stream can tell cheaply.
   */
  countMessages(
    partition: number,
    fromOffset: number,
    toOffset: number,
    options?: CallOptions,
  ): Promise<number>;
}
