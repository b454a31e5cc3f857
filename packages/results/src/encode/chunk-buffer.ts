import type { Lender } from '../buffer-pool.ts';

/**
 * The size of the first chunk, so that a page starts early, and of all chunks that are not lent.
 */
const chunkBytes = 128 * 1024;
/**
 * The size of lent chunks after the first: each costs an iteration of the event loop and a wake-up
 * of the client, whatever its size.
 */
const largeChunkBytes = 512 * 1024;
/**
 * Chunks are large while less memory than this is lent, because many concurrent readers share
 * little memory.
 */
const plentyBytes = 4 * 1024 * 1024;

/**
 * Collects text into chunks, for readers that pay more for a chunk than for its bytes. With a pool,
 * it lends the chunks.
 */
export class ChunkBuffer {
  readonly #pool: Lender | undefined;
  readonly #lent = new Map<ArrayBufferLike, Uint8Array>();
  #chunk: Uint8Array;
  #length = 0;

  constructor(pool: Lender | undefined) {
    this.#pool = pool;
    this.#chunk = this.#newChunk(chunkBytes);
  }

  /** Copies a piece and returns the chunks that this has filled. */
  append(piece: Uint8Array): Uint8Array[] {
    const full: Uint8Array[] = [];
    let start = 0;
    while (piece.length - start > this.#chunk.length - this.#length) {
      const end = start + this.#chunk.length - this.#length;
      this.#chunk.set(piece.subarray(start, end), this.#length);
      full.push(this.#chunk);
      this.#chunk = this.#newChunk(this.#chunkBytes());
      this.#length = 0;
      start = end;
    }
    this.#chunk.set(start === 0 ? piece : piece.subarray(start), this.#length);
    this.#length += piece.length - start;
    return full;
  }

  /** Returns the last chunk, which may have no bytes. */
  finish(): Uint8Array {
    return this.#chunk.subarray(0, this.#length);
  }

  /** Takes back a chunk that is no longer read. */
  release({ buffer }: Uint8Array): void {
    const lease = this.#lent.get(buffer);
    if (lease === undefined) return;
    this.#lent.delete(buffer);
    this.#pool?.release(lease);
  }

  /** Gives up chunks that were not released, because they may still be read. */
  abandon(): void {
    for (const lease of this.#lent.values()) this.#pool?.abandon(lease);
    this.#lent.clear();
  }

  #chunkBytes(): number {
    const pool = this.#pool;
    const isPlenty = pool !== undefined && pool.leasedBytes <= plentyBytes;
    return pool?.chunkBytes ?? (isPlenty ? largeChunkBytes : chunkBytes);
  }

  #newChunk(sizeBytes: number): Uint8Array {
    // Every byte is written before it is read, so zero-filling would be wasted work.
    if (this.#pool === undefined) return Buffer.allocUnsafeSlow(sizeBytes);
    const lease = this.#pool.lease(sizeBytes);
    this.#lent.set(lease.buffer, lease);
    return lease;
  }
}
