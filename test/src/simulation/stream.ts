import { QuireError } from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import type { FetchedMessages, MessageStream, StreamMessage } from '@quire/streams';
import type { SimulatedProcess } from './machine.ts';

/** The faults of a stream. */
export interface StreamConditions {
  /** The largest latency of a call. */
  latencyMaxMs: number;
  /** The probability for each call to fail. */
  failureChance: number;
}

/**
 * The age at which a topic deletes messages and tables delete rows, so that a long run has a
 * bounded number of both. Short runs end before.
 */
export const retentionMs = 40 * 60_000;

/** A topic as its servers store it: messages in partitions, announced to all waiting consumers. */
export class Topic {
  readonly partitions: readonly StreamMessage[][];
  readonly #deletedCounts: number[];
  readonly #random: SeededRandom;
  readonly #nextOffsets: number[];
  readonly #waiting = new Set<() => void>();

  constructor(partitionCount: number, random: SeededRandom) {
    this.#random = random;
    this.partitions = Array.from({ length: partitionCount }, () => []);
    this.#nextOffsets = this.partitions.map(() => 0);
    this.#deletedCounts = this.partitions.map(() => 0);
  }

  /** Returns the offset of the oldest message of a partition. */
  earliestOffset(partition: number): number {
    return this.partitions[partition]?.[0]?.offset ?? this.latestOffset(partition);
  }

  /** Returns the offset of the next message of a partition, or a slightly later one. */
  latestOffset(partition: number): number {
    return this.#nextOffsets[partition] ?? 0;
  }

  /** Returns the number of messages of a partition so far, or of those before a time. */
  count(partition: number, beforeMs = Infinity): number {
    const messages = this.partitions[partition] ?? [];
    const index = messages.findIndex(({ timestampMs }) => (timestampMs ?? 0) >= beforeMs);
    return (this.#deletedCounts[partition] ?? 0) + (index < 0 ? messages.length : index);
  }

  /**
   * Appends numbered messages to a partition, and deletes old ones; offsets have gaps, as those of
   * Kafka may.
   */
  append(partition: number, count: number, nowMs: number): void {
    const messages = this.partitions[partition];
    if (messages === undefined) throw new RangeError(`There is no partition ${partition}.`);
    const deletedCount = this.count(partition, nowMs - retentionMs);
    messages.splice(0, deletedCount - (this.#deletedCounts[partition] ?? 0));
    this.#deletedCounts[partition] = deletedCount;
    for (let index = 0; index < count; index += 1) {
      const offset = this.latestOffset(partition);
      const n = deletedCount + messages.length;
      const value = JSON.stringify({ p: partition, n, ts: nowMs });
      messages.push({ offset, key: null, value: Buffer.from(value), timestampMs: nowMs });
      this.#nextOffsets[partition] = offset + (this.#random.fraction() < 0.05 ? 3 : 1);
    }
    for (const wake of this.#waiting) wake();
  }

  onAppended(wake: () => void): Disposable {
    this.#waiting.add(wake);
    return { [Symbol.dispose]: () => void this.#waiting.delete(wake) };
  }
}

/** A topic as one process reaches it: answers take time, are short at random, or are lost. */
export class SimulatedStream implements MessageStream {
  readonly description = 'simulated topic';
  readonly #topic: Topic;
  readonly #process: SimulatedProcess;
  readonly #random: SeededRandom;
  readonly #conditions: StreamConditions;

  constructor(options: {
    readonly topic: Topic;
    readonly process: SimulatedProcess;
    readonly random: SeededRandom;
    readonly conditions: StreamConditions;
  }) {
    this.#topic = options.topic;
    this.#process = options.process;
    this.#random = options.random;
    this.#conditions = options.conditions;
  }

  async readPartitions(): ReturnType<MessageStream['readPartitions']> {
    await this.#turn();
    return this.#topic.partitions.map((_, partition) => {
      return {
        partition,
        earliestOffset: this.#topic.earliestOffset(partition),
        latestOffset: this.#topic.latestOffset(partition),
      };
    });
  }

  async fetch(
    ...[partition, fromOffset, limits, { signal } = {}]: Parameters<MessageStream['fetch']>
  ): Promise<FetchedMessages> {
    await this.#turn();
    const latest = (): number => this.#topic.latestOffset(partition);
    const earliest = this.#topic.earliestOffset(partition);
    if (fromOffset < earliest || fromOffset > latest()) {
      const range = `[${earliest}, ${latest()}]`;
      throw new QuireError('OFFSET_NOT_FOUND', `There is no ${fromOffset} in ${range}.`);
    }
    if (fromOffset === latest() && limits.waitMs > 0) await this.#untilMore(limits.waitMs, signal);
    signal?.throwIfAborted();
    const all = this.#topic.partitions[partition] ?? [];
    const start = all.findIndex(({ offset }) => offset >= fromOffset);
    const countMax = 1 + this.#random.integer(Math.min(limits.messagesMax, 60));
    const messages = start < 0 ? [] : all.slice(start, start + countMax);
    const last = messages.at(-1);
    const isAtEnd = start < 0 || start + messages.length >= all.length;
    const nextOffset = isAtEnd ? latest() : (last?.offset ?? fromOffset) + 1;
    return { messages, nextOffset, latestOffset: latest() };
  }

  async findOffset(partition: number, timeMs: number): Promise<number> {
    await this.#turn();
    const found = this.#topic.partitions[partition]?.find(
      ({ timestampMs }) => (timestampMs ?? 0) >= timeMs,
    );
    return found?.offset ?? this.#topic.latestOffset(partition);
  }

  async countMessages(partition: number, from: number, to: number): Promise<number> {
    await this.#turn();
    const all = this.#topic.partitions[partition] ?? [];
    return all.filter(({ offset }) => offset >= from && offset < to).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #turn(): Promise<void> {
    const { latencyMaxMs, failureChance } = this.#conditions;
    await this.#process.pause(this.#random.fraction() * latencyMaxMs);
    if (this.#random.fraction() < failureChance) {
      throw new QuireError('STREAM_UNAVAILABLE', 'Simulated: the stream does not answer.');
    }
  }

  /** Resolves when there is more, or the time is over, or the signal is aborted. */
  async #untilMore(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _ = this.#topic.onAppended(() => resolve());
    const timeout = this.#process.scheduler.after(waitMs, () => resolve());
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort, { once: true });
    await promise;
    timeout.cancel();
    signal?.removeEventListener('abort', onAbort);
    await this.#turn();
  }
}
