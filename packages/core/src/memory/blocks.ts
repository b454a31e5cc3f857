import { throwIfAborted } from '../errors.ts';
import type { ByteRange } from '../object-store.ts';

/**
 * The size of every block except an object's last one, so that the block and alignment of a byte
 * follow from its offset.
 */
const blockBytes = 4 * 1024 * 1024;

const firstCapacityBytes = 4096;

/** Copies chunks of any size into blocks of one size. */
export class BlockPacker {
  readonly #blocks: Uint8Array[] = [];
  #last = new Uint8Array(0);
  #lastBytes = 0;

  get sizeBytes(): number {
    return this.#blocks.length * blockBytes + this.#lastBytes;
  }

  add(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.byteLength;) {
      const piece = chunk.subarray(offset, offset + blockBytes - this.#lastBytes);
      this.#grow(this.#lastBytes + piece.byteLength);
      this.#last.set(piece, this.#lastBytes);
      this.#lastBytes += piece.byteLength;
      offset += piece.byteLength;
      if (this.#lastBytes === blockBytes) this.#seal();
    }
  }

  /** Returns the blocks; nothing can be added afterwards. */
  finish(): readonly Uint8Array[] {
    if (this.#lastBytes > 0) {
      const isExact = this.#lastBytes === this.#last.byteLength;
      this.#blocks.push(isExact ? this.#last : this.#last.slice(0, this.#lastBytes));
    }
    return this.#blocks;
  }

  #seal(): void {
    this.#blocks.push(this.#last);
    this.#last = new Uint8Array(0);
    this.#lastBytes = 0;
  }

  /** Grows the last block by doubling, so that small objects do not allocate a whole block. */
  #grow(neededBytes: number): void {
    if (neededBytes <= this.#last.byteLength) return;
    const capacityBytes = Math.max(neededBytes, this.#last.byteLength * 2, firstCapacityBytes);
    const larger = new Uint8Array(Math.min(capacityBytes, blockBytes));
    larger.set(this.#last);
    this.#last = larger;
  }
}

/** Yields the bytes of a range, as views of the blocks that hold them: without copying. */
export async function* readBlocks(
  blocks: readonly Uint8Array[],
  range: ByteRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let offset = range.start; offset < range.end;) {
    throwIfAborted(signal);
    const startInBlock = offset % blockBytes;
    const endInBlock = Math.min(startInBlock + range.end - offset, blockBytes);
    const block = blocks[Math.floor(offset / blockBytes)];
    if (block !== undefined) yield block.subarray(startInBlock, endInBlock);
    offset += endInBlock - startInBlock;
  }
  throwIfAborted(signal);
}
