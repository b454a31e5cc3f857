import { MiB } from '@quire/core';

/**
 * Smaller pieces share one size; of larger ones there are four sizes between a power of two and the
 * next.
 */
const sizeBytesMin = 64 * 1024;

/**
 * Memory that is used over and over. Large buffers that are left to the garbage collector cost a
 * page more than reading it does: each few dozen megabytes of them make it go through everything
 * that a server has in memory.
 */
export class BufferPool {
  /** Buffers at rest, by their size. */
  readonly #idle = new Map<number, ArrayBuffer[]>();
  readonly #idleBytesMax: number;
  #idleBytes = 0;
  #leasedBytes = 0;

  /** @param idleBytesMax how much may lie at rest; what comes back beyond that is let go */
  constructor(idleBytesMax = 24 * MiB) {
    this.#idleBytesMax = idleBytesMax;
  }

  /** Bytes that are lent at the moment. */
  get leasedBytes(): number {
    return this.#leasedBytes;
  }

  /** Lends `sizeBytes` bytes at the start of a buffer of their own; their contents are anything. */
  lease(sizeBytes: number): Uint8Array {
    const buffer =
      this.#takeIdle(sizeBytes) ?? Buffer.allocUnsafeSlow(capacityFor(sizeBytes)).buffer;
    this.#leasedBytes += buffer.byteLength;
    return new Uint8Array(buffer, 0, sizeBytes);
  }

  /** Takes back what was lent, once, when nobody reads or writes it any more. */
  release(lease: Uint8Array): void {
    const { buffer } = lease;
    this.abandon(lease);
    if (this.#idleBytes + buffer.byteLength > this.#idleBytesMax) return;
    const idle = this.#idle.get(buffer.byteLength) ?? [];
    idle.push(buffer as ArrayBuffer);
    this.#idle.set(buffer.byteLength, idle);
    this.#idleBytes += buffer.byteLength;
  }

  /** A buffer at rest that is large enough, and not twice as large as needed. */
  #takeIdle(sizeBytes: number): ArrayBuffer | undefined {
    const smallest = capacityFor(sizeBytes);
    for (let capacity = smallest; capacity < 2 * smallest; capacity = capacityFor(capacity + 1)) {
      const buffer = this.#idle.get(capacity)?.pop();
      if (buffer === undefined) continue;
      this.#idleBytes -= capacity;
      return buffer;
    }
    return undefined;
  }

  /** Does not count on what was lent any more: somebody may still write to it. */
  abandon({ buffer }: Uint8Array): void {
    this.#leasedBytes -= buffer.byteLength;
  }
}

function capacityFor(sizeBytes: number): number {
  if (sizeBytes <= sizeBytesMin) return sizeBytesMin;
  const step = 2 ** (Math.ceil(Math.log2(sizeBytes)) - 3);
  return Math.ceil(sizeBytes / step) * step;
}
