import {
  dateToMs,
  dayMs,
  dayOfYearOf,
  daysInMonth,
  weekdayOf,
  weekMs,
  weekOf,
  weekToMs,
} from './calendar.ts';
import type { NumberLetter } from './date-time-pattern.ts';

/**
 * Numbers by the letters of the pattern that they belong to, in the order in which they were read.
 * `a` is 0 for AM and 1 for PM, `G` is 0 for BC and 1 for AD.
 */
export type DateNumbers = { [Letter in NumberLetter | 'a' | 'E' | 'G']?: number };

/** A field of a date: Joda-Time sets it on an instant of a clock in UTC. */
interface DateField {
  /** Fields of longer spans are set before those of shorter ones. */
  readonly rank: number;
  readonly min: number;
  max(localMs: number): number;
  set(localMs: number, value: number): number;
  /** Returns the first millisecond that has the same field. */
  floor(localMs: number): number;
}

/**
 * The ranks of the fields from the month to the day of the week, which refer to the year 2000 if
 * the pattern has no year.
 */
const ranksOfYear = { min: 3, max: 7 } as const;
const yearWithoutYear = 2000;

/**
 * Returns the local time as epoch milliseconds in UTC; undefined if there is no such date or time.
 *
 * Joda-Time starts from 1970-01-01 and sets one field after another: first all of them, truncating
 * smaller fields, then all of them again. Fields that contradict each other therefore give the same
 * result as in Joda-Time.
 */
export function instantOfFields(read: DateNumbers): number | undefined {
  const given = (Object.entries(read) as [keyof typeof fields, number][])
    .map(([letter, value]) => ({ field: fields[letter], value }))
    .toSorted((left, right) => left.field.rank - right.field.rank);
  const rank = given[0]?.field.rank ?? 0;
  if (rank >= ranksOfYear.min && rank <= ranksOfYear.max) {
    given.unshift({ field: fields.y, value: yearWithoutYear });
  }
  let localMs = 0;
  for (const isAgain of [false, true]) {
    for (const [index, { field, value }] of given.entries()) {
      if (value < field.min || value > field.max(localMs)) return undefined;
      localMs = field.set(localMs, value);
      if (!isAgain || index === given.length - 1) localMs = field.floor(localMs);
    }
  }
  return localMs;
}

/** The first year of Joda-Time's calendar, which is the result of truncating to the era BC. */
const firstYear = -292_275_055;

function yearOf(localMs: number): number {
  return Number.isFinite(localMs) ? new Date(localMs).getUTCFullYear() : firstYear;
}

function isLeapYear(year: number): boolean {
  return daysInMonth(year, 2) === 29;
}

/** Returns the same day of another year: after February the same day of the same month. */
function withYear(localMs: number, year: number): number {
  if (!Number.isFinite(localMs)) return dateToMs(year, 1, 1);
  const [from, day] = [yearOf(localMs), dayOfYearOf(localMs)];
  const shift = day > 59 ? Number(isLeapYear(year)) - Number(isLeapYear(from)) : 0;
  return dateToMs(year, 1, day + shift) + timeOf(localMs);
}

/** Returns the same day of the same week of another year, or of its last week. */
function withWeekyear(localMs: number, year: number): number {
  const { year: from, week } = weekOf(localMs);
  if (from === year) return localMs;
  const last = Math.min(weeksIn(from), weeksIn(year));
  const dayOfWeek = (weekdayOf(localMs) - 1) * dayMs;
  return weekToMs(year, Math.min(week, last)) + dayOfWeek + timeOf(localMs);
}

function weeksIn(year: number): number {
  return (weekToMs(year + 1, 1) - weekToMs(year, 1)) / weekMs;
}

function withMonth(localMs: number, month: number): number {
  const year = yearOf(localMs);
  const day = Math.min(new Date(localMs).getUTCDate(), daysInMonth(year, month));
  return dateToMs(year, month, day) + timeOf(localMs);
}

function timeOf(localMs: number): number {
  return localMs - floorTo(localMs, dayMs);
}

function floorTo(localMs: number, unitMs: number): number {
  return Math.floor(localMs / unitMs) * unitMs;
}

const yearMax = 292_278_993;
const yearFloor = (localMs: number): number => dateToMs(yearOf(localMs), 1, 1);
const weekFloor = (localMs: number): number =>
  floorTo(localMs, dayMs) - (weekdayOf(localMs) - 1) * dayMs;

/** Creates a field that moves an instant by its unit. */
function steps(
  rank: number,
  unitMs: number,
  of: (localMs: number) => number,
  range: { readonly min: number; readonly max: number | ((localMs: number) => number) },
  floor = (localMs: number): number => floorTo(localMs, unitMs),
): DateField {
  const { min, max } = range;
  return {
    rank,
    min,
    max: typeof max === 'number' ? () => max : max,
    set: (localMs, value) => localMs + (value - of(localMs)) * unitMs,
    floor,
  };
}

/** Creates a field of the time of day: units within a longer unit. */
function timeField(rank: number, unitMs: number, withinMs: number): DateField {
  const of = (localMs: number): number =>
    Math.floor((localMs - floorTo(localMs, withinMs)) / unitMs);
  return steps(rank, unitMs, of, { min: 0, max: withinMs / unitMs - 1 });
}

/** Creates the same field with values starting at 1, whose last value represents 0. */
function clockField(field: DateField): DateField {
  const last = field.max(0) + 1;
  return {
    ...field,
    min: 1,
    max: () => last,
    set: (localMs, value) => field.set(localMs, value % last),
  };
}

const hourMs = 3_600_000;
const weekday = steps(7, dayMs, weekdayOf, { min: 1, max: 7 });
const hour = timeField(9, hourMs, dayMs);
const hourOfHalfday = timeField(10, hourMs, dayMs / 2);

const fields: Readonly<Record<keyof DateNumbers, DateField>> = {
  G: {
    rank: 0,
    min: 0,
    max: () => 1,
    set: (localMs, era) =>
      yearOf(localMs) > 0 === (era === 1) ? localMs : withYear(localMs, -yearOf(localMs)),
    floor: (localMs) => (yearOf(localMs) > 0 ? dateToMs(1, 1, 1) : -Infinity),
  },
  C: {
    rank: 1,
    min: 0,
    max: () => yearMax / 100,
    set: (localMs, century) => {
      const year = yearOf(localMs);
      const changed = century * 100 + (Math.abs(year) % 100);
      return withYear(localMs, year < 0 ? -changed : changed);
    },
    floor: (localMs) => {
      const year = Math.abs(yearOf(localMs));
      const first = year - (year % 100);
      return dateToMs(yearOf(localMs) < 0 ? -first : first, 1, 1);
    },
  },
  y: { rank: 2, min: firstYear, max: () => yearMax, set: withYear, floor: yearFloor },
  Y: {
    rank: 2,
    min: 1,
    max: () => yearMax,
    set: (localMs, year) => withYear(localMs, yearOf(localMs) <= 0 ? 1 - year : year),
    floor: yearFloor,
  },
  x: {
    rank: 2,
    min: firstYear,
    max: () => yearMax,
    set: withWeekyear,
    floor: (localMs) => weekToMs(weekOf(localMs).year, 1),
  },
  M: {
    rank: 3,
    min: 1,
    max: () => 12,
    set: withMonth,
    floor: (localMs) => dateToMs(yearOf(localMs), new Date(localMs).getUTCMonth() + 1, 1),
  },
  w: steps(
    4,
    weekMs,
    (localMs) => weekOf(localMs).week,
    { min: 1, max: (localMs) => weeksIn(weekOf(localMs).year) },
    weekFloor,
  ),
  D: steps(5, dayMs, dayOfYearOf, {
    min: 1,
    max: (localMs) => (isLeapYear(yearOf(localMs)) ? 366 : 365),
  }),
  d: steps(6, dayMs, (localMs) => new Date(localMs).getUTCDate(), {
    min: 1,
    max: (localMs) => daysInMonth(yearOf(localMs), new Date(localMs).getUTCMonth() + 1),
  }),
  e: weekday,
  E: weekday,
  a: timeField(8, dayMs / 2, dayMs),
  H: hour,
  k: clockField(hour),
  K: hourOfHalfday,
  h: clockField(hourOfHalfday),
  m: timeField(11, 60_000, hourMs),
  s: timeField(12, 1000, 60_000),
  S: timeField(13, 1, 1000),
};
