import { type Clock, isQuireError } from '@quire/core';
import { sleepUnlessAborted, TimeSlice } from '@quire/core/wait';
import {
  findDamage,
  identityOf,
  isMarkedDamaged,
  type SegmentFile,
} from '../segments/verify-file.ts';

/** A table as the scrub needs it, such as a `ServedTable`. */
export interface ScrubbedTable {
  readonly name: string;
  /** Returns the files that its records name now. */
  listFiles(): readonly SegmentFile[];
}

/** A segment whose file does not have the size or checksum that was written. */
export interface DamagedSegment {
  /** The name with its type. */
  readonly tableName: string;
  readonly segmentName: string;
  readonly path: string;
  /** The problem of its file, as a sentence without its subject. */
  readonly problem: string;
}

export interface ScrubOptions {
  readonly clock: Clock;
  readonly tables: () => readonly ScrubbedTable[];
  /** Rejects with STORE_UNAVAILABLE when the directory is missing; no file is damaged then. */
  readonly assertDirectory?: (() => Promise<void>) | undefined;
  /** The time within which every file is read once. Evaluated in each round. */
  readonly periodMs: () => number;
  /** The maximum number of bytes that are read per second. Evaluated for each piece. */
  readonly bytesPerSecondMax: () => number;
  /** Called when a segment is found to be damaged. */
  readonly onDamaged?: ((damage: DamagedSegment) => void) | undefined;
  /** Called when a damaged segment is found to be intact again. */
  readonly onRestored?: ((damage: DamagedSegment) => void) | undefined;
  /** Called when a round fails; the next one tries again. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

interface KnownFile {
  readonly identity: string;
  readonly readMs: number;
}

interface DueFile extends SegmentFile {
  readonly tableName: string;
  /** Files with a lower rank are read first. */
  readonly rank: number;
}

const roundEveryMs = 10_000;

/**
 * Verifies the checksums of all tables' files periodically: those of changed files within seconds,
 * all others once in a period, with a limit on the bytes read per second. It detects damage that no
 * query can detect: bytes that changed while inode, size and times did not.
 */
export class Scrub implements AsyncDisposable {
  readonly #options: ScrubOptions;
  readonly #ending = new AbortController();
  readonly #known = new Map<string, KnownFile>();
  readonly #damaged = new Map<string, DamagedSegment>();
  #rounds: Promise<void> | undefined;

  constructor(options: ScrubOptions) {
    this.#options = options;
  }

  /** The segments that are known to be damaged. */
  get damaged(): readonly DamagedSegment[] {
    if (this.#damaged.size === 0) return [];
    const named = new Set(this.#listFiles().map(({ path }) => path));
    return [...this.#damaged.values()].filter(({ path }) => named.has(path));
  }

  /** Starts the rounds, which run until it is disposed of. */
  start(): void {
    this.#rounds ??= this.#run();
  }

  /**
   * Checks all files and reads those that are due, until the time for a round is over. Returns the
   * number of files that were read.
   */
  async run(): Promise<number> {
    const { clock, onFailed } = this.#options;
    const startMs = clock.monotonicMs();
    let count = 0;
    try {
      for (const file of await this.#findDue()) {
        if (this.#ending.signal.aborted) break;
        await this.#read(file);
        count += 1;
        if (clock.monotonicMs() - startMs >= roundEveryMs) break;
      }
    } catch (error) {
      // The upkeep reports a missing directory.
      if (!isQuireError(error, 'ABORTED', 'STORE_UNAVAILABLE')) onFailed?.(error);
    }
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#rounds;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.run();
      await sleepUnlessAborted(clock, roundEveryMs, signal);
    }
  }

  /** Checks the metadata of all files, and returns those to read, the most urgent first. */
  async #findDue(): Promise<readonly DueFile[]> {
    const { clock, periodMs } = this.#options;
    const dueMs = clock.monotonicMs() - periodMs();
    const slice = new TimeSlice(clock, this.#ending.signal);
    const files = this.#listFiles();
    const paths = new Set(files.map(({ path }) => path));
    for (const known of [this.#known, this.#damaged]) {
      for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
    }
    const due: DueFile[] = [];
    for (const file of files) {
      if (slice.isDue) await slice.yield();
      const known = this.#known.get(file.path);
      const identity = identityOf(file.path);
      const isSame = known !== undefined && known.identity === identity;
      if (isSame && known.readMs > dueMs) continue;
      // A file that was changed, or marked by another process, is most likely to be damaged.
      const isSuspect =
        identity === undefined || (known === undefined ? isMarkedDamaged(file.path) : !isSame);
      due.push({ ...file, rank: isSuspect ? -2 : (known?.readMs ?? -1) });
    }
    return due.toSorted((left, right) => left.rank - right.rank);
  }

  #listFiles(): readonly Omit<DueFile, 'rank'>[] {
    return this.#options
      .tables()
      .flatMap((table) => table.listFiles().map((file) => ({ ...file, tableName: table.name })));
  }

  async #read(file: DueFile): Promise<void> {
    const { clock, onDamaged, onRestored } = this.#options;
    const { path, tableName, segmentName } = file;
    const { signal } = this.#ending;
    const problem = await findDamage(file, {
      signal,
      onRead: (byteCount) => this.#pace(byteCount),
    });
    // The identity is read after the check, because marking a damaged file changes its times.
    const identity = identityOf(path);
    if (identity === undefined) this.#known.delete(path);
    else this.#known.set(path, { identity, readMs: clock.monotonicMs() });
    const before = this.#damaged.get(path);
    if (problem === undefined) {
      this.#damaged.delete(path);
      if (before !== undefined) onRestored?.(before);
      return;
    }
    await this.#options.assertDirectory?.();
    // The segment may have been removed in the meantime, and its file with it.
    if (!this.#listFiles().some((each) => each.path === path)) return;
    const damage: DamagedSegment = { tableName, segmentName, path, problem };
    this.#damaged.set(path, damage);
    if (before?.problem !== problem) onDamaged?.(damage);
  }

  async #pace(byteCount: number): Promise<void> {
    const { clock, bytesPerSecondMax } = this.#options;
    const waitMs = (byteCount / bytesPerSecondMax()) * 1_000;
    if (waitMs > 0) await sleepUnlessAborted(clock, waitMs, this.#ending.signal);
  }
}
