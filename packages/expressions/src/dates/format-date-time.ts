import { dayOfYearOf, monthNames, weekdayNames, weekdayOf, weekOf } from './calendar.ts';
import type { DateTimePattern, NumberLetter, PatternField } from './date-time-pattern.ts';
import { nameAt, type Zone } from './zone.ts';

/** Writes an instant as the clocks of a zone show it. */
export function formatDateTime(epochMs: number, { fields }: DateTimePattern, zone: Zone): string {
  const offsetMs = zone.offsetMsAt(epochMs);
  const local = new Date(epochMs + offsetMs);
  let written = '';
  for (const field of fields) written += formatField(field, local, offsetMs, zone);
  return written;
}

function formatField(field: PatternField, local: Date, offsetMs: number, zone: Zone): string {
  switch (field.kind) {
    case 'literal':
      return field.text;
    case 'month':
      return shorten(monthNames[local.getUTCMonth()], field.isLong);
    case 'weekday':
      return shorten(weekdayNames[weekdayOf(local.getTime()) - 1], field.isLong);
    case 'halfday':
      return local.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'era':
      return local.getUTCFullYear() > 0 ? 'AD' : 'BC';
    case 'offset':
      return formatOffset(offsetMs, field.hasColon);
    case 'zoneId':
      return zone.name;
    case 'zoneName':
      return nameAt(zone, local.getTime() - offsetMs, field.isLong);
    case 'shortYear':
      return String(Math.abs(numberOf(field.letter, local)) % 100).padStart(2, '0');
    case 'number':
      return formatNumber(field.letter, field.width, local);
  }
}

function formatNumber(letter: NumberLetter, width: number, local: Date): string {
  if (letter === 'S') return String(local.getUTCMilliseconds()).padStart(3, '0').padEnd(width, '0').slice(0, width);
  const value = numberOf(letter, local);
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
}

function numberOf(letter: Exclude<NumberLetter, 'S'>, local: Date): number {
  const hour = local.getUTCHours();
  const year = local.getUTCFullYear();
  switch (letter) {
    case 'C':
      return Math.floor((year > 0 ? year : 1 - year) / 100);
    case 'Y':
      return year > 0 ? year : 1 - year;
    case 'y':
      return year;
    case 'x':
      return weekOf(local.getTime()).year;
    case 'w':
      return weekOf(local.getTime()).week;
    case 'e':
      return weekdayOf(local.getTime());
    case 'D':
      return dayOfYearOf(local.getTime());
    case 'M':
      return local.getUTCMonth() + 1;
    case 'd':
      return local.getUTCDate();
    case 'H':
      return hour;
    case 'k':
      return hour === 0 ? 24 : hour;
    case 'K':
      return hour % 12;
    case 'h':
      return hour % 12 || 12;
    case 'm':
      return local.getUTCMinutes();
    case 's':
      return local.getUTCSeconds();
  }
}

function formatOffset(offsetMs: number, hasColon: boolean): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const colon = hasColon ? ':' : '';
  const start = (offsetMs < 0 ? '-' : '+') + twoDigits(Math.trunc(minutes / 60)) + colon + twoDigits(minutes % 60);
  return start;
}

function shorten(name: string | undefined, isLong: boolean): string {
  return isLong ? (name ?? '') : (name ?? '').slice(0, 3);
}
