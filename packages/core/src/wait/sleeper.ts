import type { Clock } from '../clock.ts';

/** The interruptible pauses of a loop. */
export class Sleeper {
  readonly #clock: Clock;
  #waking = new AbortController();
  #isAsleep = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** True if it was woken while it did not sleep, so that the next sleep ends immediately. */
  get isWoken(): boolean {
    return this.#waking.signal.aborted;
  }

  /**
   * Resolves when the time is over, or earlier when it is woken. @throws ABORTED when the signal is
   * aborted
   */
  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    const woken = this.#waking.signal;
    this.#isAsleep = true;
    try {
      await this.#clock.sleep(
        delayMs,
        signal === undefined ? woken : AbortSignal.any([signal, woken]),
      );
    } catch (error) {
      if (signal?.aborted === true || !woken.aborted) throw error;
    } finally {
      this.#isAsleep = false;
      this.#waking = new AbortController();
    }
  }

  /** Ends the current sleep; if there is none, the next one ends immediately. */
  wake(): void {
    this.#waking.abort();
  }
}
