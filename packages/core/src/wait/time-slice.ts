import type { Clock } from '../clock.ts';
import { throwIfAborted } from '../errors.ts';

/** How long a loop may work before others run. */
const sliceMs = 5;

/**
 * Divides a long loop into slices of a few milliseconds, between which others run: `if
 * (slice.isDue) await slice.yield();`.
 */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #startMs: number;

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#startMs = clock.monotonicMs();
  }

  /** Whether it is time to `yield`: cheaper to ask than to await. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#startMs >= sliceMs;
  }

  /** Lets others run, and begins the next slice. @throws ABORTED when the signal is aborted */
  async yield(): Promise<void> {
    await yieldToEventLoop();
    throwIfAborted(this.#signal);
    this.#startMs = this.#clock.monotonicMs();
  }
}

/** Comes back after everything else that waits has had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
