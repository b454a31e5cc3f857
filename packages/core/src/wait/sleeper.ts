import type { Clock } from '../clock.ts';

/** The pauses of a loop, which others can end early. */
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

  /** Whether it was woken while it did not sleep, so that the next sleep ends at once. */
  get isWoken(): boolean {
    return this.#waking.signal.aborted;
  }

  /**
   * Resolves when the time is over, or sooner when it is woken. @throws ABORTED when the signal is
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

  /** Ends the sleep under way; where there is none, the next one ends at once. */
  wake(): void {
    this.#waking.abort();
  }
}
