import { expressionFailed } from '../expression-error.ts';
import { monthNames, weekdayNames } from './calendar.ts';
import { checkedEpochMs } from './date-range.ts';
import type { DateTimePattern, NumberLetter, PatternField } from './date-time-pattern.ts';
import { localMsOf, type ReadNumbers } from './local-time.ts';
import { findZone, type Zone } from './zone.ts';

/** What has been read of a text so far. */
interface Reading {
  readonly text: string;
  position: number;
  readonly numbers: ReadNumbers;
  /** The zone or offset that the text itself names. */
  zone: Zone | undefined;
}

/**
 * Reads a text by a pattern to the instant that the clocks of a zone showed so; a zone or offset in the text goes before `zone`.
 *
 * Fields that the pattern does not have are those of 1970-01-01T00:00:00; a month or day without a year is of 2000, a leap year.
 * A time that a change of clocks made appear twice is the earlier one.
 *
 * @throws EXPRESSION_FAILED when the text does not fit the pattern, there is no such date, or clocks skipped the time
 */
export function parseDateTime(text: string, pattern: DateTimePattern, zone: Zone): number {
  const reading: Reading = { text, position: 0, numbers: {}, zone: undefined };
  for (const field of pattern.fields) {
    if (!readField(reading, field)) throw mismatch(text, pattern, reading.position);
  }
  if (reading.position < text.length) throw mismatch(text, pattern, reading.position);
  const localMs = localMsOf(reading.numbers);
  if (localMs === undefined) throw expressionFailed(`There is no date ‘${text}’ by the pattern ${pattern.text}.`);
  return checkedEpochMs(instantOf(localMs, reading.zone ?? zone, text));
}

function readField(reading: Reading, field: PatternField): boolean {
  switch (field.kind) {
    case 'literal':
      return take(reading, reading.text.startsWith(field.text, reading.position) ? field.text.length : 0);
    case 'number':
      return readNumber(reading, field);
    case 'month':
      return readName(reading, monthNames, 'M');
    case 'weekday':
      return readName(reading, weekdayNames, 'e');
    case 'halfday':
      return readName(reading, ['AM', 'PM'], 'a');
    case 'offset':
      return readZone(reading, field.zulu ? /(?:Z|[+-]\d{2}(?::?\d{2})?)/y : /[+-]\d{2}(?::?\d{2})?|Z/y);
    case 'zone':
      return readZone(reading, /[A-Za-z][\w/+-]*|[+-]\d{2}(?::?\d{2})?/y);
  }
}

function take(reading: Reading, length: number): boolean {
  reading.position += length;
  return length > 0;
}

function readNumber(reading: Reading, field: { letter: NumberLetter; width: number; widthMax: number }): boolean {
  const { text } = reading;
  const isYear = field.letter === 'y' || field.letter === 'x';
  const isNegative = isYear && text[reading.position] === '-';
  const start = reading.position + (isNegative ? 1 : 0);
  let end = start;
  while (end < text.length && end - start < field.widthMax && isDigit(text.charCodeAt(end))) end += 1;
  if (end === start) return false;
  const digits = text.slice(start, end);
  reading.position = end;
  reading.numbers[field.letter] = numberOf(digits, field, isYear) * (isNegative ? -1 : 1);
  return true;
}

/** Two digits of a year are of 1970 to 2069; digits of a second are its fraction, in milliseconds. */
function numberOf(digits: string, field: { letter: NumberLetter; width: number }, isYear: boolean): number {
  if (field.letter === 'S') return Math.trunc(Number(`0.${digits}`) * 1000 + 1e-6);
  const value = Number(digits);
  return isYear && field.width === 2 && digits.length === 2 ? value + (value < 70 ? 2000 : 1900) : value;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The long name or its first three letters, in any case. */
function readName(reading: Reading, names: readonly string[], letter: 'M' | 'e' | 'a'): boolean {
  const rest = reading.text.slice(reading.position, reading.position + 9).toLowerCase();
  for (const [index, name] of names.entries()) {
    const long = name.toLowerCase();
    const found = rest.startsWith(long) ? long : rest.startsWith(long.slice(0, 3)) ? long.slice(0, 3) : undefined;
    if (found === undefined) continue;
    reading.numbers[letter] = letter === 'a' ? index : index + 1;
    return take(reading, found.length);
  }
  return false;
}

function readZone(reading: Reading, shape: RegExp): boolean {
  shape.lastIndex = reading.position;
  const name = shape.exec(reading.text)?.[0];
  if (name === undefined) return false;
  reading.zone = findZone(name);
  return take(reading, name.length);
}

/** Tries the offsets of a day before and after, between which any change of clocks lies: the earlier instant first. */
function instantOf(localMs: number, zone: Zone, text: string): number {
  const offsets = [zone.offsetMsAt(localMs - 86_400_000), zone.offsetMsAt(localMs + 86_400_000)];
  const instants = offsets.map((offsetMs) => localMs - offsetMs).filter((ms) => ms + zone.offsetMsAt(ms) === localMs);
  if (instants.length === 0) throw expressionFailed(`The clocks of ${zone.name} never showed ‘${text}’: they were put forward.`);
  return Math.min(...instants);
}

function mismatch(text: string, pattern: DateTimePattern, position: number): Error {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return expressionFailed(`‘${shown}’ does not fit the date pattern ${pattern.text} from character ${position + 1} on.`);
}
