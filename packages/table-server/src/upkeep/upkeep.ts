import { stat } from 'node:fs/promises';
import { type Clock, isQuireError, type QuireError } from '@quire/core';
import type { TableConfigDocument } from '@quire/core/table-engine';
import { sleepUnlessAborted } from '@quire/core/wait';
import { parseTableConfig } from '@quire/tables';
import { assertDirectory, causeOf, diskProblemOf } from '../directory/disk-problem.ts';
import type { DiskSpace } from '../directory/disk-space.ts';
import type { RecordFile } from '../directory/records.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { SegmentRecord } from '../segments/manifest.ts';
import type { ServedTable } from '../served-table.ts';
import { Garbage, type GarbageEvent } from './garbage.ts';
import { RecordCheck } from './record-check.ts';

export interface UpkeepOptions {
  readonly directory: TableDirectory;
  readonly clock: Clock;
  readonly registry: {
    readonly tables: readonly ServedTable[];
    readonly setAside: ReadonlyMap<string, QuireError>;
    reopen(): Promise<void>;
  };
  readonly space: DiskSpace;
  /** Records that belong to no table. */
  readonly otherRecords: () => readonly RecordFile[];
  /** Reports whether the record of a task is damaged, so that the files of the task are unknown. */
  readonly hasDamagedTasks: () => boolean;
  /**
   * The time for which files without references are kept; longer than any query may run. Evaluated
   * in each round.
   */
  readonly graceMs: () => number;
  /** The time for which such files then stay in the trash. Evaluated in each round. */
  readonly trashRetentionMs: () => number;
  /**
   * Called when a part of a round fails for another reason than the disk; the next round tries
   * again.
   */
  readonly onFailed?: ((error: unknown) => void) | undefined;
  /** Called once for each problem of the disk, and with undefined when it is over. */
  readonly onDiskProblem?: ((problem: string | undefined) => void) | undefined;
  /** Called at the end of each round. */
  readonly onRound?: (() => void) | undefined;
  /** Called for each file that is moved to the trash or deleted. */
  readonly onGarbage?: ((event: GarbageEvent) => void) | undefined;
}

const roundEveryMs = 10_000;

/**
 * Applies the retention of tables, collects garbage and checks the records of tables, in rounds,
 * until it is disposed of.
 */
export class Upkeep implements AsyncDisposable {
  readonly #options: UpkeepOptions;
  readonly #garbage: Garbage;
  readonly #check: RecordCheck;
  readonly #ending = new AbortController();
  #reported: string | undefined;
  readonly #rounds: Promise<void>;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    const { directory, clock, onGarbage } = options;
    const onFailed = (error: unknown) => this.#report(error);
    this.#garbage = new Garbage({ directory, clock, onEvent: onGarbage, onFailed });
    this.#check = new RecordCheck(directory);
    this.#rounds = this.#run();
  }

  /**
   * Files that no record names and nothing explains, and that are kept. Paths are relative to the
   * root of the directory.
   */
  get unexplained(): readonly string[] {
    return this.#garbage.unexplained;
  }

  /** Records that were damaged after they were read: of served tables by name, others by path. */
  get damaged(): ReadonlyMap<string, readonly QuireError[]> {
    return this.#check.damaged;
  }

  /**
   * Deletes everything in the trash to free its space; returns the number of deleted files and
   * directories.
   */
  emptyTrash(): Promise<number> {
    return this.#garbage.emptyTrash(this.#options.registry.tables);
  }

  /**
   * Runs one round. A failure of one table does not affect the others.
   *
   * @throws STORE_UNAVAILABLE when the directory is missing
   */
  async run(): Promise<{ readonly expiredSegmentCount: number; readonly collectedCount: number }> {
    const { directory, registry, space, graceMs, trashRetentionMs, hasDamagedTasks } =
      this.#options;
    // Without it, every record and every file would be found missing.
    await assertDirectory(directory.root);
    await this.#attempt(() => registry.reopen());
    let expiredSegmentCount = 0;
    for (const table of registry.tables) {
      await this.#attempt(async () => {
        expiredSegmentCount += await this.#applyRetention(table);
      });
    }
    const { tables } = registry;
    await this.#attempt(() => this.#check.run(tables, this.#options.otherRecords()));
    const collected = await this.#garbage.collect(
      // Garbage must not be determined from a damaged manifest.
      tables.filter(({ name }) => !this.#check.damaged.has(name)),
      {
        graceMs: graceMs(),
        retentionMs: trashRetentionMs(),
        setAside: [...registry.setAside.keys(), ...this.#check.damaged.keys()],
        keepsAnnounced: hasDamagedTasks(),
      },
    );
    await this.#attempt(async () => {
      // Free space for new writes is worth more than files in the trash.
      if (space.isFull) await this.emptyTrash();
      await space.restore(await this.#recordBytesMax());
    });
    return { expiredSegmentCount, collectedCount: collected.trashedCount };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#rounds;
  }

  async #applyRetention(table: ServedTable): Promise<number> {
    const retentionMs = retentionOf(table.record.config);
    if (retentionMs === undefined) return 0;
    const nowMs = this.#options.clock.nowMs();
    let expired = planRetention(table.segments.manifest.segments, retentionMs, nowMs);
    if (expired.length === 0) return 0;
    try {
      await this.#options.space.free(() =>
        table.segments.change(({ segments }) => {
          // Planned again, because a call or a task may have removed some of them.
          expired = planRetention(segments, retentionMs, nowMs);
          return { remove: expired, reason: 'removed by the retention of its table' };
        }),
      );
    } catch (error) {
      // The table was deleted in the meantime, with its segments.
      if (isQuireError(error, 'TABLE_NOT_FOUND')) return 0;
      throw error;
    }
    return expired.length;
  }

  /** Returns the size of the largest manifest, which is also the space for its replacement. */
  async #recordBytesMax(): Promise<number> {
    const { directory, registry } = this.#options;
    const whole = registry.tables.filter(({ name }) => !this.#check.damaged.has(name));
    const paths = whole.map(({ record }) => directory.manifest(record.tableId).path);
    const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
    return Math.max(0, ...sizes);
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      await this.#report(error);
    }
  }

  async #report(error: unknown): Promise<void> {
    const { directory, space, onFailed } = this.#options;
    // The directory may go away in the middle of a round.
    const cause = await causeOf(error, directory.root);
    space.note(cause);
    if (diskProblemOf(cause) === undefined) onFailed?.(cause);
    else this.#reportDisk();
  }

  #reportDisk(): void {
    const { space, onDiskProblem } = this.#options;
    if (space.problem === this.#reported) return;
    this.#reported = space.problem;
    onDiskProblem?.(space.problem);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#attempt(async () => void (await this.run()));
      this.#reportDisk();
      this.#options.onRound?.();
      await sleepUnlessAborted(clock, roundEveryMs, signal);
    }
  }
}

const unitMs: Readonly<Record<string, number>> = {
  MILLISECONDS: 1,
  SECONDS: 1_000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
};

/** Returns the retention of a table's rows; undefined if they are kept forever. */
function retentionOf(config: TableConfigDocument): number | undefined {
  const { retentionTimeUnit, retentionTimeValue } =
    parseTableConfig(config).config.segmentsConfig ?? {};
  const ms =
    Number(retentionTimeValue ?? Number.NaN) *
    (unitMs[(retentionTimeUnit ?? '').toUpperCase()] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

/**
 * Returns the names of segments whose newest row is older than the retention. Segments without
 * known times are kept.
 */
export function planRetention(
  segments: readonly SegmentRecord[],
  retentionMs: number,
  nowMs: number,
): readonly string[] {
  return segments.flatMap(({ segmentName, maxTimeMs }) =>
    maxTimeMs !== null && maxTimeMs < nowMs - retentionMs ? [segmentName] : [],
  );
}
