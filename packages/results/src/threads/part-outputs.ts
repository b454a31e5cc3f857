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
  /** The buffers that the encoder has, and whether each is one of the outputs. */
  readonly #leased = new Map<ArrayBufferLike, boolean>();

  constructor(buffers: readonly ArrayBuffer[]) {
    this.#unused = [...buffers];
  }

  lease(sizeBytes: number): Uint8Array {
    const index = this.#unused.findIndex(({ byteLength }) => byteLength >= sizeBytes);
    const [output] = index === -1 ? [] : this.#unused.splice(index, 1);
    const buffer = output ?? Buffer.allocUnsafeSlow(sizeBytes).buffer;
    this.#leased.set(buffer, output !== undefined);
    return new Uint8Array(buffer, 0, sizeBytes);
  }

  release(): void {
    // Does nothing: the buffer was given away with its chunk.
  }

  abandon(): void {
    // Does nothing: `giveRest` returns the buffer.
  }

  /** Returns the buffer of a chunk, or of a copy, at whose start the chunk is. */
  giveAway(chunk: Uint8Array): { readonly buffer: ArrayBuffer; readonly isLent: boolean } {
    const { buffer } = this.#leased.has(chunk.buffer) ? chunk : this.#copy(chunk);
    const isLent = this.#leased.get(buffer) === true;
    this.#leased.delete(buffer);
    return { buffer: buffer as ArrayBuffer, isLent };
  }

  /** Returns all outputs that no chunk has given away. */
  giveRest(): readonly ArrayBuffer[] {
    const leased = [...this.#leased].filter(([, isLent]) => isLent).map(([buffer]) => buffer);
    this.#leased.clear();
    return [...this.#unused.splice(0), ...(leased as ArrayBuffer[])];
  }

  /** Copies a chunk of other memory, which may be used for what follows. */
  #copy(chunk: Uint8Array): Uint8Array {
    const copy = this.lease(chunk.byteLength);
    copy.set(chunk);
    return copy;
  }
}
