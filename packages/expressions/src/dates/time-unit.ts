import { expressionFailed } from '../language/expression-error.ts';

const nanoseconds = {
  NANOSECONDS: 1n,
  MICROSECONDS: 1_000n,
  MILLISECONDS: 1_000_000n,
  SECONDS: 1_000_000_000n,
  MINUTES: 60_000_000_000n,
  HOURS: 3_600_000_000_000n,
  DAYS: 86_400_000_000_000n,
} as const;

/** A unit that times are counted in. */
export type TimeUnit = keyof typeof nanoseconds;

export function isTimeUnit(name: string): name is TimeUnit {
  return Object.hasOwn(nanoseconds, name);
}

/** @throws EXPRESSION_FAILED when there is no such unit; case counts */
export function parseTimeUnit(name: string): TimeUnit {
  if (!isTimeUnit(name)) {
    throw expressionFailed(`‘${name.slice(0, 40)}’ is not a unit of time: expected ${Object.keys(nanoseconds).join(', ')}.`);
  }
  return name;
}

/** A span in another unit, cut off towards zero, as java.util.concurrent.TimeUnit converts it. */
export function convertTime(value: number, from: TimeUnit, to: TimeUnit): number {
  const [source, target] = [Number(nanoseconds[from]), Number(nanoseconds[to])];
  const converted = source >= target ? value * (source / target) : Math.trunc(value / (target / source));
  return Math.min(Math.max(converted, -(2 ** 63)), 2 ** 63);
}

/** The same with every digit, at most the largest long. */
export function convertExactly(value: bigint, from: TimeUnit, to: TimeUnit): bigint {
  const converted = (value * nanoseconds[from]) / nanoseconds[to];
  const most = 2n ** 63n - 1n;
  return converted > most ? most : converted < -most - 1n ? -most - 1n : converted;
}

/** A span that times are rounded to. */
export interface Granularity {
  readonly size: number;
  readonly unit: TimeUnit;
}

/** Reads `15:MINUTES`, `MINUTES|15` or `HOURS`; case counts. @throws EXPRESSION_FAILED when it is neither */
export function parseGranularity(text: string): Granularity {
  const [unit = '', size = '1'] = /^\d/.test(text) ? text.split(':', 2).toReversed() : text.split('|', 2);
  const isWhole = !/^\d/.test(text) || text.includes(':');
  if (!isWhole || !isTimeUnit(unit) || !/^\+?\d{1,9}$/.test(size) || Number(size) < 1) {
    throw expressionFailed(`‘${text.slice(0, 40)}’ is not a granularity: expected 15:MINUTES or MINUTES|15.`);
  }
  return { size: Number(size), unit };
}
