import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CallOptions, type Clock, QuireError, type Random } from '@quire/core';
import { makeDirectory } from '@quire/core/process';
import {
  type Consumption,
  parseTableName,
  type PauseStatus,
  type ResumeFrom,
  type SegmentDescription,
  type TableType,
} from '@quire/core/table-engine';
import type { Records } from './directory/records.ts';
import {
  consumingPartitionOf,
  namesIn,
  type TableDirectory,
  type TableRecord,
} from './directory/table-directory.ts';
import { type ConsumingRecord, isCommitted, type SegmentRecord } from './segments/manifest.ts';
import { fileNameOf } from './segments/file-name.ts';
import { SegmentCatalog } from './segments/segment-catalog.ts';
import { findDamage, type SegmentFile } from './segments/verify-file.ts';

/** The dependencies that all tables share. */
export interface TableParts {
  readonly directory: TableDirectory;
  readonly records: Records;
  readonly clock: Clock;
  readonly random: Random;
  readonly instanceName: string;
}

/** The name of a file in the directory of a new table that exists until its record is written. */
export const creatingMark = 'creating';
/** The suffix of marks that explain files in progress. */
export const writingEnding = '.writing';

/** A name for a file that is about to be written. */
export interface NewFile extends Disposable {
  readonly file: string;
  readonly path: string;
}

/** Fills a real-time table with the rows of its stream. */
export interface StreamConsumer extends AsyncDisposable {
  readonly isPaused: boolean;
  /**
   * The segments that partitions are consumed into, including committed ones that are not replaced
   * yet.
   */
  readonly records: readonly ConsumingRecord[];
  read(options?: CallOptions): Promise<Consumption>;
  readPauseStatus(): Promise<PauseStatus>;
  pause(comment: string | undefined): Promise<void>;
  resume(from: ResumeFrom, comment: string | undefined, options?: CallOptions): Promise<void>;
  /**
   * Drops the rows of a consuming segment, and consumes them again. Resolves to false if it was
   * committed in the meantime.
   */
  consumeAgain(segment: ConsumingRecord): Promise<boolean>;
  /** Resolves once `records` has the rows that queries see now. */
  settled(): Promise<void>;
  /** Requests a commit of these segments, if they are still consuming. */
  requestCommits(segmentNames: readonly string[]): void;
}

/** One half of a table that this server serves. */
export class ServedTable {
  /** The directory of all tables. */
  readonly root: string;
  record: TableRecord;
  readonly segments: SegmentCatalog;
  /** Defined for real-time tables. */
  consumer: StreamConsumer | undefined;
  readonly #parts: TableParts;
  readonly #filesInProgress = new Set<string>();
  readonly #stemsInProgress = new Set<string>();

  private constructor(record: TableRecord, segments: SegmentCatalog, parts: TableParts) {
    this.record = record;
    this.segments = segments;
    this.#parts = parts;
    this.root = parts.directory.root;
  }

  /**
   * Creates the directory of a new table, with an empty manifest. The table exists once its record
   * does.
   */
  static async create(record: TableRecord, parts: TableParts): Promise<ServedTable> {
    const { directory } = parts;
    await makeDirectory(directory.data(record.tableId));
    await writeFile(directory.data(record.tableId, creatingMark), '');
    return new ServedTable(record, await SegmentCatalog.create(record.tableId, parts), parts);
  }

  /**
   * Opens the directory of a table.
   *
   * @param isOfEarlierRelease true if the record of the table has no checksum yet; then it may have
   *   no manifest either
   * @throws RECORD_DAMAGED
   */
  static async open(
    record: TableRecord,
    parts: TableParts,
    { isOfEarlierRelease = false }: { readonly isOfEarlierRelease?: boolean } = {},
  ): Promise<ServedTable> {
    if (isOfEarlierRelease) {
      await makeDirectory(parts.directory.data(record.tableId));
    }
    return new ServedTable(
      record,
      await SegmentCatalog.open(record.tableId, parts, { isOfEarlierRelease }),
      parts,
    );
  }

  /** Removes the creation mark of a table whose record is written. */
  async markCreated(): Promise<void> {
    await rm(this.pathOf(creatingMark), { force: true });
  }

  /**
   * Reads all records of the table other than its manifest, to verify them.
   * @throws RECORD_DAMAGED
   */
  async readRecords(): Promise<void> {
    const { directory, records } = this.#parts;
    await records.read(directory.consumption(this.record.tableId));
    await records.read(directory.taskProgress(this.record.tableId));
    await this.readConsuming();
  }

  get records(): Records {
    return this.#parts.records;
  }

  get directory(): TableDirectory {
    return this.#parts.directory;
  }

  get name(): string {
    return this.record.config.tableName;
  }

  get rawName(): string {
    return parseTableName(this.name).rawName;
  }

  get type(): TableType {
    return parseTableName(this.name).type ?? 'OFFLINE';
  }

  /**
   * Returns a new name for a file of this table, which is protected from garbage collection until
   * the name is disposed of; by then a record must name the file.
   */
  newFile(stem: string): NewFile {
    const file = fileNameOf(stem, this.#parts.random);
    this.#filesInProgress.add(file);
    return {
      file,
      path: this.pathOf(file),
      [Symbol.dispose]: () => void this.#filesInProgress.delete(file),
    };
  }

  /**
   * Protects a file that no record of the table names from garbage collection, until it is
   * released.
   */
  holdFile(file: string): void {
    this.#filesInProgress.add(file);
  }

  releaseFile(file: string): void {
    this.#filesInProgress.delete(file);
  }

  /**
   * Announces files whose names start with a stem, and protects them from garbage collection until
   * the returned object is disposed. After a crash, the mark on disk explains files that no record
   * names.
   */
  async announce(stem: string): Promise<Disposable> {
    this.#stemsInProgress.add(stem);
    await writeFile(this.pathOf(`${stem}${writingEnding}`), '');
    return { [Symbol.dispose]: () => void this.#stemsInProgress.delete(stem) };
  }

  /** Reports whether the file is being written, or will be named by a record. */
  isHeld(file: string): boolean {
    return (
      this.#filesInProgress.has(file) ||
      this.#stemsInProgress.values().some((stem) => file.startsWith(stem))
    );
  }

  /**
   * Returns the files of committed and consuming segments, with their written sizes and checksums.
   */
  listFiles(): readonly SegmentFile[] {
    const chunks = this.#uncommitted().flatMap(({ segmentName, chunks: files }) =>
      files.map((file) => ({ ...file, segmentName })),
    );
    return [...this.segments.manifest.segments, ...chunks].map(
      ({ segmentName, file, sizeBytes, checksum }) => {
        return { segmentName, path: this.pathOf(file), sizeBytes, checksum };
      },
    );
  }

  /**
   * Returns the names of the files of committed segments, and of those that are being consumed
   * here.
   */
  namedFiles(): readonly string[] {
    const consuming = (this.consumer?.records ?? []).flatMap(({ chunks }) => chunks);
    return [...this.segments.manifest.segments, ...consuming].map(({ file }) => file);
  }

  /** Reads the records of consuming segments, committed ones included. @throws RECORD_DAMAGED */
  async readConsuming(): Promise<readonly ConsumingRecord[]> {
    const { directory, records } = this.#parts;
    const folder = dirname(directory.manifest(this.record.tableId).path);
    const names = new Set([...(await namesIn(folder)), ...(await records.names(folder))]);
    const partitions = [...names]
      .map(consumingPartitionOf)
      .filter((partition) => partition !== undefined);
    const read = (partition: number) =>
      records.read<ConsumingRecord>(directory.consuming(this.record.tableId, partition));
    return (await Promise.all(partitions.toSorted((left, right) => left - right).map(read))).filter(
      (each) => each !== undefined,
    );
  }

  /** Removes a file that was written here and that no record names. */
  async removeFile(file: string): Promise<void> {
    if (this.namedFiles().includes(file)) return;
    await rm(this.pathOf(file), { force: true });
  }

  pathOf(file: string): string {
    return this.#parts.directory.data(this.record.tableId, file);
  }

  /** In ascending order of their names. */
  listSegments(): readonly SegmentDescription[] {
    const consuming = this.#consuming().map((record) => this.#describeConsuming(record));
    const all = [
      ...this.segments.manifest.segments.map((segment) => this.#describe(segment)),
      ...consuming,
    ];
    return all.toSorted((left, right) => (left.segmentName < right.segmentName ? -1 : 1));
  }

  /**
   * Deletes a committed segment, or a damaged consuming one, whose messages are then consumed
   * again.
   *
   * @throws SEGMENT_NOT_FOUND; CONFLICT when it is consuming and undamaged
   */
  async deleteSegment(segmentName: string): Promise<void> {
    // A query may have found damage in a file that the latest record has just named.
    await this.consumer?.settled();
    const consuming = this.#consuming().find((record) => record.segmentName === segmentName);
    if (consuming !== undefined && (await this.#isDamaged(consuming))) {
      if ((await this.consumer?.consumeAgain(consuming)) === true) return;
    } else if (consuming !== undefined) {
      throw new QuireError(
        'CONFLICT',
        `Segment ${segmentName} is still consuming: force its commit or pause the table first.`,
      );
    }
    await this.segments.change({ remove: [segmentName], reason: 'deleted by a call' });
  }

  async #isDamaged({ chunks }: ConsumingRecord): Promise<boolean> {
    for (const { file, sizeBytes, checksum } of chunks) {
      if ((await findDamage({ path: this.pathOf(file), sizeBytes, checksum })) !== undefined) {
        return true;
      }
    }
    return false;
  }

  /** Returns the segments that are consuming, or have rows that are not committed. */
  #consuming(): readonly ConsumingRecord[] {
    return this.#uncommitted().filter(
      ({ startOffset, endOffset }) => this.consumer?.isPaused !== true || endOffset > startOffset,
    );
  }

  /**
   * Returns the consuming segments that are not in the manifest, as they are between a commit and
   * the next record.
   */
  #uncommitted(): readonly ConsumingRecord[] {
    return (this.consumer?.records ?? []).filter(
      (record) => !isCommitted(record, this.segments.manifest),
    );
  }

  #describe(segment: SegmentRecord): SegmentDescription {
    const {
      segmentName,
      rowCount,
      sizeBytes,
      minTimeMs,
      maxTimeMs,
      createdMs,
      committedMs,
      stream,
      checksum,
      custom,
    } = segment;
    return {
      segmentName,
      state: 'COMMITTED',
      rowCount,
      sizeBytes,
      minTimeMs,
      maxTimeMs,
      createdMs,
      committedMs,
      stream,
      servers: [this.#parts.instanceName],
      checksum,
      custom,
    };
  }

  #describeConsuming({
    segmentName,
    chunks,
    createdMs,
    partition,
    sequence,
    startOffset,
  }: ConsumingRecord): SegmentDescription {
    const least = Math.min(...chunks.map(({ minTimeMs }) => minTimeMs ?? Infinity));
    const greatest = Math.max(...chunks.map(({ maxTimeMs }) => maxTimeMs ?? -Infinity));
    return {
      segmentName,
      state: 'CONSUMING',
      rowCount: chunks.reduce((sum, { rowCount }) => sum + rowCount, 0),
      sizeBytes: chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      minTimeMs: Number.isFinite(least) ? least : null,
      maxTimeMs: Number.isFinite(greatest) ? greatest : null,
      createdMs,
      committedMs: null,
      stream: { partition, sequence, startOffset, endOffset: null },
      servers: [this.#parts.instanceName],
      checksum: null,
      custom: {},
    };
  }
}
