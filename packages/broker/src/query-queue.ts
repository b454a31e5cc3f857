import { abortError, QuireError, throwIfAborted } from '@quire/core';

/** Runs at most so many queries at once; a bounded number of others wait, first come, first served. */
export class QueryQueue {
  readonly #waiting = new Set<() => void>();
  readonly #runningMax: number;
  readonly #queuedMax: number;
  #runningCount = 0;

  constructor(limits: { readonly runningMax: number; readonly queuedMax: number }) {
    this.#runningMax = limits.runningMax;
    this.#queuedMax = limits.queuedMax;
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  get queuedCount(): number {
    return this.#waiting.size;
  }

  /**
   * Runs the task when its turn comes.
   *
   * @throws TOO_MANY_QUERIES at once, when all places are taken, those to wait in as well
   * @throws ABORTED when the signal is or becomes aborted while it waits
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    if (this.#runningCount < this.#runningMax) this.#runningCount += 1;
    else await this.#waitForTurn(signal);
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves once a place has been handed over; it stays counted as running meanwhile. */
  #waitForTurn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#queuedMax) {
      throw new QuireError(
        'TOO_MANY_QUERIES',
        `${this.#runningCount} queries run and ${this.#waiting.size} wait, which is the limit; try again later.`,
      );
    }
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        reject(abortError(signal));
      };
      this.#waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#runningCount -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
