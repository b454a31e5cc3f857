import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isQuireError } from '@quire/core';
import { readText, verifyRecord } from '../directory/records.ts';
import { isBeingStaged, isErrno, movePath, stagedPrefix } from '@quire/core/process';
import {
  namesIn,
  type TableDirectory,
  tableNameOf,
  type TableRecord,
} from '../directory/table-directory.ts';
import type { ConsumingRecord, Manifest } from '../segments/manifest.ts';
import { creatingMark, writingEnding } from '../served-table.ts';
import { emptyTrash, makeTrash, trashName } from './trash.ts';

/** A table as garbage collection needs it, such as a `ServedTable`. */
export interface CollectedTable {
  readonly name: string;
  readonly rawName: string;
  readonly record: { readonly tableId: string };
  readonly segments: { readonly manifest: Manifest; forgetRetired(files: readonly string[]): void };
  namedFiles(): readonly string[];
  readConsuming(): Promise<readonly ConsumingRecord[]>;
  isHeld(file: string): boolean;
}

/** A file without references, and its treatment. */
export interface GarbageEvent {
  /** From the root of the directory. */
  readonly path: string;
  readonly action: 'moved to the trash' | 'deleted';
  readonly reason: string;
}

export interface GarbageOptions {
  readonly directory: TableDirectory;
  readonly clock: Clock;
  readonly onEvent?: ((event: GarbageEvent) => void) | undefined;
  /** Called when the garbage of one table could not be collected; that of the other tables is. */
  readonly onFailed?: ((error: unknown) => Promise<void>) | undefined;
}

export interface CollectOptions {
  /** The time for which a file is kept after its last reference: longer than any query may run. */
  readonly graceMs: number;
  /** The time for which it then stays in the trash. */
  readonly retentionMs: number;
  /** Names of tables that are set aside: their files are not touched. */
  readonly setAside: readonly string[];
  /** True if the record of a task is damaged: then files that tasks may have written are kept. */
  readonly keepsAnnounced: boolean;
}

interface Unnamed {
  /** From the root of the directory. */
  readonly path: string;
  /** The reason why it may be deleted; undefined if nothing explains the file. */
  readonly reason: string | undefined;
  /** The table whose data directory holds the file; undefined for files elsewhere. */
  readonly table: CollectedTable | undefined;
}

/**
 * Collects files and directories that no record names. Files that an earlier manifest of the table
 * named, or that a process was writing, are moved to the trash and deleted after a while. Files
 * without an explanation are kept and listed.
 */
export class Garbage {
  readonly #options: GarbageOptions;
  /**
   * The time since which a path has had no reference at every check; a query that started before
   * may still read it.
   */
  #orphanedSince = new Map<string, number>();
  #unexplained: readonly string[] = [];

  constructor(options: GarbageOptions) {
    this.#options = options;
  }

  /** Paths, from the root of the directory, that no record names and nothing explains. */
  get unexplained(): readonly string[] {
    return this.#unexplained;
  }

  /**
   * Moves files without references to the trash, and deletes old ones from it; returns the number
   * of files and directories for both.
   */
  async collect(
    tables: readonly CollectedTable[],
    options: CollectOptions,
  ): Promise<{ readonly trashedCount: number; readonly deletedCount: number }> {
    const nowMs = this.#options.clock.monotonicMs();
    const unnamed = await this.#findUnnamed(tables, options);
    this.#orphanedSince = new Map(
      unnamed.map(({ path }) => [path, this.#orphanedSince.get(path) ?? nowMs]),
    );
    const due = unnamed.filter(
      ({ path }) => nowMs - (this.#orphanedSince.get(path) ?? nowMs) >= options.graceMs,
    );
    this.#unexplained = due.flatMap(({ path, reason }) => (reason === undefined ? [path] : []));
    let trashedCount = 0;
    for (const { path, reason, table } of due) {
      if (reason === undefined) continue;
      await this.#attempt(async () => {
        if (await this.#trash(path, reason, table)) trashedCount += 1;
      });
    }
    return { trashedCount, deletedCount: await this.emptyTrash(tables, options.retentionMs) };
  }

  /**
   * Deletes files that have been in the trash for the retention or, if that is undefined, all of
   * them. Returns the number of deleted files and directories.
   */
  async emptyTrash(tables: readonly CollectedTable[], retentionMs?: number): Promise<number> {
    const { directory, clock, onEvent } = this.#options;
    const folders = ['trash', ...tables.map(({ record }) => `data/${record.tableId}/trash`)];
    let count = 0;
    for (const folder of folders) {
      await this.#attempt(async () => {
        for (const { path, reason } of await emptyTrash(directory.root, folder, {
          retentionMs,
          nowMs: clock.nowMs(),
        })) {
          onEvent?.({ path, action: 'deleted', reason });
          count += 1;
        }
      });
    }
    return count;
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      await this.#options.onFailed?.(error);
    }
  }

  /**
   * Moves a path to the trash of its file system, which needs no space except for the first trash
   * directory of a table.
   *
   * @returns false if it was already gone
   */
  async #trash(path: string, reason: string, table: CollectedTable | undefined): Promise<boolean> {
    const { directory, clock, onEvent } = this.#options;
    const folder =
      table === undefined
        ? directory.folder('trash')
        : directory.data(table.record.tableId, 'trash');
    const [from, file] = [join(directory.root, path), path.slice(path.lastIndexOf('/') + 1)];
    this.#orphanedSince.delete(path);
    try {
      await makeTrash(folder);
      if (!(await movePath(from, join(folder, trashName(clock.nowMs(), file))))) return false;
      onEvent?.({ path, action: 'moved to the trash', reason });
    } catch (error) {
      if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
      await rm(from, { recursive: true, force: true });
      onEvent?.({
        path,
        action: 'deleted',
        reason: `${reason}; the disk has no space for a trash`,
      });
    }
    table?.segments.forgetRetired([file]);
    return true;
  }

  async #findUnnamed(
    tables: readonly CollectedTable[],
    options: CollectOptions,
  ): Promise<readonly Unnamed[]> {
    const { directory } = this.#options;
    const unnamed: Unnamed[] = [];
    for (const folder of ['tables', 'schemas', 'tasks'] as const) {
      const names = (await namesIn(directory.folder(folder))).filter(
        (name) =>
          !name.endsWith('.json') &&
          name !== '.revisions' &&
          !isBeingStaged(join(directory.folder(folder), name)),
      );
      unnamed.push(
        ...names.map((name) => ({
          path: `${folder}/${name}`,
          reason: reasonOfStaged(name),
          table: undefined,
        })),
      );
    }
    const byId = new Map(tables.map((table) => [table.record.tableId, table]));
    for (const tableId of await namesIn(directory.folder('data'))) {
      const table = byId.get(tableId);
      if (table !== undefined) {
        await this.#attempt(
          async () => void unnamed.push(...(await this.#findInTable(table, options))),
        );
      } else if (!options.setAside.includes(tableNameOf(tableId))) {
        unnamed.push({
          path: `data/${tableId}`,
          reason: await this.#reasonOfDirectory(tableId),
          table: undefined,
        });
      }
    }
    return unnamed;
  }

  async #findInTable(
    table: CollectedTable,
    { keepsAnnounced }: CollectOptions,
  ): Promise<readonly Unnamed[]> {
    const { tableId } = table.record;
    // Names are listed before the records are read, so that files written later are not considered.
    // A chunk that becomes a segment in the meantime is in one of the two.
    const names = await namesIn(this.#options.directory.data(tableId));
    const consuming = await table.readConsuming();
    const named = new Set([
      ...consuming.flatMap(({ chunks }) => chunks.map(({ file }) => file)),
      ...table.namedFiles(),
    ]);
    const unnamed = names.filter(
      (name) =>
        !isOfLayout(name) &&
        !named.has(name) &&
        !table.isHeld(name) &&
        !isBeingStaged(this.#options.directory.data(tableId, name)),
    );
    const marks = names.filter((name) => name.endsWith(writingEnding));
    const files = unnamed.filter((name) => !marks.includes(name));
    const stems = marks
      .map((mark) => mark.slice(0, -writingEnding.length))
      .filter((stem) => !table.isHeld(stem));
    // A mark is no longer needed once each of its files is named by a record or deleted.
    const spent = stems.filter(
      (stem) =>
        !names.some(
          (name) => name.startsWith(stem) && name.endsWith('.parquet') && !named.has(name),
        ),
    );
    for (const stem of keepsAnnounced ? [] : spent) {
      await rm(this.#options.directory.data(tableId, `${stem}${writingEnding}`), { force: true });
    }
    const { manifest } = table.segments;
    const announced = keepsAnnounced ? [] : stems;
    return files
      .filter((file) => !keepsAnnounced || !stems.some((stem) => file.startsWith(stem)))
      .map((file) => ({
        path: `data/${tableId}/${file}`,
        reason:
          reasonOfStaged(file) ??
          explainFile(file, { rawName: table.rawName, manifest, consuming, announced }),
        table,
      }));
  }

  /**
   * Returns the reason why the directory of a missing table may be deleted; undefined if nothing
   * explains why its record is missing.
   */
  async #reasonOfDirectory(tableId: string): Promise<string | undefined> {
    const { directory } = this.#options;
    const names = await namesIn(directory.data(tableId));
    if (names.includes(creatingMark)) {
      return `the table ${tableNameOf(tableId)} was not fully created`;
    }
    const record = directory.deleted(tableId);
    try {
      const found = verifyRecord(record, await readText(record), undefined);
      const isDeleted = (found?.content as TableRecord | undefined)?.tableId === tableId;
      return isDeleted ? `the table ${tableNameOf(tableId)} was deleted` : undefined;
    } catch (error) {
      if (isQuireError(error, 'RECORD_DAMAGED')) return undefined;
      throw error;
    }
  }
}

/**
 * Reports whether a name of a table's directory belongs to its layout rather than to a file of
 * rows.
 */
function isOfLayout(name: string): boolean {
  return name.endsWith('.json') || ['.revisions', 'trash', creatingMark].includes(name);
}

function reasonOfStaged(name: string): string | undefined {
  return name.startsWith(stagedPrefix) ? 'a record was not fully written' : undefined;
}

const streamFilePattern =
  /^(?<segmentName>(?<rawName>.+)__(?<partition>\d+)__(?<sequence>\d+)__\d{8}T\d{4}Z)(?<chunk>\.chunk)?\.[0-9a-f]{12}\.parquet$/;

/**
 * Returns the reason why a file that no record of its table names may be deleted, as a sentence for
 * the log. Returns undefined if nothing explains the file: then the manifest may be damaged, and
 * the file is kept.
 */
function explainFile(
  file: string,
  {
    rawName,
    manifest,
    consuming,
    announced,
  }: {
    readonly rawName: string;
    readonly manifest: Manifest;
    readonly consuming: readonly ConsumingRecord[];
    /** The prefixes of the names of files that a process announced and did not finish. */
    readonly announced: readonly string[];
  },
): string | undefined {
  const retired = manifest.retired.find((each) => each.file === file);
  if (retired !== undefined) return retired.reason;
  if (announced.some((stem) => file.startsWith(stem))) {
    return 'it was written for a change that was not completed';
  }
  const parts = streamFilePattern.exec(file)?.groups;
  if (parts?.['rawName'] !== rawName) return undefined;
  const { segmentName = '', chunk } = parts;
  const partition = Number(parts['partition']);
  const isConsuming = consuming.some((record) => record.segmentName === segmentName);
  if (isConsuming) return 'its rows are consumed again, or are in another file';
  const committed =
    manifest.checkpoints.find((each) => each.partition === partition)?.sequence ?? -1;
  const isSuperseded =
    chunk !== undefined || manifest.segments.some((each) => each.segmentName === segmentName);
  return Number(parts['sequence']) <= committed && isSuperseded
    ? `segment ${segmentName} was committed with another file`
    : undefined;
}
