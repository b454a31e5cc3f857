import { type Clock, QuireError, type Random } from '@quire/core';
import type { PipelineRow } from '@quire/tables';
import { readDocument, removeDocument, replaceDocument } from '../directory/documents.ts';
import { type Chunk, type ConsumingRecord, isCommitted } from '../segments/manifest.ts';
import { mergeRowFiles } from '../segments/merge-row-files.ts';
import { RowFileWriter } from '../segments/row-file-writer.ts';
import type { TableShape } from '../segments/table-columns.ts';
import type { ServedTable } from '../served-table.ts';
import { streamSegmentName } from './segment-name.ts';

/** This many chunks of one size become one of the next: a row is written again a few times, and queries open few files. */
const chunksOfLevel = 8;
/** Larger chunks are not put together before the segment is committed: consumption waits meanwhile. */
const mergedRowsMax = 250_000;

export interface ConsumingParts {
  readonly table: ServedTable;
  readonly partition: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The segment that a partition is being consumed into. What `add` has resolved for survives any crash, together with the offset at which
 * consumption goes on: both stand in one record.
 */
export class ConsumingSegment {
  readonly #parts: ConsumingParts;
  #record: ConsumingRecord;

  private constructor(parts: ConsumingParts, record: ConsumingRecord) {
    this.#parts = parts;
    this.#record = record;
  }

  /** Goes on where the partition stopped, or, where nothing of it was consumed yet, at the offset that `findStart` gives. */
  static async open(parts: ConsumingParts, findStart: () => Promise<number>): Promise<ConsumingSegment> {
    const { table, partition } = parts;
    const known = (await readDocument(recordPath(parts))) as unknown as ConsumingRecord | undefined;
    const { manifest } = table.segments;
    if (known !== undefined && !isCommitted(known, manifest)) return new ConsumingSegment(parts, known);
    const checkpoint = manifest.checkpoints.find((each) => each.partition === partition);
    const startOffset = checkpoint?.endOffset ?? (await findStart());
    const segment = new ConsumingSegment(parts, newRecord(parts, (checkpoint?.sequence ?? -1) + 1, startOffset));
    await segment.#save(segment.#record);
    return segment;
  }

  /**
   * Forgets where a partition stopped, so that it goes on from its checkpoint.
   *
   * @throws CONFLICT when rows are in it that are not committed
   */
  static async forget(parts: Pick<ConsumingParts, 'table' | 'partition'>): Promise<void> {
    const { table, partition } = parts;
    const known = (await readDocument(recordPath(parts))) as unknown as ConsumingRecord | undefined;
    if (known !== undefined && known.chunks.length > 0 && !isCommitted(known, table.segments.manifest)) {
      throw new QuireError('CONFLICT', `Partition ${partition} of ${table.name} could not be committed: try again.`);
    }
    await removeDocument(recordPath(parts));
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

  /** Adds the rows of the messages up to an offset; from then on queries see them. */
  async add(rows: readonly PipelineRow[], endOffset: number, shape: TableShape): Promise<void> {
    const { table, clock } = this.#parts;
    const startOffset = this.#record.endOffset;
    const consumedMs = clock.nowMs();
    // How old it is counts from its first message: one that waited for hours would be full at once.
    if (startOffset === this.#record.startOffset) this.#record = { ...this.#record, createdMs: consumedMs };
    if (rows.length === 0) {
      await this.#save({ ...this.#record, endOffset, consumedMs });
      return;
    }
    using slot = table.newFile(`${this.#record.segmentName}.chunk`);
    await using writer = await RowFileWriter.create(slot.path, slot.file, shape);
    await writer.write(rows);
    const chunk: Chunk = { ...(await writer.finish()), startOffset, endOffset, level: 0 };
    await this.#save({ ...this.#record, endOffset, consumedMs, chunks: [...this.#record.chunks, chunk] });
    await this.#compact(shape);
  }

  /** Makes a committed segment of all that was added, and begins the next one. Nothing was added: nothing happens. */
  async commit(shape: TableShape): Promise<void> {
    const { segmentName, sequence, partition, startOffset, endOffset, createdMs, chunks } = this.#record;
    if (endOffset === startOffset) return;
    const { table, clock } = this.#parts;
    using slot = table.newFile(segmentName);
    const [only] = chunks.length === 1 ? chunks : [];
    const file = only ?? (await mergeRowFiles(chunks, slot, { table, shape }));
    const { file: name, rowCount, sizeBytes, checksum, columnNames, digits, malformedColumnNames, minTimeMs, maxTimeMs } = file;
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
    // From here on the record of the consuming segment does not count, wherever a crash comes.
    await table.segments.change({ add: [segment], checkpoints: [{ partition, sequence, endOffset }] });
    await this.#save(newRecord(this.#parts, sequence + 1, endOffset));
  }

  async #compact(shape: TableShape): Promise<void> {
    for (;;) {
      const { chunks } = this.#record;
      const last = chunks.slice(-chunksOfLevel);
      const level = last[0]?.level ?? 0;
      if (last.length < chunksOfLevel || last.some((chunk) => chunk.level !== level)) return;
      if (last.reduce((sum, { rowCount }) => sum + rowCount, 0) > mergedRowsMax) return;
      using slot = this.#parts.table.newFile(`${this.#record.segmentName}.chunk`);
      const merged = await mergeRowFiles(last, slot, { table: this.#parts.table, shape });
      const startOffset = last[0]?.startOffset ?? this.#record.startOffset;
      const chunk: Chunk = { ...merged, startOffset, endOffset: last.at(-1)?.endOffset ?? startOffset, level: level + 1 };
      await this.#save({ ...this.#record, chunks: [...chunks.slice(0, -chunksOfLevel), chunk] });
    }
  }

  async #save(record: ConsumingRecord): Promise<void> {
    await replaceDocument(recordPath(this.#parts), record, this.#parts.random);
    this.#record = record;
  }
}

function recordPath({ table, partition }: Pick<ConsumingParts, 'table' | 'partition'>): string {
  return table.pathOf(`consuming-${partition}.json`);
}

function newRecord({ table, partition, clock }: ConsumingParts, sequence: number, startOffset: number): ConsumingRecord {
  const createdMs = clock.nowMs();
  return {
    formatVersion: 1,
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
