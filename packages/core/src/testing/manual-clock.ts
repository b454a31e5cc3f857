import type { Clock } from '../clock.ts';
import { abortError } from '../errors.ts';

interface Sleeper {
  readonly wakeMs: number;
  wake(): void;
}

/** The start time of a `ManualClock`. */
export interface ManualClockOptions {
  /** Wall-clock time at the start; the default is the first moment of 2026. */
  readonly nowMs?: number;
}

/**
 * A clock that advances only when a test says so. Sleepers wake in the order of their deadlines,
 * then of their arrival.
 */
export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  readonly #sleepers: Sleeper[] = [];
  readonly #watchers: (() => void)[] = [];

  constructor(options: ManualClockOptions = {}) {
    this.#nowMs = options.nowMs ?? Date.UTC(2026, 0, 1);
  }

  /** The number of current sleepers. */
  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const onAbort = (): void => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        if (signal !== undefined) reject(abortError(signal));
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper: Sleeper = { wakeMs: this.#monotonicMs + Math.max(0, delayMs), wake };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#addSleeper(sleeper);
    });
  }

  /**
   * Advances the time. Each sleeper wakes at its own deadline, and the work that it triggers runs
   * before the next one wakes. A sleeper that sleeps again within the span wakes again within the
   * span.
   */
  async advance(durationMs: number): Promise<void> {
    const targetMs = this.#monotonicMs + durationMs;
    await settle();
    for (
      let next = this.#sleepers[0];
      next !== undefined && next.wakeMs <= targetMs;
      next = this.#sleepers[0]
    ) {
      this.#sleepers.shift();
      this.#moveTo(next.wakeMs);
      next.wake();
      await settle();
    }
    this.#moveTo(targetMs);
  }

  /** Steps the wall clock alone, forward or back, as an operator or a time server does. */
  stepWallClock(deltaMs: number): void {
    this.#nowMs += deltaMs;
  }

  /**
   * Resolves once at least `count` callers sleep. Wait for it before `advance` when a sleep follows
   * real work.
   */
  async untilSleeping(count = 1): Promise<void> {
    while (this.#sleepers.length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  #addSleeper(sleeper: Sleeper): void {
    const position = this.#sleepers.findIndex((other) => other.wakeMs > sleeper.wakeMs);
    this.#sleepers.splice(position === -1 ? this.#sleepers.length : position, 0, sleeper);
    for (const notify of this.#watchers.splice(0)) notify();
  }

  #moveTo(monotonicMs: number): void {
    const elapsedMs = monotonicMs - this.#monotonicMs;
    this.#monotonicMs += elapsedMs;
    this.#nowMs += elapsedMs;
  }
}

/** Runs everything that can run without time passing, except I/O in progress. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
