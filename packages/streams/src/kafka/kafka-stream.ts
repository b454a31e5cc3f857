import { type ClusterMetadata, listOffsetsV6 } from '@platformatic/kafka';
import {
  type CallOptions,
  type Clock,
  isQuireError,
  systemClock,
  throwIfAborted,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type {
  FetchedMessages,
  FetchLimits,
  MessageStream,
  PartitionOffsets,
} from '../message-stream.ts';
import { offsetNotFound, streamInvalid } from '../stream-errors.ts';
import { describeTopic, type KafkaConfig } from './kafka-config.ts';
import { KafkaConnections, waitMaxMs } from './kafka-connections.ts';
import { isAnswer, toStreamError } from './kafka-errors.ts';
import { fetchBytes } from './fetch-bytes.ts';
import { readRecordBatches } from './record-batches.ts';
import { selectMessages } from './select-messages.ts';

/** Special timestamps of ListOffsets. */
const latestTime = -1n;
const earliestTime = -2n;

/** The ids of a fetch without a session, which contains its whole request. */
const noSession = { id: 0, epoch: -1 };

/** Kafka errors while a partition moves to another broker. */
const movedAnswers = [
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'REPLICA_NOT_AVAILABLE',
];

/** The topic that a `KafkaStream` reads, and how it connects. */
export interface KafkaStreamOptions {
  readonly topic: string;
  readonly config: KafkaConfig;
  /** The clock; default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * A topic of Apache Kafka, read by offset: without a consumer group, so that nothing is stored in
 * the cluster. Works with Kafka 2.8 and newer. Connects on first use; after a failure the next call
 * reconnects.
 */
export class KafkaStream implements MessageStream {
  readonly description: string;
  readonly #topic: string;
  readonly #isolationLevel: 0 | 1;
  readonly #connections: KafkaConnections;
  readonly #clock: Clock;

  constructor({ topic, config, clock = systemClock }: KafkaStreamOptions) {
    this.#topic = topic;
    this.#clock = clock;
    this.#isolationLevel = config.isCommittedOnly ? 1 : 0;
    this.#connections = new KafkaConnections(config);
    this.description = describeTopic(topic, config);
  }

  readPartitions(options?: CallOptions): Promise<readonly PartitionOffsets[]> {
    return this.#run(options, async () => {
      const metadata = await this.#readMetadata(true);
      const partitions = [...(metadata.topics.get(this.#topic)?.partitions.keys() ?? [])];
      const earliest = await this.#listOffsets(metadata, partitions, earliestTime);
      const latest = await this.#listOffsets(metadata, partitions, latestTime);
      return partitions.map((partition) => {
        const earliestOffset = earliest.get(partition) ?? 0;
        // Messages of an open transaction do not count, even if retention has passed them.
        return {
          partition,
          earliestOffset,
          latestOffset: Math.max(earliestOffset, latest.get(partition) ?? 0),
        };
      });
    });
  }

  fetch(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    options?: CallOptions,
  ): Promise<FetchedMessages> {
    return this.#run(options, async () => {
      const untilMs = this.#clock.monotonicMs() + limits.waitMs;
      for (let leftMs = limits.waitMs; ; leftMs = untilMs - this.#clock.monotonicMs()) {
        const waitMs = Math.round(Math.min(Math.max(0, leftMs), waitMaxMs));
        const found = await this.#fetchOnce(
          partition,
          fromOffset,
          { ...limits, waitMs },
          options?.signal,
        );
        if (found.nextOffset > fromOffset || leftMs <= waitMs) return found;
      }
    });
  }

  findOffset(partition: number, timeMs: number, options?: CallOptions): Promise<number> {
    return this.#run(options, async () => {
      const metadata = await this.#readMetadata(false, partition);
      const time = BigInt(Math.ceil(Math.max(0, timeMs)));
      const found = (await this.#listOffsets(metadata, [partition], time)).get(partition) ?? -1;
      // -1 is Kafka's answer if no message is that recent.
      return found >= 0
        ? found
        : ((await this.#listOffsets(metadata, [partition], latestTime)).get(partition) ?? 0);
    });
  }

  /** Counts offsets, including transaction markers and compacted messages. */
  countMessages(
    partition: number,
    fromOffset: number,
    toOffset: number,
    options?: CallOptions,
  ): Promise<number> {
    return this.#run(options, async () => {
      await this.#readMetadata(false, partition);
      return Math.max(0, toOffset - fromOffset);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  async #fetchOnce(
    partition: number,
    fromOffset: number,
    limits: FetchLimits,
    signal: AbortSignal | undefined,
  ): Promise<FetchedMessages> {
    const metadata = await this.#readMetadata(false, partition);
    const nodeId = metadata.topics.get(this.#topic)?.partitions[partition]?.leader ?? -1;
    const bytesMax = Math.max(1, limits.bytesMax);
    try {
      const answer = await this.#connections.fetching(
        { metadata, nodeId, partition },
        signal,
        (connection) => {
          const from = {
            partition,
            currentLeaderEpoch: -1,
            fetchOffset: BigInt(fromOffset),
            lastFetchedEpoch: -1,
            partitionMaxBytes: bytesMax,
          };
          // This version of the request identifies topics by name, later versions by id.
          const topics = [{ topicId: this.#topic, partitions: [from] }];
          const { id, epoch } = noSession;
          return fetchBytes.async(
            connection,
            limits.waitMs,
            1,
            bytesMax,
            this.#isolationLevel,
            id,
            epoch,
            topics,
            [],
            '',
          );
        },
      );
      const isCommittedOnly = this.#isolationLevel === 1;
      const { messages, nextOffset } = selectMessages(
        readRecordBatches(answer.records),
        isCommittedOnly ? answer.abortedTransactions : [],
        fromOffset,
        limits,
      );
      const latest = isCommittedOnly ? answer.lastStableOffset : answer.highWatermark;
      return {
        messages,
        nextOffset,
        latestOffset: Math.max(nextOffset, Number(latest)),
      };
    } catch (error) {
      if (isAnswer(error, 'OFFSET_OUT_OF_RANGE')) {
        throw await this.#outOfRange(metadata, partition, fromOffset);
      }
      throw error;
    }
  }

  async #outOfRange(metadata: ClusterMetadata, partition: number, offset: number): Promise<Error> {
    const earliestOffset =
      (await this.#listOffsets(metadata, [partition], earliestTime)).get(partition) ?? 0;
    const latestOffset =
      (await this.#listOffsets(metadata, [partition], latestTime)).get(partition) ?? 0;
    return offsetNotFound({ description: this.description, partition }, offset, {
      earliestOffset,
      latestOffset,
    });
  }

  /** Returns the metadata of the topic, refreshed if it does not have the partition. */
  async #readMetadata(isFresh: boolean, partition?: number): Promise<ClusterMetadata> {
    const metadata = await this.#connections.readMetadata(this.#topic, { isFresh });
    const isKnown =
      partition === undefined ||
      metadata.topics.get(this.#topic)?.partitions[partition] !== undefined;
    if (isKnown) return metadata;
    if (isFresh) throw streamInvalid(`${this.description} has no partition ${partition}.`);
    return await this.#readMetadata(true, partition);
  }

  async #listOffsets(
    metadata: ClusterMetadata,
    partitions: readonly number[],
    time: bigint,
  ): Promise<ReadonlyMap<number, number>> {
    const all = metadata.topics.get(this.#topic)?.partitions ?? [];
    const byLeader = Map.groupBy(partitions, (partition) => all[partition]?.leader ?? -1);
    const found = new Map<number, number>();
    for (const [nodeId, ofLeader] of byLeader) {
      const connection = await this.#connections.connect(metadata, nodeId);
      const wanted = ofLeader.map((partitionIndex) => ({
        partitionIndex,
        currentLeaderEpoch: -1,
        timestamp: time,
      }));
      const { topics } = await listOffsetsV6.api.async(connection, -1, this.#isolationLevel, [
        { name: this.#topic, partitions: wanted },
      ]);
      for (const { partitionIndex, offset } of topics[0]?.partitions ?? []) {
        found.set(partitionIndex, Number(offset));
      }
    }
    return found;
  }

  /** Runs a call; repeats it once if the partition has moved to another broker. */
  async #run<T>(options: CallOptions | undefined, call: () => Promise<T>): Promise<T> {
    throwIfAborted(options?.signal);
    const tried = async (): Promise<T> => {
      try {
        return await call();
      } catch (error) {
        if (!isAnswer(error, ...movedAnswers)) throw error;
        this.#connections.forgetMetadata();
        return await call();
      }
    };
    try {
      return await unlessAborted(tried(), options?.signal);
    } catch (error) {
      if (!isQuireError(error)) this.#connections.forgetMetadata();
      throw toStreamError(error, this.description);
    }
  }
}
