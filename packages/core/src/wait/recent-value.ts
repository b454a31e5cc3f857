import type { Clock } from '../clock.ts';
import { sleepUnlessAborted } from './abort.ts';

/** The maximum age of a value, and the maximum wait for a new one. */
export interface RecentValueLimits {
  readonly ageMaxMs: number;
  readonly waitMaxMs: number;
}

/**
 * A cached value that is expensive to compute. It is computed when it is read and the cached one is
 * too old, once for all readers. A reader that has waited long enough gets the cached value.
 */
export class RecentValue<Value> {
  readonly #look: () => Promise<Value | undefined>;
  readonly #clock: Clock;
  readonly #limits: RecentValueLimits;
  #known: { readonly value: Value; readonly atMs: number } | undefined;
  #looking: Promise<void> | undefined;

  /**
   * Creates a cache without a value.
   *
   * @param look computes the value; resolves to undefined if that is impossible now
   */
  constructor(look: () => Promise<Value | undefined>, clock: Clock, limits: RecentValueLimits) {
    this.#look = look;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns the value, or undefined if there is none yet. */
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

  /** Resolves once no computation is running. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  async #update(): Promise<void> {
    const value = await this.#look();
    if (value !== undefined) this.#known = { value, atMs: this.#clock.monotonicMs() };
  }
}
