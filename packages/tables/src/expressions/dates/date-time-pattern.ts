import { expressionFailed } from '../values/expression-error.ts';
import { memoize } from '../values/memoize.ts';
import { dayMs, dayOfYearOf, monthNames, weekdayNames, weekdayOf, weekOf } from './calendar.ts';
import { nameAt, type Zone } from './zone.ts';

/** Letters that represent a number. */
export type NumberLetter =
  | 'C'
  | 'Y'
  | 'y'
  | 'x'
  | 'w'
  | 'e'
  | 'D'
  | 'M'
  | 'd'
  | 'K'
  | 'h'
  | 'H'
  | 'k'
  | 'm'
  | 's'
  | 'S';

/** A piece of a pattern. */
export type PatternField =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'number';
      readonly letter: NumberLetter;
      readonly width: number;
      readonly widthMax: number;
    }
  /**
   * A year of two digits; years of other lengths are read as well unless a numeric field follows.
   */
  | { readonly kind: 'shortYear'; readonly letter: 'y' | 'x'; readonly isLenient: boolean }
  | { readonly kind: 'month' | 'weekday'; readonly isLong: boolean }
  | { readonly kind: 'halfday' | 'era' | 'zoneId' }
  /** `CEST`, or `Central European Summer Time`. */
  | { readonly kind: 'zoneName'; readonly isLong: boolean }
  /** `+0530`, or `+05:30`. */
  | { readonly kind: 'offset'; readonly hasColon: boolean };

/** A Joda-Time pattern of dates and times, split into fields. */
export interface DateTimePattern {
  readonly text: string;
  readonly fields: readonly PatternField[];
  /**
   * True if all its numbers are years, months, days and parts of the time of day, each at most
   * once.
   */
  readonly isPlain: boolean;
}

interface Piece {
  readonly letter: string;
  /** The number of letters, or 0 with the literal text. */
  readonly width: number;
  readonly text: string;
}

const numberLetters = 'CYyxweDMdKhHkmsS';
const yearLetters = 'Yyx';

/**
 * Parses a pattern such as `yyyy-MM-dd'T'HH:mm:ss.SSSZ`
 * (https://www.joda.org/joda-time/key_format.html). An unclosed quote extends to the end.
 *
 * @throws EXPRESSION_FAILED at a letter without a meaning
 */
export const parseDateTimePattern: (pattern: string) => DateTimePattern = memoize((pattern) => {
  if (pattern === '' || pattern.length > 200) {
    throw expressionFailed('A date pattern must have 1 to 200 characters.');
  }
  const pieces = piecesOf(pattern);
  const letters = pieces.map(({ letter }) => letter).filter((letter) => /^[^zZ]$/.test(letter));
  return {
    text: pattern,
    fields: pieces.map((piece, index) => fieldOf(piece, pieces[index + 1], pattern)),
    isPlain: new Set(letters).size === letters.length && /^[yMdHmsS]*$/.test(letters.join('')),
  };
});

function piecesOf(pattern: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length;) {
    const letter = pattern.charAt(at);
    if (/[A-Za-z]/.test(letter)) {
      let end = at;
      while (pattern.charAt(end) === letter) end += 1;
      pieces.push({ letter, width: end - at, text: '' });
      at = end;
      continue;
    }
    let [text, isQuoted] = ['', false];
    for (; at < pattern.length && (isQuoted || !/[A-Za-z]/.test(pattern.charAt(at))); at += 1) {
      const character = pattern.charAt(at);
      if (character !== "'") text += character;
      else if (pattern.charAt(at + 1) === "'") {
        text += "'";
        at += 1;
      } else isQuoted = !isQuoted;
    }
    pieces.push({ letter: '', width: 0, text });
  }
  return pieces;
}

function fieldOf(
  { letter, width, text }: Piece,
  next: Piece | undefined,
  whole: string,
): PatternField {
  if (letter === '') return { kind: 'literal', text };
  if (letter === 'M' && width >= 3) return { kind: 'month', isLong: width >= 4 };
  if (letter === 'E') return { kind: 'weekday', isLong: width >= 4 };
  if (letter === 'a') return { kind: 'halfday' };
  if (letter === 'G') return { kind: 'era' };
  if (letter === 'z') return { kind: 'zoneName', isLong: width >= 4 };
  if (letter === 'Z') {
    return width >= 3 ? { kind: 'zoneId' } : { kind: 'offset', hasColon: width === 2 };
  }
  if (!numberLetters.includes(letter)) {
    throw expressionFailed(
      `The letter ${letter} is not supported in the date pattern ${whole}; quote text as in yyyy-MM-dd'T'HH:mm.`,
    );
  }
  const isNumberNext = next !== undefined && isNumeric(next);
  const number = letter as NumberLetter;
  if (yearLetters.includes(letter) && width === 2) {
    return { kind: 'shortYear', letter: letter === 'x' ? 'x' : 'y', isLenient: !isNumberNext };
  }
  return {
    kind: 'number',
    letter: number,
    width,
    widthMax: widthMaxOf(number, width, isNumberNext),
  };
}

function isNumeric({ letter, width }: Piece): boolean {
  return letter !== '' && numberLetters.includes(letter) && (letter !== 'M' || width <= 2);
}

/** Returns the maximum number of digits that are read for a field. */
function widthMaxOf(letter: NumberLetter, width: number, isNumberNext: boolean): number {
  if (yearLetters.includes(letter)) return isNumberNext ? width : Math.max(width, 9);
  if (letter === 'S' || letter === 'C') return width;
  return Math.max(width, letter === 'D' ? 3 : letter === 'e' ? 1 : 2);
}

/** Formats an instant in the local time of a zone. */
export function formatDateTime(
  epochMs: number,
  { fields, isPlain }: DateTimePattern,
  zone: Zone,
): string {
  const offsetMs = zone.offsetMsAt(epochMs);
  const localMs = epochMs + offsetMs;
  const plain = isPlain ? formatPlain(fields, localMs) : undefined;
  if (plain !== undefined) return plain;
  const local = new Date(localMs);
  let written = '';
  for (const field of fields) written += formatField(field, local, offsetMs, zone);
  return written;
}

const twoDigits = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/** The day that was formatted last: consecutive rows are often of one day. */
const lastDay = { number: 0, year: 1970, month: 1, date: 1 };

/**
 * Formats the numbers of a plain pattern without an object for the date; undefined if the pattern
 * also has names, short years or fractions of a second.
 */
function formatPlain(fields: DateTimePattern['fields'], localMs: number): string | undefined {
  const dayNumber = Math.floor(localMs / dayMs);
  if (dayNumber !== lastDay.number) {
    const local = new Date(localMs);
    lastDay.number = dayNumber;
    lastDay.year = local.getUTCFullYear();
    lastDay.month = local.getUTCMonth() + 1;
    lastDay.date = local.getUTCDate();
  }
  const seconds = Math.floor((localMs - dayNumber * dayMs) / 1000);
  let [written, part] = ['', ''];
  for (const field of fields) {
    let text: string;
    if (field.kind === 'literal') ({ text } = field);
    else if (field.kind === 'number') {
      const value = plainNumber(field.letter, seconds);
      if (value === undefined) return undefined;
      text = paddedNumber(value, field.width);
    } else return undefined;
    // The runtime copies short texts together, and makes a tree of longer ones: a tree of two is
    // flattened faster than one of ten.
    if (part.length + text.length > 12) {
      written += part;
      part = text;
    } else part += text;
  }
  return written + part;
}

/** Returns the number of a letter on the last day, at a second of it. */
function plainNumber(letter: NumberLetter, seconds: number): number | undefined {
  switch (letter) {
    case 'y':
      return lastDay.year;
    case 'M':
      return lastDay.month;
    case 'd':
      return lastDay.date;
    case 'H':
      return Math.floor(seconds / 3600);
    case 'm':
      return Math.floor(seconds / 60) % 60;
    case 's':
      return seconds % 60;
    default:
      return undefined;
  }
}

function paddedNumber(value: number, width: number): string {
  if (width === 2 && value >= 0 && value < 100) return twoDigits[value] ?? '';
  if (width === 4 && value >= 1000 && value < 10_000) return String(value);
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
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
      return String(Math.abs(numbers[field.letter](local)) % 100).padStart(2, '0');
    case 'number':
      return formatNumber(field.letter, field.width, local);
  }
}

function formatNumber(letter: NumberLetter, width: number, local: Date): string {
  if (letter === 'S') {
    return String(local.getUTCMilliseconds()).padStart(3, '0').padEnd(width, '0').slice(0, width);
  }
  return paddedNumber(numbers[letter](local), width);
}

/** Functions that return the number of each letter. */
const numbers: Readonly<Record<Exclude<NumberLetter, 'S'>, (local: Date) => number>> = {
  C: (local) => Math.floor(yearOfEra(local) / 100),
  Y: yearOfEra,
  y: (local) => local.getUTCFullYear(),
  x: (local) => weekOf(local.getTime()).year,
  w: (local) => weekOf(local.getTime()).week,
  e: (local) => weekdayOf(local.getTime()),
  D: (local) => dayOfYearOf(local.getTime()),
  M: (local) => local.getUTCMonth() + 1,
  d: (local) => local.getUTCDate(),
  H: (local) => local.getUTCHours(),
  k: (local) => local.getUTCHours() || 24,
  K: (local) => local.getUTCHours() % 12,
  h: (local) => local.getUTCHours() % 12 || 12,
  m: (local) => local.getUTCMinutes(),
  s: (local) => local.getUTCSeconds(),
};

function yearOfEra(local: Date): number {
  const year = local.getUTCFullYear();
  return year > 0 ? year : 1 - year;
}

function formatOffset(offsetMs: number, hasColon: boolean): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const colon = hasColon ? ':' : '';
  return (
    (offsetMs < 0 ? '-' : '+') +
    paddedNumber(Math.trunc(minutes / 60), 2) +
    colon +
    paddedNumber(minutes % 60, 2)
  );
}

function shorten(name: string | undefined, isLong: boolean): string {
  return isLong ? (name ?? '') : (name ?? '').slice(0, 3);
}
