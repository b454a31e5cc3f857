import type { Clock } from '../clock.ts';
import { throwIfAborted } from '../errors.ts';

/** The time a loop may run before it yields. */
const sliceMs = 5;

/**
 * Divides a long loop into slices of a few milliseconds, and yields to other work in between: `if
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

  /** True if it is time to `yield`; cheaper to check than to await. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#startMs >= sliceMs;
  }

  /** Lets other work run, and starts the next slice. @throws ABORTED when the signal is aborted */
  async yield(): Promise<void> {
    await yieldToEventLoop();
    throwIfAborted(this.#signal);
    this.#startMs = this.#clock.monotonicMs();
  }
}

/** Resolves after all other waiting callbacks have run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
