import type { Clock } from '../clock.ts';
import { QuireError } from '../errors.ts';

/** One for all guards: an error with its stack for each call to a store would cost as much as the guard itself. */
const disposed = new QuireError('ABORTED', 'Nothing is waited for any more.');

/**
 * Gives up on waits that take too long, with one sleep at a time however many waits there are: a listing waits for a hundred
 * thousand entries, and a timer for each would cost more than the entries.
 *
 * One wait is on at a time. Disposing ends the sleep.
 */
export class StallGuard {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onStall: () => QuireError;
  readonly #stop = new AbortController();
  #isSleeping = false;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #reject: ((error: QuireError) => void) | undefined;

  /** `onStall` makes the error that a wait of more than `limitMs` rejects with, and stops what was waited for. */
  constructor(clock: Clock, limitMs: number, onStall: () => QuireError) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onStall = onStall;
  }

  /** Does `work` with the guard armed; rejects with the stall's error as soon as it has been armed for too long. */
  wait<T>(work: () => Promise<T>): Promise<T> {
    this.arm();
    const disarmed = work().finally(() => this.disarm());
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      disarmed.then(resolve, reject);
    });
  }

  /** Starts the countdown anew. */
  arm(): void {
    this.#deadlineMs = this.#clock.monotonicMs() + this.#limitMs;
    if (!this.#isSleeping) void this.#watch();
  }

  /** Stops the countdown: it is somebody else's turn. */
  disarm(): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(disposed);
  }

  async #watch(): Promise<void> {
    this.#isSleeping = true;
    while (!this.#stop.signal.aborted) {
      // A wait that begins during this sleep ends after it, so no deadline is slept through.
      const sleepMs = Math.min(this.#deadlineMs - this.#clock.monotonicMs(), this.#limitMs);
      if (sleepMs <= 0) {
        this.#reject?.(this.#onStall());
        break;
      }
      // Only disposal ends a sleep early, and then the loop is over.
      await this.#clock.sleep(sleepMs, this.#stop.signal).catch(() => undefined);
    }
    this.#isSleeping = false;
  }
}
