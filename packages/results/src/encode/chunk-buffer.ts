const chunkBytes = 128 * 1024;

/** Gathers pieces of text to chunks of one size, for whom a chunk costs more than its bytes. */
export class ChunkBuffer {
  // Every byte is written before it is read, so zeroes would be wasted work.
  #chunk: Uint8Array = Buffer.allocUnsafeSlow(chunkBytes);
  #length = 0;

  /** Copies a piece, and gives the chunks that are full by that. */
  append(piece: Uint8Array): Uint8Array[] {
    const full: Uint8Array[] = [];
    let start = 0;
    while (piece.length - start > chunkBytes - this.#length) {
      const end = start + chunkBytes - this.#length;
      this.#chunk.set(piece.subarray(start, end), this.#length);
      full.push(this.#chunk);
      this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
      this.#length = 0;
      start = end;
    }
    this.#chunk.set(start === 0 ? piece : piece.subarray(start), this.#length);
    this.#length += piece.length - start;
    return full;
  }

  /** The last chunk, which may have no bytes. */
  finish(): Uint8Array {
    return this.#chunk.subarray(0, this.#length);
  }
}
