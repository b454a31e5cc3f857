import { expressionFailed } from '../expression-error.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';
import { kindOf } from '../values/kind-of.ts';

const unitMs = {
  NANOSECONDS: 1e-6,
  MICROSECONDS: 1e-3,
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
} as const;

/** A unit that time is counted in, as Java names it. */
export type TimeUnit = keyof typeof unitMs;

export function isTimeUnit(name: string): name is TimeUnit {
  return Object.hasOwn(unitMs, name);
}

/** Whole milliseconds of so many units. */
export function toMs(count: number, unit: TimeUnit): number {
  return Math.trunc(unit === 'NANOSECONDS' ? count / 1e6 : unit === 'MICROSECONDS' ? count / 1e3 : count * unitMs[unit]);
}

/** Whole units in so many milliseconds, as Java's TimeUnit converts: towards zero. */
export function fromMs(ms: number, unit: TimeUnit): number {
  return Math.trunc(unit === 'NANOSECONDS' ? ms * 1e6 : unit === 'MICROSECONDS' ? ms * 1e3 : ms / unitMs[unit]);
}

/** A unit as a function takes it: SECONDS, seconds. */
export const timeUnit: Parameter<TimeUnit> = {
  type: 'unit',
  read(value, place) {
    const name = text.read(value, place).toUpperCase();
    if (isTimeUnit(name)) return name;
    throw expressionFailed(`Expected ${Object.keys(unitMs).join(', ')} as ${place}, found ${kindOf(value)}.`);
  },
};
