import type { Clock } from '../clock.ts';
import { isQuireError, QuireError } from '../errors.ts';
import type { Random } from '../random.ts';

/** A failed call that will be retried. */
export interface RetryEvent {
  /** The name of the call, for logs: `get broker/…/data.arrow`. */
  readonly call: string;
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  /** The delay before the next attempt. */
  readonly delayMs: number;
  readonly error: QuireError;
}

/** The number of attempts and the delays between them. */
export interface RetryLimits {
  /** The total number of attempts, including the first; 1 never retries. */
  readonly attemptsMax: number;
  /** The maximum delay after the first failure; it doubles with each further one. */
  readonly delayMs: number;
  /** The maximum of any delay. */
  readonly delayMaxMs: number;
}

/** The retry policy for failed store calls. */
export interface RetryOptions extends RetryLimits {
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each failure that will be retried. */
  onRetry?(event: RetryEvent): void;
}

/** The retry delays that all of Quire's own callers use for stores. */
export const storeRetryDelays = { delayMs: 50, delayMaxMs: 5000 } as const;

/**
 * Checks retry limits.
 *
 * @throws INVALID_PARAMETER when they contradict each other or are out of range
 */
export function assertRetryLimits({ attemptsMax, delayMs, delayMaxMs }: RetryLimits): void {
  if (
    !Number.isSafeInteger(attemptsMax) ||
    attemptsMax < 1 ||
    !(delayMs >= 0) ||
    !(delayMaxMs >= delayMs)
  ) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `attemptsMax ${attemptsMax}, delayMs ${delayMs}, delayMaxMs ${delayMaxMs}: expected attemptsMax >= 1 and 0 <= delayMs <= delayMaxMs.`,
    );
  }
}

/**
 * Returns the delay after the attempt with this number, counted from 1. It is random between half
 * and all of a length that doubles, so that callers that failed together do not retry together.
 */
export function retryDelayMs(
  { delayMs, delayMaxMs }: Pick<RetryLimits, 'delayMs' | 'delayMaxMs'>,
  attempt: number,
  random: Random,
): number {
  return Math.min(delayMaxMs, delayMs * 2 ** (attempt - 1)) * (0.5 + random.fraction() / 2);
}

/**
 * Handles one failure: waits, then resolves, if the failure may be retried and attempts remain;
 * otherwise throws it.
 *
 * Only STORE_UNAVAILABLE and STORE_TIMED_OUT are retried, unless the caller has aborted.
 *
 * @throws ABORTED when the signal is aborted during the wait
 */
export async function waitForRetry(
  options: RetryOptions,
  call: string,
  attempt: number,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isRetryable =
    isQuireError(error, 'STORE_UNAVAILABLE', 'STORE_TIMED_OUT') && signal?.aborted !== true;
  if (!isRetryable || attempt >= options.attemptsMax) throw error;
  const delayMs = retryDelayMs(options, attempt, options.random);
  options.onRetry?.({ call, attempt, delayMs, error });
  await options.clock.sleep(delayMs, signal);
}

/**
 * Runs `operation` until it succeeds, with delays, at most `attemptsMax` times. It must be safe to
 * repeat.
 *
 * @throws the failure that may not be retried, or the last one
 */
export async function retry<T>(
  options: RetryOptions,
  call: string,
  operation: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      await waitForRetry(options, call, attempt, error, signal);
    }
  }
}
