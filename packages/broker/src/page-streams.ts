import type { Principal } from '@quire/auth';
import { QuireError } from '@quire/core';

/**
 * Counts the pages that each principal is reading, so that no principal takes the memory and
 * connections of all.
 */
export class PageStreams {
  readonly #countMax: () => number;
  readonly #counts = new Map<string, number>();
  #count = 0;

  /** @param countMax the most at once of one principal; asked for each, so that it is live */
  constructor(countMax: () => number) {
    this.#countMax = countMax;
  }

  /** Pages that are being read, of all principals. */
  get count(): number {
    return this.#count;
  }

  /** @throws TOO_MANY_REQUESTS when the principal reads as many pages as it may */
  assertMayOpen({ name }: Principal): void {
    const countMax = this.#countMax();
    if ((this.#counts.get(name) ?? 0) < countMax) return;
    throw new QuireError(
      'TOO_MANY_REQUESTS',
      `${name} is reading ${countMax} pages, which is the limit (engine.auth.limit.pageStreams); finish one, then try again.`,
    );
  }

  /** Counts a page of the principal until it is disposed. */
  open({ name }: Principal): Disposable {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#count += 1;
    return { [Symbol.dispose]: () => this.#close(name) };
  }

  #close(name: string): void {
    const left = (this.#counts.get(name) ?? 1) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
    this.#count -= 1;
  }
}
