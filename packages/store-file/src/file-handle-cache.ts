import type { Clock } from '@quire/core';
import type { FileStatus } from './file-system.ts';
import type { OpenFile } from './open-file.ts';

/** How many files stay open at most, beside those that are being read. */
const openCountMax = 64;
/**
 * How long a file stays open. So much later, at most, the disk has the room of a file that another
 * process has deleted.
 */
const openMsMax = 1000;

interface CachedHandle {
  readonly file: OpenFile;
  /** As it was when its path was seen to lead to it. */
  readonly status: FileStatus;
  readonly endMs: number;
}

/**
 * Files that stay open for a moment, for those who read an object again and again: to open a file
 * and to see where its path leads takes longer than to read a page of it.
 *
 * An open file is the same one whatever becomes of its name, and no other can take its place while
 * it is open. Whether it still has its name, its status says: deleting, replacing, moving or
 * linking a file, and writing to it, all change its number of links or its time of change. That
 * leaves a directory above it that is moved away by hand: then the file is found for another
 * second.
 */
export class FileHandleCache {
  readonly #clock: Clock;
  /** By their keys, those that were opened first in front. */
  readonly #files = new Map<string, CachedHandle>();
  #closed: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The file of an object, joined for a reader, and its status; undefined when there is none at
   * hand that surely is the object's.
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

  /** Keeps a file that was just opened, if its status can tell whether it has its name. */
  keep(key: string, file: OpenFile, status: FileStatus): void {
    if (status.linkCount !== 1) return;
    this.forget(key);
    file.join();
    this.#files.set(key, { file, status, endMs: this.#clock.monotonicMs() + openMsMax });
    const [oldest] = this.#files.keys();
    if (this.#files.size > openCountMax && oldest !== undefined) this.forget(oldest);
    if (this.#closed === undefined) void this.#closeInTime();
  }

  /** Lets a file go, for its object changes or is no longer asked for; who reads it reads on. */
  forget(key: string): void {
    const kept = this.#files.get(key);
    if (kept === undefined) return;
    this.#files.delete(key);
    // It was only read: a failure to close it says nothing about anybody's bytes.
    kept.file.leave().catch(() => undefined);
  }

  /** Lets all go. */
  close(): void {
    this.#closed?.abort();
    this.#forgetAll();
  }

  /** Closes each when its time is over, until none is left. */
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
      // Closed, or the clock has failed: either way none stays open.
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
 * Undefined when it cannot be had: on a network, the file of a name that is gone. Who opens it
 * again is told what is wrong.
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
