import { QuireError, type ReadMemory } from '@quire/core';
import type { BufferPool } from './buffer-pool.ts';

/**
 * Cuts the chunks of an object into messages of known lengths, in memory of a pool: a message may
 * be looked at until the next one is taken. A chunk that holds a message whole is not copied.
 */
export class MessageSplitter implements ReadMemory {
  readonly #pool: BufferPool;
  readonly #plentyBytes: number;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  #leases: Uint8Array[] = [];
  #rest: Uint8Array = new Uint8Array(0);
  /** How much the message that is being taken still lacks. */
  #lackingBytes = 0;

  /**
   * @param plentyBytes while no more than this is lent, much is read at once; above it, a message
   * at a time
   */
  constructor(pool: BufferPool, plentyBytes: number) {
    this.#pool = pool;
    this.#plentyBytes = plentyBytes;
  }

  /**
   * Memory for the store to read into: for all that it is about to read, or for what is needed now
   * when memory is in demand.
   */
  lend(sizeBytes: number): Uint8Array {
    const isPlenty = this.#pool.leasedBytes + sizeBytes <= this.#plentyBytes;
    return this.#lease(isPlenty ? sizeBytes : Math.min(sizeBytes, this.#lackingBytes));
  }

  /** Cuts from these chunks on. */
  open(body: AsyncIterable<Uint8Array>): void {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /**
   * The next `length` bytes, at an address that typed arrays can be laid over.
   *
   * @throws OBJECT_SHORT_READ when the chunks end before
   */
  async take(length: number): Promise<Uint8Array> {
    this.#releaseAllBut(this.#rest.byteLength === 0 ? undefined : this.#rest.buffer);
    this.#lackingBytes = length;
    if (this.#rest.byteLength === 0) await this.#pull();
    if (this.#rest.byteLength >= length && this.#rest.byteOffset % 8 === 0) {
      return this.#cut(length);
    }
    const message = this.#lease(length);
    while (this.#lackingBytes > 0) {
      if (this.#rest.byteLength === 0) await this.#pull();
      const piece = this.#cut(Math.min(this.#rest.byteLength, this.#lackingBytes));
      message.set(piece, length - this.#lackingBytes);
      this.#lackingBytes -= piece.byteLength;
    }
    return message;
  }

  /** Gives all memory back, when nobody looks at the last message any more. */
  close(): void {
    this.#releaseAllBut(undefined);
  }

  /** Gives no memory back: somebody may still look at it or write to it, however long after. */
  abandon(): void {
    for (const lease of this.#leases) this.#pool.abandon(lease);
    this.#leases = [];
  }

  #lease(sizeBytes: number): Uint8Array {
    const lease = this.#pool.lease(sizeBytes);
    this.#leases.push(lease);
    return lease;
  }

  #releaseAllBut(kept: ArrayBufferLike | undefined): void {
    const leases = this.#leases;
    this.#leases = leases.filter(({ buffer }) => buffer === kept);
    for (const lease of leases) if (lease.buffer !== kept) this.#pool.release(lease);
  }

  #cut(length: number): Uint8Array {
    const piece = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return piece;
  }

  async #pull(): Promise<void> {
    const next = await this.#chunks?.next();
    if (next === undefined || next.done === true) {
      throw new QuireError('OBJECT_SHORT_READ', 'A data file ended before its batches did.');
    }
    this.#rest = next.value;
  }
}
