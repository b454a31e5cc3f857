import type { Stats } from 'node:fs';

/** What was seen in a directory: its files, as `DirectoryContents` has them. */
export interface SeenDirectory {
  readonly names: readonly string[];
  /** Of each file, its bytes and its time. */
  readonly numbers: readonly number[];
}

/** Each takes some 300 bytes. */
const rememberedCountMax = 65_536;
/** Directories of results have two files; those of more are rare, and read each time. */
const fileCountMax = 2;
/**
 * Times of change are as coarse as the system's ticks, or seconds: what is younger may change again
 * within the same one.
 */
const settledMs = 10_000;
/**
 * Then it is read again, whatever its time of change says: bytes that were changed in place do not
 * show in it.
 */
const lookUpsMax = 24;

interface Remembered {
  readonly inode: number;
  readonly changedMs: number;
  /** With a slash in between, which no name has. */
  readonly names: string;
  readonly numbers: readonly number[];
  lookUpsLeft: number;
}

/**
 * Remembers what was in directories that have not changed since: to look at the status of one takes
 * a third of the time of reading it and the status of each of its files.
 *
 * Files come and go by names, which changes the directory's time of change; nobody can set that
 * back.
 */
export class RememberedDirectories {
  readonly #directories = new Map<string, Remembered>();

  /**
   * What was in the directory whose status this is; undefined when that is not known, or may have
   * changed.
   */
  find(path: string, { ino, ctimeMs }: Stats): SeenDirectory | undefined {
    const known = this.#directories.get(path);
    if (known === undefined) return undefined;
    known.lookUpsLeft -= 1;
    if (known.inode === ino && known.changedMs === ctimeMs && known.lookUpsLeft > 0) {
      return { names: known.names.split('/'), numbers: known.numbers };
    }
    this.#directories.delete(path);
    return undefined;
  }

  /** Remembers what is in a directory, whose status was taken before it was read. */
  add(
    path: string,
    { ino, ctimeMs }: Stats,
    { names, numbers }: SeenDirectory,
    nowMs: number,
  ): void {
    if (ctimeMs > nowMs - settledMs || names.length === 0 || names.length > fileCountMax) return;
    // Some of them are of directories that are gone, which nobody asks for any more.
    if (this.#directories.size >= rememberedCountMax) this.#directories.clear();
    this.#directories.set(path, {
      inode: ino,
      changedMs: ctimeMs,
      names: names.join('/'),
      numbers,
      // Not all at the same time.
      lookUpsLeft: lookUpsMax - (this.#directories.size % (lookUpsMax / 2)),
    });
  }

  forget(path: string): void {
    this.#directories.delete(path);
  }
}
