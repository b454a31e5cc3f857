import type { Parameter } from '../parameter.ts';
import { oneOf, text } from '../parameters.ts';
import { dateToMs, dayMs, daysInMonth, weekdayOf } from './calendar.ts';

const units = [
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
  'DECADE',
  'CENTURY',
] as const;

/** A unit that dates are cut or moved by. */
export type CalendarUnit = (typeof units)[number];

const known = oneOf('unit', units);

/** A unit as a function takes it: day, DAY, days. */
export const calendarUnit: Parameter<CalendarUnit> = {
  type: 'unit',
  read: (value, place) => known.read(text.read(value, place).toUpperCase().replace(/S$/, ''), place),
};

const fixedMs: Readonly<Partial<Record<CalendarUnit, number>>> = {
  MILLISECOND: 1,
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: dayMs,
  WEEK: 7 * dayMs,
};

const monthCounts: Readonly<Partial<Record<CalendarUnit, number>>> = {
  MONTH: 1,
  QUARTER: 3,
  YEAR: 12,
  DECADE: 120,
  CENTURY: 1200,
};

/** The first millisecond of the unit that a local time lies in; weeks begin on Monday. */
export function truncateLocal(localMs: number, unit: CalendarUnit): number {
  const fixed = fixedMs[unit];
  if (unit === 'WEEK') return Math.floor(localMs / dayMs) * dayMs - (weekdayOf(localMs) - 1) * dayMs;
  if (fixed !== undefined) return Math.floor(localMs / fixed) * fixed;
  const months = monthIndex(localMs);
  const size = monthCounts[unit] ?? 1;
  return monthToMs(Math.floor(months / size) * size);
}

/** A local time moved by so many units; the 31st becomes the last day of a shorter month. */
export function addLocal(localMs: number, count: number, unit: CalendarUnit): number {
  const fixed = fixedMs[unit];
  if (fixed !== undefined) return localMs + count * fixed;
  const months = monthIndex(localMs) + count * (monthCounts[unit] ?? 1);
  const day = new Date(localMs).getUTCDate();
  const timeMs = localMs - Math.floor(localMs / dayMs) * dayMs;
  const year = Math.floor(months / 12);
  return monthToMs(months) + (Math.min(day, daysInMonth(year, months - year * 12 + 1)) - 1) * dayMs + timeMs;
}

/** How many whole units lie between two local times; negative when the second is the earlier. */
export function countLocal(fromMs: number, toMs: number, unit: CalendarUnit): number {
  const fixed = fixedMs[unit];
  if (fixed !== undefined) return Math.trunc((toMs - fromMs) / fixed);
  const size = monthCounts[unit] ?? 1;
  let count = Math.trunc((monthIndex(toMs) - monthIndex(fromMs)) / size);
  if (count > 0 && addLocal(fromMs, count, unit) > toMs) count -= 1;
  if (count < 0 && addLocal(fromMs, count, unit) < toMs) count += 1;
  return count;
}

/** Months since the year 0. */
function monthIndex(localMs: number): number {
  const date = new Date(localMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function monthToMs(index: number): number {
  const year = Math.floor(index / 12);
  return dateToMs(year, index - year * 12 + 1, 1);
}
