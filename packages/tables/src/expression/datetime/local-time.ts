import { dateToMs, dayMs, daysInMonth, weekToMs } from './calendar.ts';
import type { NumberLetter } from './date-time-pattern.ts';

/** Numbers by the letter of the pattern that they were read for; `a` is 0 for AM and 1 for PM. */
export type ReadNumbers = { [Letter in NumberLetter | 'a']?: number };

/** What clocks showed, as epoch milliseconds of a clock in UTC; undefined when there is no such date or time. */
export function localMsOf(read: ReadNumbers): number | undefined {
  const dateMs = dateMsOf(read);
  const hour = hourOf(read);
  const { m: minute = 0, s: second = 0, S: millisecond = 0 } = read;
  if (dateMs === undefined || hour === undefined || minute > 59 || second > 59) return undefined;
  return dateMs + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}

function dateMsOf(read: ReadNumbers): number | undefined {
  const { x: weekYear, w: week, e: weekday = 1, D: dayOfYear } = read;
  if (week !== undefined) {
    return week >= 1 && week <= 53 ? weekToMs(weekYear ?? read.y ?? 1970, week) + (weekday - 1) * dayMs : undefined;
  }
  const year = read.y ?? weekYear ?? (read.M === undefined && read.d === undefined ? 1970 : 2000);
  if (dayOfYear !== undefined) {
    const ms = dateToMs(year, 1, dayOfYear);
    return dayOfYear >= 1 && new Date(ms).getUTCFullYear() === year ? ms : undefined;
  }
  const { M: month = 1, d: day = 1 } = read;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return dateToMs(year, month, day);
}

function hourOf({ H, k, h, K, a = 0 }: ReadNumbers): number | undefined {
  if (H !== undefined) return H < 24 ? H : undefined;
  if (k !== undefined) return k >= 1 && k <= 24 ? k % 24 : undefined;
  if (h !== undefined) return h >= 1 && h <= 12 ? (h % 12) + a * 12 : undefined;
  if (K !== undefined) return K < 12 ? K + a * 12 : undefined;
  return a * 12;
}
