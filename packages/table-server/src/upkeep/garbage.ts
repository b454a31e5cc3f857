import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isQuireError } from '@quire/core';
import { readText, verifyRecord } from '../directory/records.ts';
import { isErrno, movePath, stagedPrefix } from '@quire/core/process';
import {
  namesIn,
  type TableDirectory,
  tableNameOf,
  type TableRecord,
} from '../directory/table-directory.ts';
import type { ConsumingRecord, Manifest } from '../segments/manifest.ts';
import { creatingMark, writingEnding } from '../served-table.ts';
import { emptyTrash, trashName } from './trash.ts';

/** A table as the collection of garbage needs it: a `ServedTable` is one. */
export interface CollectedTable {
  readonly name: string;
  readonly rawName: string;
  readonly record: { readonly tableId: string };
  readonly segments: { readonly manifest: Manifest; forgetRetired(files: readonly string[]): void };
  namedFiles(): readonly string[];
  readConsuming(): Promise<readonly ConsumingRecord[]>;
  isHeld(file: string): boolean;
}

/** A file that nothing refers to, and where it went. */
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
  /** Called when the garbage of one table could not be collected; that of the others is. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

export interface CollectOptions {
  /** How long a file stays that no record names any more: longer than any query may run. */
  readonly graceMs: number;
  /** How long it then stays in the trash. */
  readonly retentionMs: number;
  /** Names of tables that are set aside: nothing of theirs is touched. */
  readonly setAside: readonly string[];
  /** Whether the record of a task is damaged: files that tasks may have written stay. */
  readonly keepsAnnounced: boolean;
}

interface Unnamed {
  /** From the root of the directory. */
  readonly path: string;
  /** Why it may go; undefined when nothing explains it. */
  readonly reason: string | undefined;
  /** The directory of the table's data, for a file of a table. */
  readonly table: CollectedTable | undefined;
}

/**
 * Collects files and directories that no record names. What a manifest of the table once named, or
 * a process was writing, goes to the trash, and from there after a while. What nothing explains is
 * kept, and can be asked for.
 */
export class Garbage {
  readonly #options: GarbageOptions;
  /**
   * Since when a path was without a name at every look; a query that began before may still read
   * it.
   */
  #orphanedSince = new Map<string, number>();
  #unexplained: readonly string[] = [];

  constructor(options: GarbageOptions) {
    this.#options = options;
  }

  /** Paths that no record names, and that nothing explains, from the root of the directory. */
  get unexplained(): readonly string[] {
    return this.#unexplained;
  }

  /** Returns how many files and directories were moved to the trash, and deleted from it. */
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
      if (await this.#attempt(() => this.#trash(path, reason, table))) trashedCount += 1;
    }
    return { trashedCount, deletedCount: await this.emptyTrash(tables, options.retentionMs) };
  }

  /**
   * Deletes what has been in the trash for so long, or, where that is undefined, all of it; returns
   * how many files and directories.
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

  async #attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#options.onFailed?.(error);
      return false;
    }
  }

  /**
   * Moves within the file system, which takes no space: only the first file of a table needs a
   * directory.
   */
  async #trash(path: string, reason: string, table: CollectedTable | undefined): Promise<void> {
    const { directory, clock, onEvent } = this.#options;
    const folder =
      table === undefined
        ? directory.folder('trash')
        : directory.data(table.record.tableId, 'trash');
    const [from, file] = [join(directory.root, path), path.slice(path.lastIndexOf('/') + 1)];
    this.#orphanedSince.delete(path);
    try {
      await mkdir(folder, { recursive: true, mode: 0o750 });
      await movePath(from, join(folder, trashName(clock.nowMs(), file)));
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
  }

  async #findUnnamed(
    tables: readonly CollectedTable[],
    options: CollectOptions,
  ): Promise<readonly Unnamed[]> {
    const { directory } = this.#options;
    const unnamed: Unnamed[] = [];
    for (const folder of ['tables', 'schemas', 'tasks'] as const) {
      const names = (await namesIn(directory.folder(folder))).filter(
        (name) => !name.endsWith('.json') && name !== '.revisions',
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
    // The look comes first: of what is written after it nothing is said. A chunk that becomes a
    // segment meanwhile is in one of the two.
    const names = await namesIn(this.#options.directory.data(tableId));
    const consuming = await table.readConsuming();
    const named = new Set([
      ...consuming.flatMap(({ chunks }) => chunks.map(({ file }) => file)),
      ...table.namedFiles(),
    ]);
    const unnamed = names.filter(
      (name) => !isOfLayout(name) && !named.has(name) && !table.isHeld(name),
    );
    const marks = names.filter((name) => name.endsWith(writingEnding));
    const files = unnamed.filter((name) => !marks.includes(name));
    const stems = marks
      .map((mark) => mark.slice(0, -writingEnding.length))
      .filter((stem) => !table.isHeld(stem));
    // A mark has done its duty once each of its files has a name, or is gone.
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
   * Why the directory of a table that does not exist may go; undefined when its record is missing
   * for no known reason.
   */
  async #reasonOfDirectory(tableId: string): Promise<string | undefined> {
    const { directory } = this.#options;
    const names = await namesIn(directory.data(tableId));
    if (names.includes(creatingMark)) {
      return `the table ${tableNameOf(tableId)} was not created to the end`;
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

/** Names of the layout of a table's directory that stand for no rows. */
function isOfLayout(name: string): boolean {
  return name.endsWith('.json') || ['.revisions', 'trash', creatingMark].includes(name);
}

function reasonOfStaged(name: string): string | undefined {
  return name.startsWith(stagedPrefix) ? 'a record was not written to the end' : undefined;
}

const streamFilePattern =
  /^(?<segmentName>(?<rawName>.+)__(?<partition>\d+)__(?<sequence>\d+)__\d{8}T\d{4}Z)(?<chunk>\.chunk)?\.[0-9a-f]{12}\.parquet$/;

/**
 * Returns why a file that no record of its table names may go, as a sentence for the log; undefined
 * when nothing explains it. Then the manifest may not be what it was, and the file is kept.
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
    /** Beginnings of names of files that a process announced and did not bring to an end. */
    readonly announced: readonly string[];
  },
): string | undefined {
  const retired = manifest.retired.find((each) => each.file === file);
  if (retired !== undefined) return retired.reason;
  if (announced.some((stem) => file.startsWith(stem))) {
    return 'it was written for a change that did not come to pass';
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
