import { type Clock, QuireError } from '@quire/core';
import type { RecordFile } from '../directory/records.ts';
import {
  type Chunk,
  type ConsumingRecord,
  isCommitted,
  type RowFile,
} from '../segments/manifest.ts';
import type { NewFile, ServedTable } from '../served-table.ts';
import type { ChunkJob, ChunkLost, ChunkOutput, RunChunkJob, TableDocuments } from './chunk-job.ts';
import { type MessageValue, packMessages } from './packed-messages.ts';

/**
 * The number of chunks of one level that are merged into one of the next level. Merging by levels
 * rewrites each row only a few times, and queries open few files.
 */
const chunksOfLevel = 8;
/**
 * The maximum number of rows of a merged chunk before the segment is committed, because consumption
 * pauses during a merge.
 */
const mergedRowsMax = 250_000;

export interface ConsumingParts {
  readonly table: ServedTable;
  readonly partition: number;
  readonly clock: Clock;
  readonly runChunkJob: RunChunkJob;
}

/** The outcome of adding messages, without their rows. */
export type Added = Pick<ChunkOutput, 'skipped' | 'skippedCount' | 'stoppedAt'>;

const nothingAdded: Added = { skipped: [], skippedCount: 0, stoppedAt: undefined };

/**
 * The segment that a partition is being consumed into. Once `add` has resolved, its rows survive
 * any crash, together with the offset to continue from: both are in one record.
 */
export class ConsumingSegment {
  readonly #parts: ConsumingParts;
  #record: ConsumingRecord;
  #saving: Promise<void> | undefined;

  private constructor(parts: ConsumingParts, record: ConsumingRecord) {
    this.#parts = parts;
    this.#record = record;
  }

  /**
   * Opens the segment at the offset where the partition stopped, or at that of `findStart` if
   * nothing of the partition was consumed yet.
   */
  static async open(
    parts: ConsumingParts,
    findStart: () => Promise<number>,
  ): Promise<ConsumingSegment> {
    const { table, partition } = parts;
    const known = await table.records.read<ConsumingRecord>(recordOf(parts));
    const { manifest } = table.segments;
    if (known !== undefined && !isCommitted(known, manifest)) {
      return new ConsumingSegment(parts, known);
    }
    const checkpoint = manifest.checkpoints.find((each) => each.partition === partition);
    const startOffset = checkpoint?.endOffset ?? (await findStart());
    const segment = new ConsumingSegment(
      parts,
      newRecord(parts, (checkpoint?.sequence ?? -1) + 1, startOffset),
    );
    await segment.#save(segment.#record);
    return segment;
  }

  /**
   * Drops the rows of a consuming segment, so that they are consumed again. Returns the new record;
   * undefined if the segment was committed.
   */
  static async empty(
    parts: ConsumingParts,
    segmentName: string,
  ): Promise<ConsumingRecord | undefined> {
    const { table } = parts;
    const known = await table.records.read<ConsumingRecord>(recordOf(parts));
    if (known?.segmentName !== segmentName) return undefined;
    if (isCommitted(known, table.segments.manifest)) return undefined;
    // The record keeps its segment name, which explains the files that are left over.
    const record: ConsumingRecord = {
      ...known,
      endOffset: known.startOffset,
      consumedMs: null,
      chunks: [],
    };
    await table.records.replace(recordOf(parts), record);
    return record;
  }

  get record(): ConsumingRecord {
    return this.#record;
  }

  get rowCount(): number {
    return this.#record.chunks.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  get sizeBytes(): number {
    return this.#record.chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /**
   * Adds the rows of messages that end before an offset. Queries see them as soon as this resolves.
   * If the worker process was killed, nothing was added.
   */
  async add(
    messages: readonly MessageValue[],
    endOffset: number,
    {
      documents,
      signal,
    }: { readonly documents: TableDocuments; readonly signal: AbortSignal | undefined },
  ): Promise<Added | ChunkLost> {
    const { table, clock } = this.#parts;
    const consumedMs = clock.nowMs();
    // The age of a segment starts with its first message. Otherwise a segment that was empty for
    // hours would be committed immediately.
    if (this.#record.endOffset === this.#record.startOffset) {
      this.#record = { ...this.#record, createdMs: consumedMs };
    }
    if (messages.length === 0) {
      await this.#save({ ...this.#record, endOffset, consumedMs });
      return nothingAdded;
    }
    using slot = table.newFile(`${this.#record.segmentName}.chunk`);
    const outcome = await this.#run(
      { kind: 'fill', messages: packMessages(messages), ...documents },
      slot,
      signal,
    );
    if ('lost' in outcome) return outcome;
    const { written, stoppedAt } = outcome;
    const reached = stoppedAt?.offset ?? endOffset;
    const { endOffset: startOffset, chunks } = this.#record;
    if (reached > startOffset) {
      const added: readonly Chunk[] =
        written === undefined ? [] : [{ ...written, startOffset, endOffset: reached, level: 0 }];
      await this.#save({
        ...this.#record,
        endOffset: reached,
        consumedMs,
        chunks: [...chunks, ...added],
      });
      await this.#compact(documents);
    }
    return outcome;
  }

  /** Continues at a later offset, because the stream has dropped all messages before it. */
  async skipLost(toOffset: number): Promise<void> {
    const lost = {
      fromOffset: this.#record.endOffset,
      toOffset,
      noticedMs: this.#parts.clock.nowMs(),
    };
    await this.#save({ ...this.#record, endOffset: toOffset, lost });
  }

  /**
   * Commits all rows that were added as one segment, and starts the next one. Does nothing when no
   * message was consumed.
   */
  async commit(documents: TableDocuments): Promise<void> {
    const { segmentName, sequence, partition, startOffset, endOffset, createdMs, chunks } =
      this.#record;
    if (endOffset === startOffset) return;
    const { table, clock } = this.#parts;
    using slot = table.newFile(segmentName);
    const [only] = chunks.length === 1 ? chunks : [];
    const file = only ?? (await this.#merge(chunks, slot, documents));
    const {
      file: name,
      rowCount,
      sizeBytes,
      checksum,
      columnNames,
      digits,
      malformedColumnNames,
      minTimeMs,
      maxTimeMs,
    } = file;
    const segment = {
      file: name,
      rowCount,
      sizeBytes,
      checksum,
      columnNames,
      digits,
      malformedColumnNames,
      minTimeMs,
      maxTimeMs,
      segmentName,
      createdMs,
      committedMs: clock.nowMs(),
      stream: { partition, sequence, startOffset, endOffset },
      custom: {},
    };
    // After this the manifest has the segment, so a crash at any point cannot add its rows twice.
    await table.segments.change({
      add: [segment],
      checkpoints: [{ partition, sequence, endOffset }],
    });
    const { lost } = this.#record;
    await this.#save({
      ...newRecord(this.#parts, sequence + 1, endOffset),
      ...(lost !== undefined && { lost }),
    });
  }

  async #compact(documents: TableDocuments): Promise<void> {
    for (;;) {
      const { chunks } = this.#record;
      const last = chunks.slice(-chunksOfLevel);
      const level = last[0]?.level ?? 0;
      if (last.length < chunksOfLevel || last.some((chunk) => chunk.level !== level)) return;
      if (last.reduce((sum, { rowCount }) => sum + rowCount, 0) > mergedRowsMax) return;
      using slot = this.#parts.table.newFile(`${this.#record.segmentName}.chunk`);
      const merged = await this.#merge(last, slot, documents);
      const startOffset = last[0]?.startOffset ?? this.#record.startOffset;
      const chunk: Chunk = {
        ...merged,
        startOffset,
        endOffset: last.at(-1)?.endOffset ?? startOffset,
        level: level + 1,
      };
      await this.#save({ ...this.#record, chunks: [...chunks.slice(0, -chunksOfLevel), chunk] });
    }
  }

  async #merge(
    inputs: readonly RowFile[],
    slot: NewFile,
    documents: TableDocuments,
  ): Promise<RowFile> {
    const outcome = await this.#run({ kind: 'merge', inputs, ...documents }, slot, undefined);
    if ('lost' in outcome) throw new QuireError('INTERNAL', outcome.lost);
    if (outcome.written !== undefined) return outcome.written;
    throw new QuireError(
      'INTERNAL',
      `${this.#record.segmentName}: the merge of its files wrote no file.`,
    );
  }

  /** Removes an unfinished file, whatever the reason. */
  async #run(
    work:
      | Omit<Extract<ChunkJob, { kind: 'fill' }>, 'directory' | 'file'>
      | Omit<Extract<ChunkJob, { kind: 'merge' }>, 'directory' | 'file'>,
    { file }: NewFile,
    signal: AbortSignal | undefined,
  ): Promise<ChunkOutput | ChunkLost> {
    const { table, runChunkJob } = this.#parts;
    let outcome: ChunkOutput | ChunkLost | undefined;
    try {
      outcome = await runChunkJob({ ...work, directory: table.pathOf(''), file }, { signal });
      return outcome;
    } finally {
      if (outcome === undefined || 'lost' in outcome) await table.removeFile(file);
    }
  }

  /** Resolves once `record` is at least as new as the record that queries read from the disk. */
  async settled(): Promise<void> {
    await this.#saving?.catch(() => undefined); // the caller of `#save` gets the error
  }

  async #save(record: ConsumingRecord): Promise<void> {
    this.#saving = this.#replace(record);
    await this.#saving;
  }

  async #replace(record: ConsumingRecord): Promise<void> {
    await this.#parts.table.records.replace(recordOf(this.#parts), record);
    this.#record = record;
  }
}

function recordOf({ table, partition }: Pick<ConsumingParts, 'table' | 'partition'>): RecordFile {
  return table.directory.consuming(table.record.tableId, partition);
}

function newRecord(
  { table, partition, clock }: ConsumingParts,
  sequence: number,
  startOffset: number,
): ConsumingRecord {
  const createdMs = clock.nowMs();
  return {
    segmentName: streamSegmentName(table.rawName, partition, sequence, createdMs),
    partition,
    sequence,
    startOffset,
    endOffset: startOffset,
    createdMs,
    consumedMs: null,
    chunks: [],
  };
}

/**
 * Returns a name like those of Apache Pinot's stream segments:
 * `<table>__<partition>__<sequence>__<yyyyMMdd'T'HHmm'Z'>`.
 */
function streamSegmentName(
  rawName: string,
  partition: number,
  sequence: number,
  createdMs: number,
): string {
  const minute = new Date(createdMs).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return `${rawName}__${partition}__${sequence}__${minute}Z`;
}
