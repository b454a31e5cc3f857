import { type CallOptions, type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import type {
  Consumption,
  PartitionConsumption,
  PauseStatus,
  ResumeFrom,
  TableSchemaDocument,
} from '@quire/core/table-engine';
import { sleepUnlessAborted, Slots } from '@quire/core/wait';
import {
  findStartOffset,
  type MessageStream,
  parseStreamConfig,
  type PartitionOffsets,
} from '@quire/streams';
import { type ConsumingRecord, isCommitted } from '../segments/manifest.ts';
import type { ServedTable, StreamConsumer } from '../served-table.ts';
import type { RunChunkJob } from './chunk-job.ts';
import { ConsumingSegment } from './consuming-segment.ts';
import { type ConsumerEvents, PartitionConsumer } from './partition-consumer.ts';
import { readConsumingRecords, readPausedPartitions } from './paused-partitions.ts';
import type { StreamSettings } from './stream-settings.ts';

/** The latest request to pause or resume: `data/<tableId>/consumption.json`. */
interface ConsumptionRecord {
  readonly isPaused: boolean;
  readonly changedMs: number | null;
  readonly comment: string | null;
}

export interface TableConsumerOptions extends ConsumerEvents {
  readonly table: ServedTable;
  readonly settings: StreamSettings;
  readonly stream: MessageStream;
  readonly clock: Clock;
  readonly random: Random;
  readonly readSchema: () => Promise<TableSchemaDocument>;
  readonly runChunkJob: RunChunkJob;
}

type PartitionStatus = Omit<PartitionConsumption, 'lagMessages' | 'lagMs'>;

/**
 * The interval of requests for new partitions of a stream, and the interval while it cannot be
 * reached.
 */
const discoveryIntervalMs = { ready: 30_000, unready: 1_000 } as const;

/** Consumes all partitions of the stream of a table, unless it is paused. */
export class TableConsumer implements StreamConsumer {
  readonly #options: TableConsumerOptions;
  readonly #consumers = new Map<number, PartitionConsumer>();
  /**
   * The records of partitions whose consumer has not opened its segment, as while the stream cannot
   * be reached: queries see their rows.
   */
  readonly #stored: Map<number, ConsumingRecord>;
  readonly #ending = new AbortController();
  #record: ConsumptionRecord;
  #isReady = false;
  /** The reason why the last discovery of partitions failed; null if it succeeded. */
  #discoveryError: string | null = null;
  #discovery: Promise<void> | undefined;
  #abortDiscovery: AbortController | undefined;
  /** Runs pauses and resumptions sequentially. */
  readonly #changes = new Slots(1);
  /** A pause continues in the background, and later stops wait for it. */
  readonly #stops = new Slots(1);
  #isStopped = true;

  private constructor(
    options: TableConsumerOptions,
    record: ConsumptionRecord,
    stored: readonly ConsumingRecord[],
  ) {
    this.#options = options;
    this.#record = record;
    this.#stored = new Map(stored.map((each) => [each.partition, each]));
    if (!record.isPaused) this.#start();
  }

  /**
   * Starts consuming, or continues in the state in which the server stopped; `isPaused` is the
   * state of a new table.
   */
  static async open(
    options: TableConsumerOptions,
    { isPaused = false }: { readonly isPaused?: boolean | undefined } = {},
  ): Promise<TableConsumer> {
    const { records, directory, record: tableRecord } = options.table;
    const file = directory.consumption(tableRecord.tableId);
    const known = await records.read<ConsumptionRecord>(file);
    const record: ConsumptionRecord = known ?? { isPaused, changedMs: null, comment: null };
    if (known === undefined) await records.replace(file, record);
    const stored = await readConsumingRecords(options.table);
    const consumer = new TableConsumer(options, record, stored);
    // The server may have stopped before a pause had committed all rows.
    if (record.isPaused) await consumer.#commitStored();
    return consumer;
  }

  get isPaused(): boolean {
    return this.#record.isPaused;
  }

  get records(): readonly ConsumingRecord[] {
    const opened = this.#segments.map(({ record }) => record);
    const partitions = new Set(opened.map(({ partition }) => partition));
    const stored = [...this.#stored.values()].filter(({ partition }) => !partitions.has(partition));
    return [...opened, ...stored].toSorted((left, right) => left.partition - right.partition);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#segments.map((segment) => segment.settled()));
  }

  requestCommits(segmentNames: readonly string[]): void {
    for (const { partition, segmentName } of this.records) {
      if (!segmentNames.includes(segmentName)) continue;
      this.#consumers.get(partition)?.requestCommit(segmentName);
    }
  }

  async read(options?: CallOptions): Promise<Consumption> {
    const { isPaused, changedMs, comment } = this.#record;
    const offsets = await this.#readOffsets(options);
    const known = await this.#statuses(offsets);
    const partitions: PartitionConsumption[] = [];
    for (const status of known) {
      const latestOffset =
        offsets?.find(({ partition }) => partition === status.partition)?.latestOffset ??
        status.latestOffset;
      partitions.push(
        await this.#withLag(
          { ...status, ...(isPaused && { state: 'PAUSED', segmentName: null }), latestOffset },
          options,
        ),
      );
    }
    // A paused table has discovered no partitions, so the offsets that the stream reports now
    // decide.
    const hasOffsets = isPaused ? offsets !== undefined : this.#isReady;
    const isReady =
      hasOffsets &&
      (offsets ?? []).every(({ partition }) => known.some((each) => each.partition === partition));
    return { isPaused, changedMs, comment, partitions, isReady };
  }

  async readPauseStatus(): Promise<PauseStatus> {
    const { isPaused, changedMs, comment } = this.#record;
    const known = isPaused ? [] : await this.#statuses(undefined);
    const segmentNames = known
      .flatMap(({ segmentName }) => (segmentName === null ? [] : [segmentName]))
      .toSorted();
    return { isPaused, changedMs, comment, segmentNames };
  }

  /** Pauses consumption. Partitions stop soon after and commit the rows that they have consumed. */
  pause(comment: string | undefined): Promise<void> {
    return this.#change(async () => {
      await this.#save({ isPaused: true, comment: comment ?? null });
      void this.#stop({ commits: true });
    });
  }

  /**
   * Resumes consumption where it stopped, or at another position, which is stored. Partitions that
   * stopped at a bad message try again.
   */
  resume(from: ResumeFrom, comment: string | undefined, options?: CallOptions): Promise<void> {
    return this.#change(async () => {
      if (from !== 'lastConsumed') {
        const { stream } = this.#options;
        // Read before anything stops: if the stream cannot be reached, nothing changes.
        await stream.readPartitions(options);
        await this.#stop({ commits: true });
        // Read again, because consumption may have passed the offsets before it stopped: messages
        // after the latest one would be consumed twice.
        const offsets = await stream.readPartitions(options);
        const before = this.#record;
        // Recorded first: after a move that is not recorded, this call fails, and the next
        // resumption would skip messages.
        await this.#save({ isPaused: false, comment: comment ?? null });
        try {
          await this.#moveTo(offsets, from);
        } catch (error) {
          await this.#write(before).catch(() => undefined); // the failure of the move is reported
          throw error;
        }
        return;
      }
      if (
        this.#record.isPaused ||
        this.#partitions.some(({ status }) => status.state === 'STOPPED')
      ) {
        await this.#stop({ commits: false });
      }
      await this.#save({ isPaused: false, comment: comment ?? null });
    });
  }

  consumeAgain({ partition, segmentName }: ConsumingRecord): Promise<boolean> {
    return this.#change(async () => {
      await this.#stop({ commits: false });
      const emptied = await ConsumingSegment.empty({ ...this.#options, partition }, segmentName);
      if (emptied !== undefined) this.#stored.set(partition, emptied);
      return emptied !== undefined;
    });
  }

  /**
   * Stops without committing; consumed rows are durable. Consumption continues from there when the
   * table is opened again.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#changes.run(async () => undefined);
    await this.#stop({ commits: false });
    await this.#options.stream[Symbol.asyncDispose]();
  }

  /** The partitions that are being consumed. */
  get #partitions(): readonly PartitionConsumer[] {
    return [...this.#consumers.values()].toSorted(
      (left, right) => left.partition - right.partition,
    );
  }

  /** The segments of consumers that have not stopped. */
  get #segments(): readonly ConsumingSegment[] {
    if (this.#isStopped) return [];
    return this.#partitions.flatMap(({ segment }) => segment ?? []);
  }

  #start(): void {
    this.#isStopped = false;
    this.#consumers.clear();
    this.#abortDiscovery = new AbortController();
    this.#discovery = this.#discoverPartitions(this.#abortDiscovery.signal);
  }

  async #discoverPartitions(signal: AbortSignal): Promise<void> {
    const { stream, clock, onRetry, table } = this.#options;
    while (!signal.aborted) {
      try {
        for (const { partition } of await stream.readPartitions({ signal })) {
          if (!this.#consumers.has(partition) && !signal.aborted) {
            this.#consumers.set(partition, this.#consumerOf(partition));
          }
        }
        this.#isReady = true;
        this.#discoveryError = null;
      } catch (error) {
        if (signal.aborted) return;
        this.#discoveryError = error instanceof Error ? error.message : String(error);
        onRetry?.(table.name, -1, error);
      }
      await sleepUnlessAborted(
        clock,
        this.#isReady ? discoveryIntervalMs.ready : discoveryIntervalMs.unready,
        signal,
      );
    }
  }

  #consumerOf(partition: number): PartitionConsumer {
    const { settings, stream, clock, ...options } = this.#options;
    const { start, topic, kafka } = parseStreamConfig(settings.config);
    const findStart = (): Promise<number> => findStartOffset(stream, partition, start, { clock });
    return new PartitionConsumer({
      ...options,
      stream,
      clock,
      partition,
      thresholds: settings.thresholds,
      streamAttributes: {
        'messaging.system.name': kafka === undefined ? 'file' : 'kafka',
        'messaging.destination.name': topic,
      },
      findStart,
    });
  }

  #stop(how: { readonly commits: boolean }): Promise<void> {
    return this.#stops.run(async () => {
      this.#abortDiscovery?.abort();
      await this.#discovery;
      this.#discovery = undefined;
      await Promise.all(this.#partitions.map((consumer) => consumer.stop(how)));
      for (const { record } of this.#segments) this.#stored.set(record.partition, record);
      this.#isStopped = true;
      if (how.commits) await this.#commitStored();
    });
  }

  /** Commits the rows of partitions that no consumer could commit. */
  async #commitStored(): Promise<void> {
    const { readSchema, onRetry, ...parts } = this.#options;
    const { table } = parts;
    for (const record of this.#stored.values()) {
      const { partition, startOffset, endOffset } = record;
      if (endOffset === startOffset || isCommitted(record, table.segments.manifest)) continue;
      try {
        const segment = await ConsumingSegment.open(
          { ...parts, partition },
          async () => startOffset,
        );
        await segment.commit({ config: table.record.config, schema: await readSchema() });
        this.#stored.set(partition, segment.record);
      } catch (error) {
        // Queries see the rows either way; the next pause or start tries again.
        onRetry?.(table.name, partition, error);
      }
    }
  }

  /**
   * Moves all partitions in one write: if it fails, each continues where it was.
   *
   * @throws CONFLICT when rows of a partition could not be committed
   */
  async #moveTo(offsets: readonly PartitionOffsets[], from: 'smallest' | 'largest'): Promise<void> {
    const { table } = this.#options;
    const { checkpoints } = table.segments.manifest;
    const consuming = await readConsumingRecords(table);
    const moved = offsets.map(({ partition, earliestOffset, latestOffset }) => {
      const record = consuming.find((each) => each.partition === partition);
      if (record !== undefined && record.chunks.length > 0) {
        throw new QuireError(
          'CONFLICT',
          `Partition ${partition} of ${table.name} could not be committed: try again.`,
        );
      }
      const last = checkpoints.find((each) => each.partition === partition)?.sequence ?? -1;
      return {
        partition,
        // That of the empty consuming segment, which is replaced because it counts as committed.
        sequence: last + 1,
        endOffset: from === 'smallest' ? earliestOffset : latestOffset,
      };
    });
    await table.segments.change({ checkpoints: moved });
    for (const { partition } of offsets) this.#stored.delete(partition);
  }

  /**
   * Returns the statuses of partitions that consume, of stopped ones and, while the table is
   * paused, of those that it would consume.
   */
  async #statuses(
    offsets: readonly PartitionOffsets[] | undefined,
  ): Promise<readonly PartitionStatus[]> {
    const statuses = new Map<number, PartitionStatus>();
    const { isPaused } = this.#record;
    const paused = {
      state: this.#discoveryError === null ? 'STARTING' : 'RETRYING',
      error: this.#discoveryError,
    } as const;
    for (const { partition } of isPaused ? (offsets ?? []) : []) {
      statuses.set(partition, notStarted(partition));
    }
    for (const status of await readPausedPartitions(this.#options.table, paused)) {
      statuses.set(status.partition, status);
    }
    for (const { status } of this.#partitions) statuses.set(status.partition, status);
    return [...statuses.values()].toSorted((left, right) => left.partition - right.partition);
  }

  async #readOffsets(options?: CallOptions): Promise<readonly PartitionOffsets[] | undefined> {
    try {
      return await this.#options.stream.readPartitions(options);
    } catch (error) {
      // A stream that cannot be reached shows in the states of its partitions.
      if (isQuireError(error, 'STREAM_UNAVAILABLE', 'STREAM_INVALID')) return undefined;
      throw error;
    }
  }

  async #withLag(status: PartitionStatus, options?: CallOptions): Promise<PartitionConsumption> {
    const { partition, currentOffset, latestOffset } = status;
    if (currentOffset === null || latestOffset === null) {
      return { ...status, lagMessages: null, lagMs: null };
    }
    if (latestOffset <= currentOffset) return { ...status, lagMessages: 0, lagMs: 0 };
    const { stream, clock } = this.#options;
    try {
      const lagMessages = await stream.countMessages(
        partition,
        currentOffset,
        latestOffset,
        options,
      );
      const limits = { messagesMax: 1, bytesMax: 1, waitMs: 0 };
      const { messages } = await stream.fetch(partition, currentOffset, limits, options);
      const writtenMs = messages[0]?.timestampMs ?? null;
      return {
        ...status,
        lagMessages,
        lagMs: writtenMs === null ? null : Math.max(0, clock.nowMs() - writtenMs),
      };
    } catch (error) {
      if (!isQuireError(error, 'STREAM_UNAVAILABLE', 'STREAM_INVALID', 'OFFSET_NOT_FOUND')) {
        throw error;
      }
      return { ...status, lagMessages: null, lagMs: null };
    }
  }

  /** Runs a change. Consumption that it stopped continues afterwards, even if it fails. */
  #change<Result>(make: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(async () => {
      if (this.#ending.signal.aborted) {
        throw new QuireError('SHUTTING_DOWN', 'The table is being closed.');
      }
      try {
        return await make();
      } finally {
        const isStopped = this.#isStopped && !this.#record.isPaused;
        if (isStopped && !this.#ending.signal.aborted) this.#start();
      }
    });
  }

  async #save({
    isPaused,
    comment,
  }: Pick<ConsumptionRecord, 'isPaused' | 'comment'>): Promise<void> {
    await this.#write({ isPaused, changedMs: this.#options.clock.nowMs(), comment });
  }

  async #write(record: ConsumptionRecord): Promise<void> {
    const { table } = this.#options;
    await table.records.replace(table.directory.consumption(table.record.tableId), record);
    this.#record = record;
  }
}

/** Returns the status of a partition from which nothing was consumed yet. */
function notStarted(partition: number): PartitionStatus {
  const unknown = {
    segmentName: null,
    currentOffset: null,
    latestOffset: null,
    lastConsumedMs: null,
  };
  return { partition, state: 'STARTING', ...unknown, skippedCount: 0, error: null };
}
