import { expressionFailed } from '../values/expression-error.ts';
import { memoize } from '../values/memoize.ts';
import { dayOfYearOf, monthNames, weekdayNames, weekdayOf, weekOf } from './calendar.ts';
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
      return String(Math.abs(numbers[field.letter](local)) % 100).padStart(2, '0');
    case 'number':
      return formatNumber(field.letter, field.width, local);
  }
}

function formatNumber(letter: NumberLetter, width: number, local: Date): string {
  if (letter === 'S') {
    return String(local.getUTCMilliseconds()).padStart(3, '0').padEnd(width, '0').slice(0, width);
  }
  const value = numbers[letter](local);
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
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
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const colon = hasColon ? ':' : '';
  return (
    (offsetMs < 0 ? '-' : '+') +
    twoDigits(Math.trunc(minutes / 60)) +
    colon +
    twoDigits(minutes % 60)
  );
}

function shorten(name: string | undefined, isLong: boolean): string {
  return isLong ? (name ?? '') : (name ?? '').slice(0, 3);
}
