import { type Clock, QuireError, type Random } from '@quire/core';
import { Cron } from 'croner';

/** When sweeps begin: by a period, or by a cron expression. */
export interface ScheduleOptions {
  /** From the start of one sweep to that of the next. */
  readonly periodMs: number;
  /** A cron expression, in UTC, instead of the period. */
  readonly cron?: string | undefined;
  /** `random`: somewhere within the period, and within five minutes. */
  readonly initialDelayMs: number | 'random';
}

const randomInitialDelayMaxMs = 300_000;
/** Cleaners that started together must not go on together; a tenth is enough to drift apart. */
const jitterShare = 0.1;
const cronJitterMaxMs = 5000;

/**
 * How long to wait before the first sweep: never a whole period by default, or a broker that
 * restarts often would never clean.
 */
export function firstDelayMs(
  { initialDelayMs, periodMs }: ScheduleOptions,
  random: Random,
): number {
  if (initialDelayMs !== 'random') return initialDelayMs;
  return Math.floor(random.fraction() * Math.min(periodMs, randomInitialDelayMaxMs));
}

/**
 * How long to wait from now to the next sweep, `elapsedMs` after the start of the last one;
 * jittered.
 *
 * A period is counted on the monotonic clock, so that steps of the wall clock neither hasten nor
 * delay it. A sweep that took longer than the period is followed at once by the next, never
 * overtaken. A cron expression follows the wall clock, as it must.
 *
 * @throws INVALID_SETTING when the cron expression is not one, or never comes
 */
export function nextDelayMs(
  options: ScheduleOptions,
  elapsedMs: number,
  clock: Clock,
  random: Random,
): number {
  if (options.cron !== undefined) {
    return (
      nextCronDelayMs(options.cron, clock.nowMs()) + Math.floor(random.fraction() * cronJitterMaxMs)
    );
  }
  const jitterMs = (random.fraction() - 0.5) * jitterShare * options.periodMs;
  return Math.max(0, Math.round(options.periodMs + jitterMs - elapsedMs));
}

/** Milliseconds from `nowMs` to the next moment that a cron expression names, in UTC. */
export function nextCronDelayMs(expression: string, nowMs: number): number {
  let next: Date | null;
  try {
    next = new Cron(expression, { timezone: 'UTC', paused: true }).nextRun(new Date(nowMs));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError('INVALID_SETTING', `'${expression}' is not a cron expression: ${reason}`, {
      cause: error,
    });
  }
  if (next === null) {
    throw new QuireError(
      'INVALID_SETTING',
      `The cron expression '${expression}' never matches a time in the future.`,
    );
  }
  return next.getTime() - nowMs;
}
