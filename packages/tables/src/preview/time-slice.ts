import { type Clock, throwIfAborted } from '@quire/core';

/** How long something may work before others run. */
const sliceMs = 5;

/** Lets others run now and then: a long loop asks it at every turn. */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #sliceStartMs: number;

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#sliceStartMs = clock.monotonicMs();
  }

  /** Whether it is time to `yield`: cheaper to ask than to await. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStartMs >= sliceMs;
  }

  /** @throws ABORTED when the signal is aborted */
  async yield(): Promise<void> {
    await yieldToEventLoop();
    throwIfAborted(this.#signal);
    this.#sliceStartMs = this.#clock.monotonicMs();
  }
}

/** Comes back after everything else that waits has had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
