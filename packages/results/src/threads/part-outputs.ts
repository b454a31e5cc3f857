import type { Lender } from '../buffer-pool.ts';

/** The size of the first output of a part, so that a page starts early. */
const firstBytes = 128 * 1024;
/** The size of the others: each chunk is a message to the main thread. */
const chunkBytes = 512 * 1024;

/** Returns the sizes of buffers for an output of about `sizeBytes` bytes. */
export function outputSizes(sizeBytes: number): readonly number[] {
  const count = Math.ceil(Math.max(0, sizeBytes - firstBytes) / chunkBytes);
  return [firstBytes, ...Array.from({ length: count }, () => chunkBytes)];
}

/**
 * Lends the outputs of a part to its encoder, and separate memory when they are used up or too
 * small. Each chunk gives its buffer away.
 */
export class PartOutputs implements Lender {
  /** Always zero: what is lent here does not limit anything else. */
  readonly leasedBytes = 0;
  readonly chunkBytes = chunkBytes;
  /** The outputs that are not lent, the smallest first. */
  readonly #unused: ArrayBuffer[];
  readonly #lent = new Set<ArrayBufferLike>();

  constructor(buffers: readonly ArrayBuffer[]) {
    this.#unused = [...buffers];
  }

  lease(sizeBytes: number): Uint8Array {
    const index = this.#unused.findIndex(({ byteLength }) => byteLength >= sizeBytes);
    const [buffer] = index === -1 ? [] : this.#unused.splice(index, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(sizeBytes);
    this.#lent.add(buffer);
    return new Uint8Array(buffer, 0, sizeBytes);
  }

  /** Does nothing: the buffer was given away with its chunk. */
  release(): void {
    // As it says.
  }

  /** Does nothing, as `release`: a part that fails gives its remaining buffers away. */
  abandon(): void {
    // As it says.
  }

  /** Returns the buffer of a chunk, or of a copy, at whose start the chunk is. */
  giveAway(chunk: Uint8Array): { readonly buffer: ArrayBuffer; readonly isLent: boolean } {
    const { buffer } = this.#lent.has(chunk.buffer) ? chunk : this.#copy(chunk);
    return { buffer: buffer as ArrayBuffer, isLent: this.#lent.delete(buffer) };
  }

  /** Returns all outputs that no chunk has given away. */
  giveRest(): readonly ArrayBuffer[] {
    const rest = [...this.#unused, ...this.#lent] as ArrayBuffer[];
    this.#unused.length = 0;
    this.#lent.clear();
    return rest;
  }

  /** Copies a chunk of other memory, which may be used for what follows. */
  #copy(chunk: Uint8Array): Uint8Array {
    const copy = this.lease(chunk.byteLength);
    copy.set(chunk);
    return copy;
  }
}
