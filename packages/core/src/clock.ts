/** Time as a dependency: nothing else in Quire may read the time or wait (DESIGN.md section 7). */
export interface Clock {
  /** Wall-clock time in epoch milliseconds, a whole number. May step in either direction. */
  nowMs(): number;
  /** Milliseconds since an arbitrary origin; never decreases. Use it for durations. */
  monotonicMs(): number;
  /**
   * Resolves after `delayMs`.
   *
   * @throws ABORTED when the signal is or becomes aborted; the timer is then cleared
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}
