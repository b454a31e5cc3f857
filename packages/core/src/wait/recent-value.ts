import type { Clock } from '../clock.ts';
import { sleepUnlessAborted } from './abort.ts';

/** How old an answer may be, and how long a caller waits for a new one. */
export interface RecentValueLimits {
  readonly ageMaxMs: number;
  readonly waitMaxMs: number;
}

/**
 * A value that takes a while to find out: it is found out when somebody reads it and the last one
 * is too old, once for all readers. A reader that has waited long enough gets the last one.
 */
export class RecentValue<Value> {
  readonly #look: () => Promise<Value | undefined>;
  readonly #clock: Clock;
  readonly #limits: RecentValueLimits;
  #known: { readonly value: Value; readonly atMs: number } | undefined;
  #looking: Promise<void> | undefined;

  /** @param look finds it out; undefined where that is not possible now */
  constructor(look: () => Promise<Value | undefined>, clock: Clock, limits: RecentValueLimits) {
    this.#look = look;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns the value, or undefined while none is known. */
  async read(): Promise<Value | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const { ageMaxMs, waitMaxMs } = this.#limits;
    if (this.#known !== undefined && nowMs - this.#known.atMs < ageMaxMs) return this.#known.value;
    this.#looking ??= this.#update().finally(() => {
      this.#looking = undefined;
    });
    const ended = new AbortController();
    await Promise.race([this.#looking, sleepUnlessAborted(this.#clock, waitMaxMs, ended.signal)]);
    ended.abort();
    return this.#known?.value;
  }

  /** Resolves once no look is under way. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  async #update(): Promise<void> {
    const value = await this.#look();
    if (value !== undefined) this.#known = { value, atMs: this.#clock.monotonicMs() };
  }
}
