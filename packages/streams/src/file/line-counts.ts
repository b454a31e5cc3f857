import type { FileHandle } from 'node:fs/promises';
import { throwIfAborted } from '@quire/core';
import { newline, readRange } from './segment-file.ts';

const blockBytes = 1024 * 1024;
const carriageReturn = 0x0d;

/**
 * Counts the non-blank lines of a growing file. It caches the count of each whole mebibyte, so that
 * counting the same lines again reads at most two mebibytes.
 */
export class LineCounts {
  readonly #byBlock = new Map<number, number>();

  /**
   * Returns the number of lines in `[start, end)`; both must be starts of lines, or the end of the
   * last one.
   */
  async count(file: FileHandle, start: number, end: number, signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (let at = start; at < end;) {
      throwIfAborted(signal);
      const block = Math.floor(at / blockBytes);
      const blockEnd = (block + 1) * blockBytes;
      const isWhole = at === block * blockBytes && blockEnd <= end;
      const known = isWhole ? this.#byBlock.get(block) : undefined;
      const stop = Math.min(end, blockEnd);
      const found = known ?? (await countLineEnds(file, at, stop));
      if (isWhole) this.#byBlock.set(block, found);
      count += found;
      at = stop;
    }
    return count;
  }
}

/**
 * Counts the ends of non-blank lines in `[start, end)`; the text before decides whether the first
 * line is blank.
 */
async function countLineEnds(file: FileHandle, start: number, end: number): Promise<number> {
  const before = Math.min(2, start);
  const bytes = await readRange(file, start - before, end);
  let count = 0;
  for (let at = bytes.indexOf(newline, before); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    const last = bytes[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (last >= 0 && bytes[last] !== newline) count += 1;
  }
  return count;
}
