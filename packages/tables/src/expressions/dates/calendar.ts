import { expressionFailed } from '../values/expression-error.ts';
import { fromLocal, toLocal, type Zone } from './zone.ts';

export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** The names of weekdays, starting with Monday, which is 1 in ISO 8601. */
export const weekdayNames = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/**
 * The number of days before each month, in years that start in March, so that a leap day is the
 * last day.
 */
const daysBefore = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275] as const;

/**
 * Returns the epoch milliseconds of midnight UTC; `month` counts from 1. Years below 100 are not
 * interpreted as abbreviations.
 */
export function dateToMs(year: number, month: number, day: number): number {
  const before = daysBefore[month - 1];
  // The runtime's `Date` takes ten times as long, but handles months and years out of range.
  if (before === undefined || !(Math.abs(year) < 200_000)) {
    return new Date(0).setUTCFullYear(year, month - 1, day);
  }
  const from = month > 2 ? year : year - 1;
  const leapDays = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400);
  return (from * 365 + leapDays + before + day - daysToEpoch) * dayMs;
}

/** The number of days from the day before 1 March of the year 0 to 1970-01-01. */
const daysToEpoch = 719_469;

/** Returns the day of the week: 1 for Monday to 7 for Sunday. */
export function weekdayOf(localMs: number): number {
  return new Date(localMs).getUTCDay() || 7;
}

/** Returns the day of the year, from 1. */
export function dayOfYearOf(localMs: number): number {
  const date = new Date(localMs);
  return Math.floor((localMs - dateToMs(date.getUTCFullYear(), 1, 1)) / dayMs) + 1;
}

/** Returns the ISO 8601 week, and the year that it belongs to: that of its Thursday. */
export function weekOf(localMs: number): { readonly year: number; readonly week: number } {
  const thursdayMs = localMs + (4 - weekdayOf(localMs)) * dayMs;
  return {
    year: new Date(thursdayMs).getUTCFullYear(),
    week: Math.ceil(dayOfYearOf(thursdayMs) / 7),
  };
}

/** Returns midnight of the Monday of an ISO 8601 week. */
export function weekToMs(year: number, week: number): number {
  const januaryFourthMs = dateToMs(year, 1, 4);
  return januaryFourthMs + (week - 1) * weekMs - (weekdayOf(januaryFourthMs) - 1) * dayMs;
}

/** Returns the number of days of a month; months count from 1. */
export function daysInMonth(year: number, month: number): number {
  return (
    (dateToMs(month === 12 ? year + 1 : year, (month % 12) + 1, 1) - dateToMs(year, month, 1)) /
    dayMs
  );
}

/** The range of JavaScript's calendar: 100 million days on either side of 1970. */
const epochMsMax = 8.64e15;

/** @throws EXPRESSION_FAILED when the instant is outside the calendar */
export function checkedEpochMs(epochMs: number): number {
  if (!(Math.abs(epochMs) <= epochMsMax)) {
    throw expressionFailed(`${epochMs} ms is outside the calendar, which ends in the year 275760.`);
  }
  return epochMs;
}

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
] as const;

/** A unit for truncating dates and for moving them. */
export type CalendarUnit = (typeof units)[number];

/** Parses a unit, in any case. @throws EXPRESSION_FAILED when there is no such unit */
export function parseCalendarUnit(text: string): CalendarUnit {
  const unit = units.find((each) => each === text.toUpperCase());
  if (unit === undefined) {
    throw expressionFailed(`‘${text.slice(0, 40)}’ is not a unit: expected ${units.join(', ')}.`);
  }
  return unit;
}

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
};

/**
 * Returns the first millisecond of the unit that contains an instant in a zone; weeks begin on
 * Monday.
 */
export function truncateInstant(epochMs: number, unit: CalendarUnit, zone: Zone): number {
  checkedEpochMs(epochMs);
  const offsetMs = zone.offsetMsAt(epochMs);
  const fixed = fixedMs[unit];
  // Within a day the offset of the instant is used, even if the clocks were changed since the start
  // of the unit.
  if (fixed !== undefined && fixed < dayMs) {
    return Math.floor((epochMs + offsetMs) / fixed) * fixed - offsetMs;
  }
  const floor = truncateLocal(toLocal(epochMs, zone), unit);
  return floor - offsetMs + zone.offsetMsAt(floor - offsetMs) === floor
    ? floor - offsetMs
    : fromLocal(floor, zone);
}

function truncateLocal(localMs: number, unit: CalendarUnit): number {
  if (unit === 'DAY') return Math.floor(localMs / dayMs) * dayMs;
  if (unit === 'WEEK') {
    return Math.floor(localMs / dayMs) * dayMs - (weekdayOf(localMs) - 1) * dayMs;
  }
  const months = monthIndex(localMs);
  const size = monthCounts[unit] ?? 1;
  return monthToMs(Math.floor(months / size) * size);
}

/**
 * Moves an instant by a number of units in UTC; the 31st becomes the last day of a shorter month.
 *
 * @throws EXPRESSION_FAILED when the result does not fit 64 bits, or is outside the calendar
 */
export function addUnits(epochMs: number, count: number, unit: CalendarUnit): number {
  const fixed = fixedMs[unit];
  if (fixed !== undefined) return checkedSpan(epochMs + count * fixed);
  const months = monthIndex(checkedEpochMs(epochMs)) + count * (monthCounts[unit] ?? 1);
  const day = new Date(epochMs).getUTCDate();
  const timeMs = epochMs - Math.floor(epochMs / dayMs) * dayMs;
  const year = Math.floor(months / 12);
  return checkedEpochMs(
    monthToMs(months) +
      (Math.min(day, daysInMonth(year, months - year * 12 + 1)) - 1) * dayMs +
      timeMs,
  );
}

function checkedSpan(ms: number): number {
  if (Math.abs(ms) < 2 ** 63) return ms;
  throw expressionFailed(`${ms} ms does not fit 64 bits.`);
}

/**
 * Counts the whole units between two instants in UTC; negative if the second is earlier.
 * @throws EXPRESSION_FAILED as `addUnits`
 */
export function countUnits(fromMs: number, toMs: number, unit: CalendarUnit): number {
  const fixed = fixedMs[unit];
  if (fixed !== undefined) return Math.trunc(checkedSpan(toMs - fromMs) / fixed);
  if (toMs < fromMs) return -countUnits(toMs, fromMs, unit);
  const size = monthCounts[unit] ?? 1;
  checkedEpochMs(fromMs);
  let months = monthIndex(checkedEpochMs(toMs)) - monthIndex(fromMs);
  if (months > 0 && addUnits(fromMs, months, 'MONTH') > toMs) months -= 1;
  return Math.trunc(months / size);
}

/** Returns the months since the year 0. */
function monthIndex(epochMs: number): number {
  const date = new Date(epochMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function monthToMs(index: number): number {
  const year = Math.floor(index / 12);
  return dateToMs(year, index - year * 12 + 1, 1);
}
