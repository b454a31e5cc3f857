import type { Clock } from '@quire/core';
import type { FileStatus } from './file-system.ts';
import type { OpenFile } from './open-file.ts';

/** The maximum number of cached open files, besides those being read. */
const openCountMax = 64;
/**
 * The time for which a file stays open, and so the delay after which the disk space of a file is
 * freed that another process has deleted.
 */
const openMsMax = 1000;

interface CachedHandle {
  readonly file: OpenFile;
  /** The status of the file when its path was verified. */
  readonly status: FileStatus;
  readonly endMs: number;
}

/**
 * A cache of open files for readers that read an object repeatedly: opening a file and verifying
 * its path takes longer than reading a page of it.
 *
 * An open file stays the same whatever happens to its name. Its status shows whether it still has
 * its name: deleting, replacing, moving, linking or writing a file all change its number of links
 * or its change time. The exception is a parent directory that is moved manually: the file is then
 * found for another second.
 */
export class FileHandleCache {
  readonly #clock: Clock;
  /** The files by key, in the order in which they were opened. */
  readonly #files = new Map<string, CachedHandle>();
  #closed: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the file of an object, joined for a reader, and its status; undefined if no cached file
   * certainly belongs to the object.
   */
  join(key: string): { readonly file: OpenFile; readonly status: FileStatus } | undefined {
    const kept = this.#files.get(key);
    if (kept === undefined) return undefined;
    const status = this.#clock.monotonicMs() < kept.endMs ? statusOf(kept.file) : undefined;
    if (status === undefined || !isSame(status, kept.status)) {
      this.forget(key);
      return undefined;
    }
    kept.file.join();
    return { file: kept.file, status };
  }

  /** Caches a file that was just opened, if its status can show whether it has its name. */
  keep(key: string, file: OpenFile, status: FileStatus): void {
    if (status.linkCount !== 1) return;
    this.forget(key);
    file.join();
    this.#files.set(key, { file, status, endMs: this.#clock.monotonicMs() + openMsMax });
    const [oldest] = this.#files.keys();
    if (this.#files.size > openCountMax && oldest !== undefined) this.forget(oldest);
    if (this.#closed === undefined) void this.#closeInTime();
  }

  /**
   * Removes a file from the cache because its object changes or is no longer read; current readers
   * continue.
   */
  forget(key: string): void {
    const kept = this.#files.get(key);
    if (kept === undefined) return;
    this.#files.delete(key);
    // The file was only read: a failure to close it loses no data.
    kept.file.leave().catch(() => undefined);
  }

  /** Removes all files from the cache. */
  close(): void {
    this.#closed?.abort();
    this.#forgetAll();
  }

  /** Closes each file after its time, until none is left. */
  async #closeInTime(): Promise<void> {
    const closed = new AbortController();
    this.#closed = closed;
    try {
      for (let first = this.#first(); first !== undefined; first = this.#first()) {
        const [key, { endMs }] = first;
        const leftMs = endMs - this.#clock.monotonicMs();
        if (leftMs > 0) await this.#clock.sleep(leftMs, closed.signal);
        else this.forget(key);
      }
    } catch {
      // Closed, or the clock has failed: in either case none stays open.
      this.#forgetAll();
    } finally {
      this.#closed = undefined;
    }
  }

  #forgetAll(): void {
    for (const key of this.#files.keys()) this.forget(key);
  }

  #first(): [string, CachedHandle] | undefined {
    const [first] = this.#files;
    return first;
  }
}

/**
 * Returns the status of a file; undefined if it is not available, as for a deleted file on a
 * network. Opening it again reports the error.
 */
function statusOf(file: OpenFile): FileStatus | undefined {
  try {
    return file.status();
  } catch {
    return undefined;
  }
}

function isSame(status: FileStatus, before: FileStatus): boolean {
  return (
    status.linkCount === before.linkCount &&
    status.changedMs === before.changedMs &&
    status.sizeBytes === before.sizeBytes
  );
}
