import type { Clock } from '../clock.ts';
import { isQuireError, QuireError } from '../errors.ts';
import type { Random } from '../random.ts';

/** What is known when a failed call is about to be tried again. */
export interface RetryEvent {
  /** What is retried, for logs: `get broker/…/data.arrow`. */
  readonly call: string;
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  /** How long the next attempt is put off. */
  readonly delayMs: number;
  readonly error: QuireError;
}

/** How often something is tried, and how long the waits between attempts are. */
export interface RetryLimits {
  /** Attempts in all, the first included; 1 never retries. */
  readonly attemptsMax: number;
  /** The longest wait after the first failure; it doubles with each further one. */
  readonly delayMs: number;
  /** No wait is longer. */
  readonly delayMaxMs: number;
}

/** How often, and after which waits, a failed call of a store is tried again. */
export interface RetryOptions extends RetryLimits {
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each failure that will be retried. */
  onRetry?(event: RetryEvent): void;
}

/** The waits between calls of a store, which all of Quire's own callers use. */
export const storeRetryDelays = { delayMs: 50, delayMaxMs: 5000 } as const;

/** @throws INVALID_PARAMETER when the limits contradict each other or are out of range */
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
 * Returns the wait after the attempt of this number, counted from 1: random between half and all of
 * a length that doubles, so that callers who failed together do not retry together.
 */
export function retryDelayMs(
  { delayMs, delayMaxMs }: Pick<RetryLimits, 'delayMs' | 'delayMaxMs'>,
  attempt: number,
  random: Random,
): number {
  return Math.min(delayMaxMs, delayMs * 2 ** (attempt - 1)) * (0.5 + random.fraction() / 2);
}

/**
 * Decides about one failure: waits, then resolves, when the failure may be retried and attempts are
 * left; else throws it.
 *
 * Retried are STORE_UNAVAILABLE and STORE_TIMED_OUT, unless the caller has aborted.
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
 * Runs `operation` until it succeeds, with waits between, at most `attemptsMax` times. It must be
 * safe to repeat.
 *
 * @throws the failure that is not to be retried, or the last one
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
