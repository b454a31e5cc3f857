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
  /** A pool whose idle memory, and its limit, this one shares. Default: none. */
  readonly shared?: BufferPool | undefined;
}

/**
 * A pool of reusable memory. If large buffers were left to the garbage collector, every few dozen
 * megabytes would trigger a collection of the server's whole heap, which costs a page more than
 * reading it.
 */
export class BufferPool implements Lender {
  readonly #idle: IdleBuffers;
  #leasedBytes = 0;

  constructor({ idleBytesMax = 24 * MiB, shared }: BufferPoolOptions = {}) {
    this.#idle = shared === undefined ? new IdleBuffers(idleBytesMax) : shared.#idle;
  }

  get leasedBytes(): number {
    return this.#leasedBytes;
  }

  /** Lends `sizeBytes` bytes at the start of a separate buffer, with any content. */
  lease(sizeBytes: number): Uint8Array<ArrayBuffer> {
    const buffer =
      this.#idle.take(sizeBytes) ?? Buffer.allocUnsafeSlow(capacityFor(sizeBytes)).buffer;
    this.#leasedBytes += buffer.byteLength;
    return new Uint8Array(buffer, 0, sizeBytes);
  }

  release(lease: Uint8Array): void {
    this.forget(lease.buffer.byteLength);
    this.#idle.keep(lease.buffer as ArrayBuffer);
  }

  abandon({ buffer }: Uint8Array): void {
    this.forget(buffer.byteLength);
  }

  /** Gives up lent memory that no longer exists: the whole size of its buffers. */
  forget(sizeBytes: number): void {
    this.#leasedBytes -= sizeBytes;
  }
}

/** Buffers that wait for their next use, by size. */
class IdleBuffers {
  readonly #buffers = new Map<number, ArrayBuffer[]>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns a buffer that is large enough and less than twice as large as needed. */
  take(sizeBytes: number): ArrayBuffer | undefined {
    const smallest = capacityFor(sizeBytes);
    for (let capacity = smallest; capacity < 2 * smallest; capacity = capacityFor(capacity + 1)) {
      const buffer = this.#buffers.get(capacity)?.pop();
      if (buffer === undefined) continue;
      this.#bytes -= capacity;
      return buffer;
    }
    return undefined;
  }

  /** Keeps a buffer, unless that exceeds the limit. */
  keep(buffer: ArrayBuffer): void {
    if (this.#bytes + buffer.byteLength > this.#bytesMax) return;
    const same = this.#buffers.get(buffer.byteLength) ?? [];
    same.push(buffer);
    this.#buffers.set(buffer.byteLength, same);
    this.#bytes += buffer.byteLength;
  }
}

function capacityFor(sizeBytes: number): number {
  if (sizeBytes <= sizeBytesMin) return sizeBytesMin;
  const step = 2 ** (Math.ceil(Math.log2(sizeBytes)) - 3);
  return Math.ceil(sizeBytes / step) * step;
}
