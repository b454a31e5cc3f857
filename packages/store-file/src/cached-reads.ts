import type { ByteRange, Clock } from '@quire/core';
import type { FileHandleCache } from './file-handle-cache.ts';

/**
 * The maximum size of a read in this thread; larger ones would block it even if they are cached.
 */
const readBytesMax = 2 * 1024 * 1024;
/** The time after which a read counts as slow: it waited for a disk or a processor. */
const slowMs = 4;
/**
 * The pause after a slow read, as a multiple of its time, so that slow disks take at most a
 * hundredth of the time.
 */
const pauseFactor = 100;

/**
 * Reads open files in this thread. Recently read or written bytes are in the system's cache, and
 * copying them is faster than a round trip to another thread. The cache's content is not known in
 * advance, so a slow read is followed by a pause, in which all reads use other threads.
 */
export class CachedReads {
  readonly #handles: FileHandleCache;
  readonly #clock: Clock;
  #pauseEndMs = -Infinity;

  constructor(handles: FileHandleCache, clock: Clock) {
    this.#handles = handles;
    this.#clock = clock;
  }

  /** Fills `target` with a range of an object; returns false if another thread must read it. */
  read(key: string, { start, end }: ByteRange, target: Uint8Array): boolean {
    const beginMs = this.#clock.monotonicMs();
    if (end - start > readBytesMax || beginMs < this.#pauseEndMs) return false;
    const joined = this.#handles.join(key);
    if (joined === undefined) return false;
    try {
      return end <= joined.status.sizeBytes && joined.file.fillSync(target, start);
    } catch {
      return false; // the asynchronous read reports the reason
    } finally {
      joined.file.leave().catch(() => undefined);
      const endMs = this.#clock.monotonicMs();
      if (endMs - beginMs > slowMs) this.#pauseEndMs = endMs + pauseFactor * (endMs - beginMs);
    }
  }
}
