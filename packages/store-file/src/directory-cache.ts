import type { Stats } from 'node:fs';

/** The cached content of a directory: its files, as in `DirectoryContents`. */
export interface CachedDirectory {
  readonly names: readonly string[];
  /** The size and the time of each file. */
  readonly numbers: readonly number[];
}

/** The maximum number of cached directories; each takes some 300 bytes. */
const cachedCountMax = 65_536;
/** Directories of results have two files; larger ones are rare, and always read. */
const fileCountMax = 2;
/**
 * Change times have the resolution of the system's ticks, or seconds: a more recent one may change
 * again within the same tick.
 */
const settledMs = 10_000;
/**
 * The number of look-ups after which a directory is read again, because files changed in place do
 * not affect its change time.
 */
const lookupsMax = 24;

interface Remembered {
  readonly inode: number;
  readonly changedMs: number;
  /** The names separated by slashes, which no name contains. */
  readonly names: string;
  readonly numbers: readonly number[];
  lookupsLeft: number;
}

/**
 * A cache of the content of unchanged directories: checking the status of one takes a third of the
 * time of reading it and the status of each of its files.
 *
 * Creating and deleting files changes the directory's change time, which no program can set back.
 */
export class DirectoryCache {
  readonly #directories = new Map<string, Remembered>();

  /**
   * Returns the cached content of the directory with this status; undefined if it is not cached, or
   * may have changed.
   */
  find(path: string, { ino, ctimeMs }: Stats): CachedDirectory | undefined {
    const known = this.#directories.get(path);
    if (known === undefined) return undefined;
    known.lookupsLeft -= 1;
    if (known.inode === ino && known.changedMs === ctimeMs && known.lookupsLeft > 0) {
      return { names: known.names.split('/'), numbers: known.numbers };
    }
    this.#directories.delete(path);
    return undefined;
  }

  /** Caches the content of a directory, whose status was taken before it was read. */
  add(
    path: string,
    { ino, ctimeMs }: Stats,
    { names, numbers }: CachedDirectory,
    nowMs: number,
  ): void {
    if (ctimeMs > nowMs - settledMs || names.length === 0 || names.length > fileCountMax) return;
    // Some of them are of deleted directories, which are never looked up again.
    if (this.#directories.size >= cachedCountMax) this.#directories.clear();
    this.#directories.set(path, {
      inode: ino,
      changedMs: ctimeMs,
      names: names.join('/'),
      numbers,
      // Spread, so that not all expire at the same time.
      lookupsLeft: lookupsMax - (this.#directories.size % (lookupsMax / 2)),
    });
  }

  forget(path: string): void {
    this.#directories.delete(path);
  }
}
