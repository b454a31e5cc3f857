import { type Clock, QuireError, type Random } from '@quire/core';
import { Cron } from 'croner';

/** The schedule of sweeps: a period, or a cron expression. */
export interface ScheduleOptions {
  /** The time from the start of one sweep to that of the next. */
  readonly periodMs: number;
  /** A cron expression, in UTC, instead of the period. */
  readonly cron?: string | undefined;
  /** The delay; `random` is a time within the period and within five minutes. */
  readonly initialDelayMs: number | 'random';
}

const randomInitialDelayMaxMs = 300_000;
/** The part of a period that is random, so that cleaners that started together drift apart. */
const jitterShare = 0.1;
const cronJitterMaxMs = 5000;

/**
 * Returns the delay before the first sweep. By default it is never a whole period, or a broker that
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
 * Returns the jittered delay from now to the next sweep, `elapsedMs` after the start of the last
 * one.
 *
 * A period is counted on the monotonic clock, so that steps of the wall clock have no effect. A
 * sweep that took longer than the period is followed immediately by the next. A cron expression
 * follows the wall clock.
 *
 * @throws INVALID_SETTING when the cron expression is not valid, or never matches
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

/**
 * Returns the milliseconds from `nowMs` to the next time that matches a cron expression, in UTC.
 */
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
