import { type Clock, isQuireError, QuireError, type Random, retryDelayMs } from '@quire/core';
import type {
  PartitionConsumption,
  PartitionState,
  TableSchemaDocument,
} from '@quire/core/table-engine';
import { type SpanAttributes, traced } from '@quire/core/trace';
import { sleepUnlessAborted, untilAborted } from '@quire/core/wait';
import type { FetchedMessages, MessageStream } from '@quire/streams';
import { causeOf, diskProblemOf } from '../directory/disk-problem.ts';
import type { ServedTable } from '../served-table.ts';
import type { RunChunkJob, TableDocuments } from './chunk-job.ts';
import { ConsumingSegment } from './consuming-segment.ts';
import { noticeOf } from './lost-messages.ts';
import type { MessageValue } from './packed-messages.ts';
import type { FlushThresholds } from './stream-settings.ts';
import { takeMessages, type TakeOptions } from './take-messages.ts';
import type { BadMessage } from './transform-messages.ts';

/** The maximum time until rows are durable and visible to queries. */
const flushEveryMs = 400;
/**
 * The maximum number and size of buffered messages; at either limit they are flushed immediately.
 */
const pendingMax = { messages: 25_000, bytes: 16 * 1024 * 1024 } as const;
const fetchedMax = { messages: 5_000, bytes: 4 * 1024 * 1024 } as const;
const retryDelays = { delayMs: 250, delayMaxMs: 30_000 } as const;
/**
 * The time for which a stream may end before the consumed offset. After that, it is assumed to be
 * another stream.
 */
const behindMaxMs = 90_000;

/** Callbacks about messages that could not be used. */
export interface ConsumerEvents {
  /** Called with skipped messages, and with the one that stopped a partition. */
  readonly onBadMessages?:
    | ((table: string, partition: number, messages: readonly BadMessage[]) => void)
    | undefined;
  /** Called when a partition cannot continue for now. */
  readonly onRetry?: ((table: string, partition: number, error: unknown) => void) | undefined;
}

export interface PartitionConsumerOptions extends ConsumerEvents {
  readonly table: ServedTable;
  readonly stream: MessageStream;
  /** Attributes that name the stream in traces. */
  readonly streamAttributes?: SpanAttributes | undefined;
  readonly partition: number;
  readonly thresholds: FlushThresholds;
  readonly clock: Clock;
  readonly random: Random;
  readonly readSchema: () => Promise<TableSchemaDocument>;
  readonly runChunkJob: RunChunkJob;
  /** Returns the offset to start at when nothing was consumed yet. */
  readonly findStart: () => Promise<number>;
}

/**
 * Consumes one partition in order into segments of its table, from the offset where consumption
 * stopped last, until it is stopped.
 */
export class PartitionConsumer {
  readonly partition: number;
  readonly #options: PartitionConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #segment: ConsumingSegment | undefined;
  #needsReopen = false;
  /**
   * True after a write failed on a full disk, until a write succeeds: consumption pauses during
   * that time.
   */
  #isHalted = false;
  #state: PartitionState = 'STARTING';
  #error: string | null = null;
  #skippedCount = 0;
  /** The latest skipped message that was reported individually. */
  #lastSkipped: BadMessage | undefined;
  #lastConsumedMs: number | null = null;
  #latestOffset: number | null = null;
  /** Messages whose rows are not durable yet, and the offset after them. */
  #pending:
    | { messages: MessageValue[]; bytes: number; endOffset: number; sinceMs: number }
    | undefined;
  /**
   * The time since which, at every attempt, the end of the stream was before the consumed offset.
   */
  #behindSinceMs: number | undefined;
  /** True if a worker process was killed while it processed the pending messages. */
  #isSuspect = false;
  #commitsOnStop = false;
  #wantsCommit: string | undefined;

  constructor(options: PartitionConsumerOptions) {
    this.#options = options;
    this.partition = options.partition;
    this.#ended = this.#run();
  }

  /** The status of the partition, as far as its consumer knows it. */
  get status(): Omit<PartitionConsumption, 'lagMessages' | 'lagMs'> {
    const record = this.#segment?.record;
    return {
      partition: this.partition,
      state: this.#state,
      segmentName: record?.segmentName ?? null,
      currentOffset: record?.endOffset ?? null,
      latestOffset: this.#latestOffset,
      lastConsumedMs: this.#lastConsumedMs ?? record?.consumedMs ?? null,
      skippedCount: this.#skippedCount,
      error: this.#error,
      notice:
        record === undefined
          ? null
          : [noticeOf(record), this.#skippedNotice].filter(Boolean).join(' ') || null,
    };
  }

  get #skippedNotice(): string | undefined {
    const { offset, problem } = this.#lastSkipped ?? {};
    return offset === undefined
      ? undefined
      : `Message ${offset} was skipped: it ${problem?.replace(/\.$/, '')}.`;
  }

  /** The segment that is being consumed into; undefined until it is open. */
  get segment(): ConsumingSegment | undefined {
    return this.#segment;
  }

  /** Requests a commit of the consuming segment, if it still has this name. */
  requestCommit(segmentName: string): void {
    this.#wantsCommit = segmentName;
  }

  /**
   * Stops consuming. The consumed rows are durable once this resolves, and committed if `commits`
   * is true.
   */
  async stop({ commits }: { readonly commits: boolean }): Promise<void> {
    this.#commitsOnStop ||= commits;
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random, onRetry, table } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await this.#consume(() => {
          attempt = 1;
          this.#behindSinceMs = undefined;
        });
      } catch (thrown) {
        const isOfStream = isQuireError(
          thrown,
          'STREAM_UNAVAILABLE',
          'STREAM_INVALID',
          'OFFSET_NOT_FOUND',
        );
        const error = isOfStream ? thrown : await causeOf(thrown, table.root);
        if (signal.aborted) break;
        // Messages that were not durable are fetched again. The segment is opened again after other
        // errors, because a commit may have failed halfway.
        this.#pending = undefined;
        this.#needsReopen ||= !isOfStream;
        this.#isHalted = diskProblemOf(error) !== undefined;
        this.#state = this.#stateAfter(error);
        this.#error = error instanceof Error ? error.message : String(error);
        onRetry?.(table.name, this.partition, error);
      }
      if (this.#state === 'STOPPED') await untilAborted(signal);
      else await sleepUnlessAborted(clock, retryDelayMs(retryDelays, attempt, random), signal);
    }
    await this.#finish();
  }

  /**
   * Returns the state after a failed fetch. The end of a stream may move back briefly after a crash
   * of its server. If the topic was created again, the end stays behind the next offset.
   */
  #stateAfter(error: unknown): PartitionState {
    const nowMs = this.#options.clock.monotonicMs();
    this.#behindSinceMs = isQuireError(error, 'OFFSET_NOT_FOUND')
      ? (this.#behindSinceMs ?? nowMs)
      : undefined;
    return nowMs - (this.#behindSinceMs ?? nowMs) >= behindMaxMs ? 'STOPPED' : 'RETRYING';
  }

  /** Consumes until it is stopped, reaches a message that stops it, or fails. */
  async #consume(onProgress: () => void): Promise<void> {
    const { table, partition, clock, findStart, runChunkJob } = this.#options;
    const { signal } = this.#stopping;
    if (this.#segment === undefined || this.#needsReopen) {
      this.#segment = await ConsumingSegment.open(
        { table, partition, clock, runChunkJob },
        findStart,
      );
      this.#needsReopen = false;
    }
    while (!signal.aborted) {
      const stoppedAt = this.#isFlushDue(this.#segment)
        ? await this.#flush(this.#segment, signal)
        : undefined;
      if (this.#isCommitDue(this.#segment)) await this.#commit(this.#segment);
      if (stoppedAt !== undefined) {
        this.#state = 'STOPPED';
        this.#error = `Message ${stoppedAt.offset} ${stoppedAt.problem}`;
        return;
      }
      await this.#fetchBatch(this.#segment);
      if (this.#isHalted && this.#pending !== undefined) continue;
      this.#isHalted = false;
      onProgress();
      this.#state = 'CONSUMING';
      this.#error = null;
    }
  }

  async #fetchBatch(segment: ConsumingSegment): Promise<void> {
    const { stream, clock } = this.#options;
    const from = this.#pending?.endOffset ?? segment.record.endOffset;
    const waitMs =
      this.#pending === undefined
        ? flushEveryMs
        : Math.max(0, this.#pending.sinceMs + flushEveryMs - clock.monotonicMs());
    let fetched: FetchedMessages;
    try {
      fetched = await stream.fetch(
        this.partition,
        from,
        { messagesMax: this.#fetchedMax(segment), bytesMax: fetchedMax.bytes, waitMs },
        { signal: this.#stopping.signal },
      );
    } catch (error) {
      if (!isQuireError(error, 'OFFSET_NOT_FOUND')) throw error;
      return this.#skipLost(segment, error);
    }
    this.#latestOffset = fetched.latestOffset;
    if (fetched.nextOffset === from) return;
    this.#lastConsumedMs = clock.nowMs();
    this.#pending ??= { messages: [], bytes: 0, endOffset: from, sinceMs: clock.monotonicMs() };
    for (const message of fetched.messages) {
      this.#pending.messages.push(message);
      this.#pending.bytes += message.value?.byteLength ?? 0;
    }
    this.#pending.endOffset = fetched.nextOffset;
  }

  /**
   * Returns the maximum number of messages to fetch: as many as may be flushed together, because
   * streams read all bytes that a fetch may return, even if it returns fewer messages.
   */
  #fetchedMax(segment: ConsumingSegment): number {
    const { rowsMax } = this.#options.thresholds;
    const left = Math.min(pendingMax.messages, rowsMax - segment.rowCount);
    return Math.max(fetchedMax.messages, left - (this.#pending?.messages.length ?? 0));
  }

  /**
   * Skips messages that the stream no longer has: like Apache Pinot, it continues with the oldest
   * one, and reports the gap.
   */
  async #skipLost(segment: ConsumingSegment, error: QuireError): Promise<void> {
    const { stream, table, onRetry } = this.#options;
    if (this.#pending !== undefined) {
      // Messages that were fetched in time are made durable first.
      this.#pending.sinceMs = -Infinity;
      return;
    }
    const offsets = await stream.readPartitions({ signal: this.#stopping.signal });
    const { earliestOffset = 0 } =
      offsets.find(({ partition }) => partition === this.partition) ?? {};
    if (earliestOffset <= segment.record.endOffset) throw streamIsBehind(error);
    await segment.skipLost(earliestOffset);
    onRetry?.(
      table.name,
      this.partition,
      new QuireError('OFFSET_NOT_FOUND', noticeOf(segment.record) ?? '', { cause: error }),
    );
  }

  #isFlushDue(segment: ConsumingSegment): boolean {
    if (this.#pending === undefined) return false;
    const { messages, bytes, sinceMs } = this.#pending;
    return (
      messages.length >= pendingMax.messages ||
      bytes >= pendingMax.bytes ||
      this.#options.clock.monotonicMs() - sinceMs >= flushEveryMs ||
      segment.rowCount + messages.length >= this.#options.thresholds.rowsMax ||
      this.#isCommitDue(segment)
    );
  }

  /** Makes the pending messages durable. Returns the message to stop at. */
  async #flush(segment: ConsumingSegment, signal?: AbortSignal): Promise<BadMessage | undefined> {
    if (this.#pending === undefined) return undefined;
    const { messages, endOffset } = this.#pending;
    const { table, onBadMessages, onRetry } = this.#options;
    const take = (options: TakeOptions): Promise<BadMessage | undefined> =>
      traced(this.#spanName, () => takeMessages(messages, endOffset, options), {
        kind: 'consumer',
        parent: null,
        attributes: {
          ...this.#spanAttributes,
          'messaging.operation.type': 'process',
          'messaging.operation.name': 'process',
          'messaging.batch.message_count': messages.length,
        },
      });
    const stoppedAt = await take({
      segment,
      signal,
      readDocuments: () => this.#readDocuments(),
      onBad: (bad, count) => {
        onBadMessages?.(table.name, this.partition, bad);
        this.#skippedCount += count;
        this.#lastSkipped = bad.at(-1) ?? this.#lastSkipped;
      },
      onLost: (reason) => {
        this.#isSuspect = true;
        onRetry?.(table.name, this.partition, new QuireError('INTERNAL', reason));
      },
    });
    this.#pending = undefined;
    this.#isHalted = false;
    this.#isSuspect = false;
    if (stoppedAt !== undefined) onBadMessages?.(table.name, this.partition, [stoppedAt]);
    return stoppedAt;
  }

  /** The operation and the topic, according to OpenTelemetry's conventions for messaging. */
  get #spanName(): string {
    const topic = this.#options.streamAttributes?.['messaging.destination.name'];
    return topic === undefined ? 'process' : `process ${topic}`;
  }

  get #spanAttributes(): SpanAttributes {
    const { table, streamAttributes } = this.#options;
    return {
      ...streamAttributes,
      'messaging.destination.partition.id': String(this.partition),
      'db.collection.name': table.name,
    };
  }

  #isCommitDue(segment: ConsumingSegment): boolean {
    const { rowsMax, timeMaxMs, sizeBytesMax } = this.#options.thresholds;
    const { createdMs, segmentName, startOffset, endOffset } = segment.record;
    if (endOffset === startOffset) return false;
    // If the clock was set back, the segment seems to be from the future, and is committed
    // immediately.
    const isOld = Math.abs(this.#options.clock.nowMs() - createdMs) >= timeMaxMs;
    return (
      this.#wantsCommit === segmentName ||
      segment.rowCount >= rowsMax ||
      segment.sizeBytes >= sizeBytesMax ||
      isOld
    );
  }

  async #commit(segment: ConsumingSegment): Promise<void> {
    this.#state = 'COMMITTING';
    const documents = await this.#readDocuments();
    await traced('ingest.commit', () => segment.commit(documents), {
      parent: null,
      attributes: this.#spanAttributes,
    });
    this.#wantsCommit = undefined;
    this.#state = 'CONSUMING';
  }

  /**
   * Flushes the pending rows and, if requested, commits them. Messages that cannot be flushed are
   * fetched again.
   */
  async #finish(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    try {
      // Messages during which a process was killed are left to the next start.
      if (!this.#isSuspect) await this.#flush(segment);
      if (this.#commitsOnStop) await segment.commit(await this.#readDocuments());
    } catch (error) {
      // Nothing is lost: consumption continues from the last durable offset.
      this.#options.onRetry?.(this.#options.table.name, this.partition, error);
    }
  }

  async #readDocuments(): Promise<TableDocuments> {
    return { config: this.#options.table.record.config, schema: await this.#options.readSchema() };
  }
}

/** Returns the error for a stream that ends before the consumed offset. */
function streamIsBehind(cause: QuireError): QuireError {
  const what =
    'The stream ends before the offset that was already consumed: the topic may have been deleted and created again.';
  const help =
    'If the topic was replaced, resume the table with consumeFrom=smallest or largest. Consumption continues on its own once the stream reaches that offset again.';
  return new QuireError('OFFSET_NOT_FOUND', `${cause.message} ${what} ${help}`, { cause });
}
