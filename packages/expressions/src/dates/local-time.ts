import { dateToMs, dayMs, daysInMonth, weekdayOf, weekToMs } from './calendar.ts';
import type { NumberLetter } from './date-time-pattern.ts';

/** Numbers by the letter of the pattern that they were read for; `a` and `G` are 0 or 1 for AM and PM, BC and AD. */
export type ReadNumbers = { [Letter in NumberLetter | 'a' | 'E' | 'G']?: number };

/** What clocks showed, as epoch milliseconds of a clock in UTC; undefined when there is no such date or time. */
export function localMsOf(read: ReadNumbers): number | undefined {
  const dateMs = dateMsOf(read);
  const hour = hourOf(read);
  const { m: minute = 0, s: second = 0, S: millisecond = 0 } = read;
  if (dateMs === undefined || hour === undefined || minute > 59 || second > 59) return undefined;
  return dateMs + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** A day of the week moves the date within its week. */
function dateMsOf(read: ReadNumbers): number | undefined {
  const dateMs = dateWithoutWeekday(read);
  const weekday = read.E ?? read.e;
  if (dateMs === undefined || weekday === undefined) return dateMs;
  return weekday >= 1 && weekday <= 7 ? dateMs + (weekday - weekdayOf(dateMs)) * dayMs : undefined;
}

function dateWithoutWeekday(read: ReadNumbers): number | undefined {
  const { x: weekYear, w: week, D: dayOfYear } = read;
  const year = yearOf(read);
  if (weekYear !== undefined || (week !== undefined && read.M === undefined && read.d === undefined)) {
    const weeksYear = weekYear ?? year;
    const at = week ?? 1;
    const ms = weekToMs(weeksYear, at);
    const last = weekToMs(weeksYear + 1, 1);
    return at >= 1 && ms < last ? ms : undefined;
  }
  if (dayOfYear !== undefined) {
    const ms = dateToMs(year, 1, dayOfYear);
    return dayOfYear >= 1 && new Date(ms).getUTCFullYear() === year ? ms : undefined;
  }
  const { M: month = 1, d: day = 1 } = read;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return dateToMs(year, month, day);
}

function yearOf(read: ReadNumbers): number {
  const base = read.M === undefined && read.d === undefined ? 1970 : 2000;
  const year = read.y ?? read.Y ?? (read.C === undefined ? base : read.C * 100 + (base % 100));
  return read.G === 0 ? 1 - year : year;
}

function hourOf({ H, k, h, K, a = 0 }: ReadNumbers): number | undefined {
  if (H !== undefined) return H < 24 ? H : undefined;
  if (k !== undefined) return k >= 1 && k <= 24 ? k % 24 : undefined;
  if (h !== undefined) return h >= 1 && h <= 12 ? (h % 12) + a * 12 : undefined;
  if (K !== undefined) return K < 12 ? K + a * 12 : undefined;
  return a * 12;
}
