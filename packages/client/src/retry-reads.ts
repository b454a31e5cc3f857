import {
  assertRetryLimits,
  type Clock,
  QuireError,
  type Random,
  retryDelayMs,
} from '@quire/core/portable';
import { QuireClientError } from './client-error.ts';

/** The number of attempts of a read, and the delays between them. */
export interface RetryLimits {
  /**
   * The total number of attempts, including the first; 1 never retries. Default 8: 8 to 16 seconds,
   * longer than a broker takes to restart.
   */
  readonly attemptsMax?: number | undefined;
  /**
   * The maximum delay after the first failure, in milliseconds; it doubles with each further one.
   * Default 200.
   */
  readonly delayMs?: number | undefined;
  /** The maximum of any delay, in milliseconds. Default 5000. */
  readonly delayMaxMs?: number | undefined;
  /** The maximum `Retry-After` in milliseconds; longer ones are not waited for. Default 60,000. */
  readonly retryAfterMaxMs?: number | undefined;
}

export interface RetryPolicy {
  readonly clock: Clock;
  readonly random: Random;
  readonly attemptsMax: number;
  readonly delayMs: number;
  readonly delayMaxMs: number;
  readonly retryAfterMaxMs: number;
}

/** Returns a retry policy. @throws INVALID_PARAMETER when the limits are not valid */
export function retryPolicyOf(limits: RetryLimits, clock: Clock, random: Random): RetryPolicy {
  const { attemptsMax = 8, delayMs = 200, delayMaxMs = 5000, retryAfterMaxMs = 60_000 } = limits;
  assertRetryLimits({ attemptsMax, delayMs, delayMaxMs });
  if (!(retryAfterMaxMs >= 0)) {
    const message = `retryAfterMaxMs is ${retryAfterMaxMs}; expected a number of at least 0.`;
    throw new QuireError('INVALID_PARAMETER', message);
  }
  return { clock, random, attemptsMax, delayMs, delayMaxMs, retryAfterMaxMs };
}

/**
 * Runs a read until it succeeds or fails permanently, with delays that are never shorter than the
 * server requests.
 *
 * @throws the failure that is not retried, or the last one; the signal's reason when it is aborted
 *   during a delay
 */
export async function retryReads<Value>(
  policy: RetryPolicy,
  read: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const isLast = attempt >= policy.attemptsMax || signal?.aborted === true;
      if (isLast || !(error instanceof QuireClientError) || !error.retryable) throw error;
      const { retryAfterMs = 0 } = error;
      if (retryAfterMs > policy.retryAfterMaxMs) throw error;
      const delayMs = retryDelayMs(policy, attempt, policy.random);
      try {
        await policy.clock.sleep(Math.max(delayMs, retryAfterMs), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw cause;
      }
    }
  }
}
