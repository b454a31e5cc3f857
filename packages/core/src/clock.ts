/**
 * Time as a dependency: nothing else in Quire may ask what time it is or wait (DESIGN.md section
 * 7).
 */
export interface Clock {
  /** Wall-clock time in epoch milliseconds, a whole number. May step in either direction. */
  nowMs(): number;
  /** Milliseconds since an arbitrary origin; never goes back. Use it for durations. */
  monotonicMs(): number;
  /**
   * Resolves after `delayMs`.
   *
   * @throws ABORTED when the signal is or becomes aborted; the timer is then gone
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}
