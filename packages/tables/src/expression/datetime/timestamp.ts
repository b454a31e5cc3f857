import { expressionFailed } from '../expression-error.ts';
import { checkedEpochMs } from './date-range.ts';
import { dateToMs, daysInMonth } from './calendar.ts';
import { findZone } from './zone.ts';

const timestampPattern =
  /^(-?\d{4,6})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Reads a timestamp: `2024-02-29 12:30:00.5`, ISO 8601 with `T` and an offset, a date alone, or epoch milliseconds as text. UTC
 * unless it says otherwise.
 *
 * @throws EXPRESSION_FAILED when it is none
 */
export function parseTimestamp(text: string): number {
  const trimmed = text.trim();
  if (/^-?\d{1,16}$/.test(trimmed) && !/^\d{4}$/.test(trimmed)) return checkedEpochMs(Number(trimmed));
  const match = timestampPattern.exec(trimmed);
  if (match === null) throw notTimestamp(text);
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const isDate = date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= daysInMonth(date.year, date.month);
  if (!isDate || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw notTimestamp(text);
  const timeMs =
    ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offsetMs = findZone(zone).offsetMsAt(0);
  return checkedEpochMs(dateToMs(date.year, date.month, date.day) + timeMs - offsetMs);
}

/** Writes a timestamp in UTC as cells show it: `yyyy-MM-dd HH:mm:ss.f`, with at least one digit of the fraction. */
export function formatTimestamp(epochMs: number): string {
  const iso = new Date(epochMs).toISOString();
  return iso
    .replace('T', ' ')
    .replace('Z', '')
    .replace(/(\.\d+?)0+$/, '$1');
}

function notTimestamp(text: string): Error {
  return expressionFailed(
    `‘${text.slice(0, 40)}’ is no timestamp; expected yyyy-MM-dd HH:mm:ss.SSS, ISO 8601 or epoch milliseconds.`,
  );
}
