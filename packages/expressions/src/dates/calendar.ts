import { expressionFailed } from '../language/expression-error.ts';

export const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

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

/** Monday first, as ISO 8601 numbers them from 1. */
export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Epoch milliseconds of midnight UTC; `month` from 1. Years below 100 are those years. */
export function dateToMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(localMs: number): number {
  return new Date(localMs).getUTCDay() || 7;
}

/** From 1 on. */
export function dayOfYearOf(localMs: number): number {
  const date = new Date(localMs);
  return Math.floor((localMs - dateToMs(date.getUTCFullYear(), 1, 1)) / dayMs) + 1;
}

/** The week of ISO 8601, and the year that it counts to: that of its Thursday. */
export function weekOf(localMs: number): { readonly year: number; readonly week: number } {
  const thursdayMs = localMs + (4 - weekdayOf(localMs)) * dayMs;
  return { year: new Date(thursdayMs).getUTCFullYear(), week: Math.ceil(dayOfYearOf(thursdayMs) / 7) };
}

/** Midnight of the Monday of a week of ISO 8601. */
export function weekToMs(year: number, week: number): number {
  const januaryFourthMs = dateToMs(year, 1, 4);
  return januaryFourthMs + (week - 1) * weekMs - (weekdayOf(januaryFourthMs) - 1) * dayMs;
}

/** Days of a month, from 1. */
export function daysInMonth(year: number, month: number): number {
  return new Date(dateToMs(year, month + 1, 0)).getUTCDate();
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
