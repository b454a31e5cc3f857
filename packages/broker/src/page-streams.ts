import type { Principal } from '@quire/auth';
import { QuireError } from '@quire/core';

/**
 * Counts the pages that each principal is reading, so that no principal uses all memory and
 * connections.
 */
export class PageStreams {
  readonly #countMax: () => number;
  readonly #counts = new Map<string, number>();
  #count = 0;

  /**
   * Creates a counter.
   *
   * @param countMax returns the maximum for one principal; called for each page, so that it is live
   */
  constructor(countMax: () => number) {
    this.#countMax = countMax;
  }

  /** The number of pages being read by all principals. */
  get count(): number {
    return this.#count;
  }

  /** Checks the limit of a principal. @throws TOO_MANY_REQUESTS when it has been reached */
  assertMayOpen({ name }: Principal): void {
    const countMax = this.#countMax();
    if ((this.#counts.get(name) ?? 0) < countMax) return;
    throw new QuireError(
      'TOO_MANY_REQUESTS',
      `${name} is reading ${countMax} pages, which is the limit (engine.auth.limit.pageStreams); finish one, then retry.`,
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
