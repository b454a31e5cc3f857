import { type ByteRange, throwIfAborted } from '@quire/core';
import { blockBytes } from './writer.ts';

/** The bytes of a range, as views of the blocks that hold them: nothing is copied. */
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
