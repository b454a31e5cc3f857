import { QuireError } from '@quire/core';

/**
 * Runs one task at a time, first come first served, with a bounded number waiting. Deriving a key keeps a thread busy that file
 * reads need as well: a flood of wrong passwords must not take all of them.
 */
export class SerialGate {
  readonly #waitingMax: number;
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** @throws TOO_MANY_REQUESTS when too many wait already, and whatever the task throws */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#pending > this.#waitingMax) {
      throw new QuireError('TOO_MANY_REQUESTS', 'Too many passwords are being checked; try again in a moment.');
    }
    this.#pending += 1;
    const result = this.#last.then(task);
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } finally {
      this.#pending -= 1;
    }
  }
}
