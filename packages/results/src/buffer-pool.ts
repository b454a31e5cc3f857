import { MiB } from '@quire/core';

/**
 * The minimum size of a buffer. Larger buffers have four sizes between one power of two and the
 * next.
 */
const sizeBytesMin = 64 * 1024;

/** Lends memory. */
export interface Lender {
  /** The number of bytes that are lent. */
  readonly leasedBytes: number;
  /** The preferred size of chunks. Default: the caller's choice. */
  readonly chunkBytes?: number;
  /** Lends `sizeBytes` bytes, with any content. */
  lease(sizeBytes: number): Uint8Array;
  /** Takes back lent memory, once it is no longer read or written. Call it once. */
  release(lease: Uint8Array): void;
  /** Gives up lent memory that may still be read or written. */
  abandon(lease: Uint8Array): void;
}

/** The options of a `BufferPool`. */
export interface BufferPoolOptions {
  /** The limit for idle memory; buffers that are released beyond it are dropped. */
  readonly idleBytesMax?: number;
}

/**
 * A pool of reusable memory. If large buffers were left to the garbage collector, every few dozen
 * megabytes would trigger a collection of the server's whole heap, which costs a page more than
 * reading it.
 */
export class BufferPool implements Lender {
  /** Idle buffers, by size. */
  readonly #idle = new Map<number, ArrayBuffer[]>();
  readonly #idleBytesMax: number;
  #idleBytes = 0;
  #leasedBytes = 0;

  constructor({ idleBytesMax = 24 * MiB }: BufferPoolOptions = {}) {
    this.#idleBytesMax = idleBytesMax;
  }

  get leasedBytes(): number {
    return this.#leasedBytes;
  }

  /** Lends `sizeBytes` bytes at the start of a separate buffer, with any content. */
  lease(sizeBytes: number): Uint8Array<ArrayBuffer> {
    const buffer =
      this.#takeIdle(sizeBytes) ?? Buffer.allocUnsafeSlow(capacityFor(sizeBytes)).buffer;
    this.#leasedBytes += buffer.byteLength;
    return new Uint8Array(buffer, 0, sizeBytes);
  }

  release(lease: Uint8Array): void {
    const buffer = lease.buffer as ArrayBuffer;
    if (this.#idleBytes + buffer.byteLength > this.#idleBytesMax) return this.abandon(lease);
    this.#leasedBytes -= buffer.byteLength;
    const idle = this.#idle.get(buffer.byteLength) ?? [];
    idle.push(buffer);
    this.#idle.set(buffer.byteLength, idle);
    this.#idleBytes += buffer.byteLength;
  }

  /** Returns an idle buffer that is large enough and less than twice as large as needed. */
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

  abandon({ buffer }: Uint8Array): void {
    this.forget(buffer.byteLength);
  }

  /** Gives up lent memory that no longer exists: the whole size of its buffers. */
  forget(sizeBytes: number): void {
    this.#leasedBytes -= sizeBytes;
  }
}

function capacityFor(sizeBytes: number): number {
  if (sizeBytes <= sizeBytesMin) return sizeBytesMin;
  const step = 2 ** (Math.ceil(Math.log2(sizeBytes)) - 3);
  return Math.ceil(sizeBytes / step) * step;
}
