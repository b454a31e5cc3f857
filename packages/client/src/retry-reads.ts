import {
  assertRetryLimits,
  type Clock,
  QuireError,
  type Random,
  retryDelayMs,
} from '@quire/core/portable';
import { QuireClientError } from './client-error.ts';

/** How often, and after what waits, a read is tried again. */
export interface RetryLimits {
  /**
   * Attempts in all, the first included; 1 never retries. Default 8: 8 to 16 seconds, longer than a
   * broker takes to start again.
   */
  readonly attemptsMax?: number | undefined;
  /**
   * The longest wait after the first failure, in milliseconds; it doubles with each further one.
   * Default 200.
   */
  readonly delayMs?: number | undefined;
  /** The longest wait, in milliseconds. Default 5000. */
  readonly delayMaxMs?: number | undefined;
  /**
   * A server that asks for a longer wait (`Retry-After`) than this, in milliseconds, is not waited
   * for. Default 60,000.
   */
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

/** @throws INVALID_PARAMETER when the limits make no sense */
export function retryPolicyOf(limits: RetryLimits, clock: Clock, random: Random): RetryPolicy {
  const { attemptsMax = 8, delayMs = 200, delayMaxMs = 5000, retryAfterMaxMs = 60_000 } = limits;
  assertRetryLimits({ attemptsMax, delayMs, delayMaxMs });
  if (!(retryAfterMaxMs >= 0)) {
    const message = `retryAfterMaxMs is ${retryAfterMaxMs}; expected a number from 0 up.`;
    throw new QuireError('INVALID_PARAMETER', message);
  }
  return { clock, random, attemptsMax, delayMs, delayMaxMs, retryAfterMaxMs };
}

/**
 * Runs a read until it succeeds or fails for good, with waits between, which are never shorter than
 * the server asks for.
 *
 * @throws the failure that is not to be retried, or the last one; the signal's reason when it is
 * aborted during a wait
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
