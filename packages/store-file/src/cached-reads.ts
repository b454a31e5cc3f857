import type { ByteRange, Clock } from '@quire/core';
import type { FileHandleCache } from './file-handle-cache.ts';

/** More than that is left to another thread: it would keep others waiting though it is at hand. */
const readBytesMax = 2 * 1024 * 1024;
/** A read that took longer has waited for a disk, or for a processor. */
const slowMs = 4;
/**
 * After a slow read there is none for so many times as long: slow disks take a hundredth of the
 * time at most.
 */
const pauseFactor = 100;

/**
 * Reads of files that are open already, in this thread: what was read or written recently is in the
 * system's memory, and copying it takes less than handing the read to another thread and waiting
 * for that. What the system has is not known before; so a read that was slow is followed by a
 * pause, in which all reads go to other threads.
 */
export class CachedReads {
  readonly #handles: FileHandleCache;
  readonly #clock: Clock;
  #pauseEndMs = -Infinity;

  constructor(handles: FileHandleCache, clock: Clock) {
    this.#handles = handles;
    this.#clock = clock;
  }

  /** Fills `target` with a range of an object; false when that is left to others. */
  read(key: string, { start, end }: ByteRange, target: Uint8Array): boolean {
    const beginMs = this.#clock.monotonicMs();
    if (end - start > readBytesMax || beginMs < this.#pauseEndMs) return false;
    const joined = this.#handles.join(key);
    if (joined === undefined) return false;
    try {
      return end <= joined.status.sizeBytes && joined.file.fillNow(target, start);
    } catch {
      return false; // who reads it in the other way is told why
    } finally {
      joined.file.leave().catch(() => undefined);
      const endMs = this.#clock.monotonicMs();
      if (endMs - beginMs > slowMs) this.#pauseEndMs = endMs + pauseFactor * (endMs - beginMs);
    }
  }
}
