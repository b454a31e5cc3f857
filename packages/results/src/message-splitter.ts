import { QuireError, type ReadMemory } from '@quire/core';
import type { BufferPool } from './buffer-pool.ts';

/**
 * Splits the chunks of an object into messages of known lengths, in memory of a pool. A message is
 * valid until the next one is taken. A chunk that contains a whole message is not copied.
 */
export class MessageSplitter implements ReadMemory {
  readonly #pool: BufferPool;
  readonly #plentyBytes: number;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  #leases: Uint8Array[] = [];
  #rest: Uint8Array = new Uint8Array(0);
  /** The number of missing bytes of the message that is being taken. */
  #lackingBytes = 0;

  /**
   * Creates a splitter without chunks.
   *
   * @param plentyBytes the lent memory up to which it reads large pieces; beyond it, one message at
   *   a time
   */
  constructor(pool: BufferPool, plentyBytes: number) {
    this.#pool = pool;
    this.#plentyBytes = plentyBytes;
  }

  /**
   * Lends memory for the store to read into: for the whole read, or only for the current message if
   * memory is scarce.
   */
  lend(sizeBytes: number): Uint8Array {
    const isPlenty = this.#pool.leasedBytes + sizeBytes <= this.#plentyBytes;
    return this.#lease(isPlenty ? sizeBytes : Math.min(sizeBytes, this.#lackingBytes));
  }

  /** Starts to split these chunks. */
  open(body: AsyncIterable<Uint8Array>): void {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /**
   * Returns the next `length` bytes, at an address that is aligned for typed arrays.
   *
   * @throws OBJECT_SHORT_READ when the chunks end too early
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
      if (this.#rest.byteLength === 0) {
        // Chunks that were copied are reused for those that follow.
        this.#releaseAllBut(message.buffer);
        await this.#pull();
      }
      const piece = this.#cut(Math.min(this.#rest.byteLength, this.#lackingBytes));
      message.set(piece, length - this.#lackingBytes);
      this.#lackingBytes -= piece.byteLength;
    }
    return message;
  }

  /**
   * Pulls the end of the chunks after the last message, so that the store counts the body as read
   * completely.
   */
  async end(): Promise<void> {
    await this.#chunks?.next();
  }

  /** Releases all memory; the last message must no longer be used. */
  close(): void {
    this.#releaseAllBut(undefined);
  }

  /** Gives up all memory, because it may still be read or written. */
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
