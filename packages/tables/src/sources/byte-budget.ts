import { formatBytes } from '@quire/core';
import { SourceProblem } from './source-problem.ts';

/** Bytes that may still be read: what comes out of a decompressor counts, so that a small file cannot be a large one. */
export class ByteBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  get left(): number {
    return this.#left;
  }

  /** @throws SourceProblem BYTE_LIMIT when more are taken than there are */
  take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    this.#left = 0;
    throw new SourceProblem('BYTE_LIMIT', `At most ${formatBytes(this.#bytesMax)} are read; the rest is left out.`);
  }
}
