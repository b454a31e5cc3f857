import { expressionFailed } from '../values/expression-error.ts';
import {
  checkedEpochMs,
  dateToMs,
  dayMs,
  daysInMonth,
  monthNames,
  weekdayNames,
} from './calendar.ts';
import { type DateNumbers, instantOfFields } from './date-fields.ts';
import {
  type DateTimePattern,
  type NumberLetter,
  parseDateTimePattern,
  type PatternField,
} from './date-time-pattern.ts';
import { isZoneId, jodaZone, shortNames, utc, type Zone } from './zone.ts';

/** The state of reading a text. */
interface Reading {
  readonly text: string;
  readonly nowYear: () => number;
  position: number;
  readonly numbers: DateNumbers;
  /** The zone or offset that the text itself names. */
  zone: Zone | undefined;
}

/**
 * Parses a local time by a pattern and returns its instant, as Joda-Time does. A zone or offset in
 * the text takes precedence over `zone`.
 *
 * Missing fields default to 1970-01-01T00:00:00; the default year of a month or day is 2000, a leap
 * year. Years of two digits are from 80 years before `nowYear` to 19 years after it. If a local
 * time occurs twice when clocks change, the earlier instant is used.
 *
 * @throws EXPRESSION_FAILED when the text does not match the pattern, the date does not exist, or
 * the time was skipped when clocks changed
 */
export function parseDateTime(
  text: string,
  pattern: DateTimePattern,
  zone: Zone,
  nowYear: () => number,
): number {
  const plainMs = pattern.isPlain ? readPlain(text, pattern.fields) : undefined;
  if (plainMs !== undefined) return checkedEpochMs(instantOf(plainMs, zone, text));
  const reading: Reading = { text, nowYear, position: 0, numbers: {}, zone: undefined };
  for (const field of pattern.fields) {
    if (!readField(reading, field)) throw mismatch(text, pattern, reading.position);
  }
  if (reading.position < text.length) throw mismatch(text, pattern, reading.position);
  const localMs = pattern.isPlain ? localMsOf(reading.numbers) : instantOfFields(reading.numbers);
  if (localMs === undefined) {
    throw expressionFailed(`The date ‘${text}’ does not exist (pattern ${pattern.text}).`);
  }
  return checkedEpochMs(instantOf(localMs, reading.zone ?? zone, text));
}

/**
 * Parses a text by a plain pattern of numbers and literals, without creating an object for its
 * fields. Returns undefined if the pattern has other fields, or the text does not match.
 */
function readPlain(text: string, fields: DateTimePattern['fields']): number | undefined {
  let [year, month, day, hour, minute, second] = [-1, -1, -1, 0, 0, 0];
  let position = 0;
  for (const field of fields) {
    if (field.kind === 'literal') {
      if (!text.startsWith(field.text, position)) return undefined;
      position += field.text.length;
      continue;
    }
    if (field.kind !== 'number' || field.widthMax > 9) return undefined;
    const stop = Math.min(text.length, position + field.widthMax);
    let end = position;
    while (end < stop && isDigit(text.charCodeAt(end))) end += 1;
    if (end === position) return undefined;
    const value = readDigits(text, position, end);
    position = end;
    switch (field.letter) {
      case 'y':
        year = value;
        break;
      case 'M':
        month = value;
        break;
      case 'd':
        day = value;
        break;
      case 'H':
        hour = value;
        break;
      case 'm':
        minute = value;
        break;
      case 's':
        second = value;
        break;
      default:
        return undefined;
    }
  }
  if (position < text.length || hour > 23 || minute > 59 || second > 59) return undefined;
  if (year < 0) year = month < 0 && day < 0 ? 1970 : 2000;
  const dateMs = existingDateMs(year, month < 0 ? 1 : month, day < 0 ? 1 : day);
  return dateMs === undefined ? undefined : dateMs + ((hour * 60 + minute) * 60 + second) * 1000;
}

function readField(reading: Reading, field: PatternField): boolean {
  switch (field.kind) {
    case 'literal': {
      const { text, position } = reading;
      const found = text.startsWith(field.text, position)
        ? field.text
        : text.slice(position, position + field.text.length);
      if (found !== field.text && found.toLowerCase() !== field.text.toLowerCase()) return false;
      reading.position += field.text.length;
      return true;
    }
    case 'number':
      return readNumber(reading, field.letter, field.widthMax);
    case 'shortYear':
      return readShortYear(reading, field.letter, field.isLenient);
    case 'month':
      return readName(reading, monthNames, 'M', 1);
    case 'weekday':
      return readName(reading, weekdayNames, 'E', 1);
    case 'halfday':
      return readName(reading, ['AM', 'PM'], 'a', 0);
    case 'era':
      return readName(reading, ['BCE', 'CE'], 'G', 0) || readName(reading, ['BC', 'AD'], 'G', 0);
    case 'offset':
      return readOffset(reading);
    case 'zoneId':
      return readZoneName(reading, /[\w/+:-]+/y, (name) =>
        isZoneId(name) ? jodaZone(name) : undefined,
      );
    case 'zoneName':
      return !field.isLong && readZoneName(reading, /[A-Z]+/y, (name) => shortNames.get(name));
  }
}

function readNumber(reading: Reading, letter: NumberLetter, widthMax: number): boolean {
  const { text } = reading;
  const mayHaveSign = letter === 'y' || letter === 'x' || letter === 'Y' || letter === 'C';
  const isBare = !mayHaveSign || isDigit(text.charCodeAt(reading.position));
  const sign = isBare
    ? ''
    : (/^[+-](?=\d)/.exec(text.slice(reading.position, reading.position + 2))?.[0] ?? '');
  const start = reading.position + sign.length;
  let end = start;
  while (end < text.length && end - start < widthMax && isDigit(text.charCodeAt(end))) end += 1;
  if (end === start) return false;
  reading.position = end;
  // The digits of `S` are the fraction of a second, in milliseconds.
  const value =
    letter === 'S'
      ? Number(text.slice(start, end).padEnd(3, '0').slice(0, 3))
      : readDigits(text, start, end);
  reading.numbers[letter] = sign === '-' ? -value : value;
  return true;
}

/**
 * Reads up to nine digits one by one, which is faster than the runtime's parser, since that needs a
 * substring.
 */
function readDigits(text: string, start: number, end: number): number {
  if (end - start > 9) return Number(text.slice(start, end));
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

function readShortYear(reading: Reading, letter: 'y' | 'x', isLenient: boolean): boolean {
  const start = reading.position;
  const digits = /^\d*/.exec(reading.text.slice(start, start + 10))?.[0] ?? '';
  if (!isLenient || digits.length === 2) {
    if (digits.length < 2) return false;
    const short = Number(digits.slice(0, 2));
    const low = reading.nowYear() - 80;
    const century = Math.floor(low / 100) * 100;
    reading.numbers[letter] = century + short + (short < low - century ? 100 : 0);
    reading.position += 2;
    return true;
  }
  return readNumber(reading, letter, 9);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Reads a long name or its first three letters: as written, in upper case or in lower case. */
function readName(
  reading: Reading,
  names: readonly string[],
  letter: 'M' | 'E' | 'a' | 'G',
  first: number,
): boolean {
  for (const length of [9, 3]) {
    for (const [index, name] of names.entries()) {
      const short = name.slice(0, length);
      const found = reading.text.slice(reading.position, reading.position + short.length);
      if (found !== short && found !== short.toUpperCase() && found !== short.toLowerCase()) {
        continue;
      }
      reading.numbers[letter] = index + first;
      reading.position += short.length;
      return true;
    }
  }
  return false;
}

/**
 * Matches `Z`, `+05`, `+05:30` or `+0530`, optionally with seconds, with colons throughout or with
 * none.
 */
const offsetInText =
  /^(?:[zZ]|([+-])(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,3})|(?![.,]))|(?!:))|(\d\d)(?:(\d\d)(\d{1,3})?|(?!\d))|(?![:\d])))/;

function readOffset(reading: Reading): boolean {
  const { text, position } = reading;
  const parts = offsetInText.exec(text.slice(position, position + 13));
  if (parts === null) return false;
  const [whole, sign, hours = '0', m1, s1, f1, m2, s2, f2] = parts;
  const [minutes, seconds, fraction] = [m1 ?? m2 ?? '0', s1 ?? s2 ?? '0', f1 ?? f2 ?? ''];
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return false;
  const offsetMs =
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 +
    Number(fraction.padEnd(3, '0'));
  const signed = sign === '-' ? -offsetMs : offsetMs;
  reading.zone = { name: whole, offsetMsAt: () => signed };
  reading.position += whole.length;
  return true;
}

/** Reads the longest known name. */
function readZoneName(
  reading: Reading,
  shape: RegExp,
  find: (name: string) => Zone | undefined,
): boolean {
  shape.lastIndex = reading.position;
  const longest = shape.exec(reading.text)?.[0] ?? '';
  for (let length = Math.min(longest.length, 40); length > 0; length -= 1) {
    const zone = find(longest.slice(0, length));
    if (zone === undefined) continue;
    reading.zone = zone;
    reading.position += length;
    return true;
  }
  return false;
}

/**
 * Returns the earliest instant that has this local time. The offsets one day before and one day
 * after it show any change of clocks.
 */
function instantOf(localMs: number, zone: Zone, text: string): number {
  if (zone === utc) return localMs;
  const offsets = [zone.offsetMsAt(localMs - 86_400_000), zone.offsetMsAt(localMs + 86_400_000)];
  const instants = offsets
    .map((offsetMs) => localMs - offsetMs)
    .filter((ms) => ms + zone.offsetMsAt(ms) === localMs);
  if (instants.length === 0) {
    throw expressionFailed(
      `‘${text}’ does not exist in ${zone.name}, where clocks were set forward.`,
    );
  }
  return Math.min(...instants);
}

function mismatch(text: string, pattern: DateTimePattern, position: number): Error {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return expressionFailed(
    `‘${shown}’ does not match the date pattern ${pattern.text} at character ${position + 1}.`,
  );
}

/**
 * Does the same as `instantOfFields`, faster, for a plain pattern, whose numbers are independent.
 * Nearly all patterns are plain.
 */
function localMsOf(read: DateNumbers): number | undefined {
  const { M, d, H: hour = 0, m: minute = 0, s: second = 0, S: millisecond = 0 } = read;
  const { y: year = M === undefined && d === undefined ? 1970 : 2000 } = read;
  const dateMs = existingDateMs(year, M ?? 1, d ?? 1);
  if (dateMs === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  return dateMs + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** Returns midnight of a date; undefined if there is no such date. */
function existingDateMs(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined;
  // Every month has 28 days.
  return day > 28 && day > daysInMonth(year, month) ? undefined : dateToMs(year, month, day);
}

const isoPattern =
  /^([+-]?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)$/i;

/** Parses an ISO 8601 time with an offset. @throws EXPRESSION_FAILED when the text is not one */
export function parseIso(given: string): number {
  const [
    whole,
    year,
    month = '',
    day = '',
    hour = '',
    minute = '',
    second = '00',
    fraction = '',
    offset = '',
  ] = isoPattern.exec(given) ?? [];
  if (whole === undefined || year === undefined) {
    throw expressionFailed(`‘${given.slice(0, 60)}’ is not a time of ISO 8601 with an offset.`);
  }
  const zone = offset.toUpperCase() === 'Z' ? '+0000' : offset;
  return parseIsoFields([year, month, day, hour, minute, second], fraction, zone, utc);
}

/**
 * Returns the instant of the parts of an ISO 8601 time: the fields from the year to the second, the
 * fraction, and the offset if there is one.
 */
export function parseIsoFields(
  fields: readonly string[],
  fraction: string,
  offset: string | undefined,
  zone: Zone,
): number {
  const written = [...fields, fraction.padEnd(3, '0').slice(0, 3)].join(' ');
  if (offset === undefined) {
    return parseDateTime(written, parseDateTimePattern('y M d H m s SSS'), zone, () => 2000);
  }
  return parseDateTime(
    `${written} ${offset}`,
    parseDateTimePattern('y M d H m s SSS Z'),
    zone,
    () => 2000,
  );
}

const durationPattern =
  /^([+-])?P(?:([+-]?\d{1,12})D)?(?:T(?:([+-]?\d{1,12})H)?(?:([+-]?\d{1,12})M)?(?:([+-]?\d{1,12})(?:[.,](\d{0,9}))?S)?)?$/i;

/**
 * Parses an ISO 8601 duration without months and years to milliseconds. @throws EXPRESSION_FAILED
 * when the text is not one
 */
export function parseDuration(given: string): number {
  const match = durationPattern.exec(given);
  if (match === null || /[PT]$/i.test(given)) {
    throw expressionFailed(`‘${given.slice(0, 40)}’ is not a duration: expected PT1H or P7D.`);
  }
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const wholeMs =
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  const partMs = Number(fraction.padEnd(3, '0').slice(0, 3));
  const ms = wholeMs + (seconds.startsWith('-') ? -partMs : partMs);
  return sign === '-' ? -ms : ms;
}

/**
 * Parses a period such as `1d` or `2h30m` to milliseconds. @throws EXPRESSION_FAILED when the text
 * is not one
 */
export function parsePeriod(given: string): number {
  const match = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/i.exec(given);
  if (match === null || given === '') {
    throw expressionFailed(`‘${given.slice(0, 40)}’ is not a period: expected 1d or 2h30m.`);
  }
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((each: string | undefined) => Number(each ?? 0));
  return days * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
