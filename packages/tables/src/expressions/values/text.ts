import { type CalendarDate, hybridToMs, julianDateOf } from '@quire/core';
import { expressionFailed } from './expression-error.ts';
import { Decimal, Float, Timestamp, typeOf, type Value, WholeDouble } from './value.ts';

const intPattern = /^[+-]?\d{1,25}$/;
// Digits match in one way only: otherwise, the time to refuse a text grows with their square.
const doublePattern = /^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;

const smallestNormal = 2 ** -1022;

/**
 * Formats a double like Java: `1.0`, `1.0E7`, `NaN`. Subnormal numbers have at least two digits,
 * the nearest to the value: `4.9E-324`.
 */
export function textOfDouble(value: number): string {
  return javaDigits(value, (each) => {
    const digits = each < smallestNormal ? each.toExponential(1) : '';
    return Number(digits) === each && each !== 0 ? digits : String(each);
  });
}

/** Formats a float like Java, with the fewest digits that distinguish it from its neighbours. */
export function textOfFloat(value: number): string {
  return javaDigits(value, (each) => {
    let digits = 2;
    while (digits < 9 && Math.fround(Number(each.toPrecision(digits))) !== each) digits += 1;
    return String(Number(each.toPrecision(digits)));
  });
}

function javaDigits(value: number, digitsOf: (value: number) => string): string {
  if (!Number.isFinite(value)) return String(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  const text = digitsOf(size);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) {
    return sign + (text.includes('.') ? text : `${text}.0`);
  }
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const leading =
    whole === '0' ? -(fraction.length - fraction.replace(/^0+/, '').length) - 1 : whole.length - 1;
  const rest = digits.slice(1).replace(/0+$/, '');
  return `${sign}${digits.slice(0, 1)}.${rest === '' ? '0' : rest}E${Number(exponent) + leading}`;
}

/** Formats a timestamp like Java, in UTC: `2024-02-29 12:34:56.0`. */
export function textOfTimestamp({ epochMs }: Timestamp): string {
  if (!(Math.abs(epochMs) <= 8.64e15)) {
    throw expressionFailed(`${epochMs} ms is outside the calendar.`);
  }
  const [date = '', time = ''] = new Date(epochMs)
    .toISOString()
    .replace(/^\+0*/, '')
    .slice(0, -1)
    .split('T');
  const julian = julianDateOf(epochMs);
  const shown = julian === undefined ? date : textOfDate(julian);
  return `${shown} ${time.replace(/(\.\d*?)0+$/, (_, digits: string) => (digits === '.' ? '.0' : digits))}`;
}

function textOfDate({ year, month, day }: CalendarDate): string {
  const digits = [month, day].map((each) => String(each).padStart(2, '0'));
  // A year before 1 is written as the year of its era.
  return [String(year > 0 ? year : 1 - year).padStart(4, '0'), ...digits].join('-');
}

/** The maximum nesting depth of a value that is written as text. */
const depthMax = 1_000;

/**
 * Formats a value like Java's `toString`. @throws EXPRESSION_FAILED when it is nested more than
 * 1,000 levels deep
 */
export function javaText(value: Value, depth = 0): string {
  if (depth > depthMax) {
    throw expressionFailed(`A value is nested more than ${depthMax} levels deep.`);
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'number') {
    return typeOf(value) === 'DOUBLE' ? textOfDouble(value) : String(value);
  }
  if (value === null || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value);
  }
  if (value instanceof WholeDouble) return textOfDouble(value.value);
  if (value instanceof Float) return textOfFloat(value.value);
  if (value instanceof Decimal) return value.toString();
  if (value instanceof Timestamp) return textOfTimestamp(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) {
    return `[${(value as readonly Value[]).map((each) => javaText(each, depth + 1)).join(', ')}]`;
  }
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}=${javaText(member, depth + 1)}`)
    .join(', ')}}`;
}

/** Parses a whole number. @throws EXPRESSION_FAILED when the text is not one of this many bits */
export function parseWhole(text: string, bits: 32 | 64): bigint {
  const value = intPattern.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || BigInt.asIntN(bits, value) !== value) {
    throw expressionFailed(`‘${text.slice(0, 40)}’ is not an integer of ${bits} bits.`);
  }
  return value;
}

/** Parses a number. @throws EXPRESSION_FAILED when the text is not one */
export function parseDouble(text: string): number {
  const trimmed = javaTrim(text);
  if (!doublePattern.test(trimmed)) {
    throw expressionFailed(`‘${text.slice(0, 40)}’ is not a number.`);
  }
  return Number(trimmed.replace(/(?<=[\d.])[fFdD]$/, ''));
}

/** Removes spaces and control characters from both ends, like Java's `trim`. */
export function javaTrim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 32) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1;
  return text.slice(start, end);
}

const sqlPattern =
  /^(\d{4})-(\d{1,2})-(\d{1,2}) ([+-]?\d{1,9}):([+-]?\d{1,9}):([+-]?\d{1,9})(?:\.(\d{1,9}))?$/;
const isoPattern =
  /^(\d{4,9})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Parses the text of a TIMESTAMP: epoch milliseconds; `2024-02-29 12:34:56.7`, whose hours, minutes
 * and seconds may exceed their range; or ISO 8601 with or without time and offset. Times without an
 * offset are UTC.
 *
 * @throws EXPRESSION_FAILED when it has none of these forms
 */
export function parseTimestamp(text: string): number {
  const sql = sqlPattern.exec(text.trim());
  if (sql !== null) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = sql
      .slice(1, 7)
      .map(Number);
    if (month >= 1 && month <= 12 && day >= 1 && day <= 31) {
      return (
        hybridToMs({ year, month, day }) +
        ((hour * 60 + minute) * 60 + second) * 1000 +
        milliseconds(sql[7])
      );
    }
  }
  if (/^[+-]?\d+$/.test(text)) return Number(parseWhole(text, 64));
  const iso = isoPattern.exec(text);
  if (iso === null) throw invalid(text);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = iso
    .slice(1, 7)
    .map((each: string | undefined) => Number(each ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) {
    throw invalid(text);
  }
  // A day beyond the end of its month becomes the last day.
  const lastDay = new Date(utcMs(year, month + 1, 0)).getUTCDate();
  const localMs =
    utcMs(year, month, Math.min(day, lastDay)) +
    ((hour * 60 + minute) * 60 + second) * 1000 +
    milliseconds(iso[7]);
  if (Number.isNaN(localMs)) throw invalid(text);
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(iso[8] ?? '') ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (offsetMs > 18 * 3_600_000 || Number(minutes) > 59) throw invalid(text);
  return localMs - (sign === '-' ? -offsetMs : offsetMs);
}

function utcMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function milliseconds(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3));
}

function invalid(text: string): Error {
  return expressionFailed(
    `‘${text.slice(0, 60)}’ is not a timestamp: expected epoch milliseconds or 2024-02-29 12:34:56.`,
  );
}

/** The maximum length of a text that an expression creates, in characters. */
const textLengthMax = 2 ** 20;

/** Throws before a text is created that would be too long. @throws EXPRESSION_FAILED */
export function checkTextLength(length: number): void {
  if (length > textLengthMax) {
    throw expressionFailed(
      `A text of ${length} characters is too long; at most ${textLengthMax} are allowed.`,
    );
  }
}

/** Throws when an array is too long. @throws EXPRESSION_FAILED */
export function checkElementCount(count: number): void {
  if (count > textLengthMax) {
    throw expressionFailed(
      `An array of ${count} elements is too long; at most ${textLengthMax} are allowed.`,
    );
  }
}

/** Repeats a text with a separator. @throws EXPRESSION_FAILED when the result is too long */
export function repeatedText(text: string, count: number, separator: string): string {
  if (count <= 0) return '';
  checkTextLength((text.length + separator.length) * count);
  return (text + separator).repeat(count - 1) + text;
}

/** Pads a text to a length. @throws EXPRESSION_FAILED when the result is too long */
export function paddedText(
  text: string,
  length: number,
  filler: string,
  side: 'start' | 'end',
): string {
  if (length <= text.length) return text;
  checkTextLength(length);
  return side === 'start' ? text.padStart(length, filler) : text.padEnd(length, filler);
}

/** Replaces each `find` in a text. @throws EXPRESSION_FAILED when the result is too long */
export function replacedText(text: string, find: string, substitute: string): string {
  if (find === '') return text;
  // The product bounds the length of the result without counting the matches. `$` has a special
  // meaning in `replaceAll`.
  if (text.length * substitute.length <= textLengthMax && !substitute.includes('$')) {
    return text.replaceAll(find, substitute);
  }
  const parts = text.split(find);
  checkTextLength(text.length + (parts.length - 1) * (substitute.length - find.length));
  return parts.join(substitute);
}

export function initialCapitals(given: string): string {
  return given
    .split('')
    .map((unit, index, units) => {
      const changed = isJavaSpace(units[index - 1] ?? ' ')
        ? unit.toUpperCase()
        : unit.toLowerCase();
      return isJavaSpace(unit) || changed.length !== 1 ? unit : changed;
    })
    .join('');
}

/**
 * Reports whether Java counts a character as white space: not the non-breaking spaces, but the four
 * ASCII separators.
 */
function isJavaSpace(unit: string): boolean {
  const code = unit.charCodeAt(0);
  return (
    (code >= 0x1c && code <= 0x1f) || (/\s/.test(unit) && !/[\u00A0\u2007\u202F\uFEFF]/.test(unit))
  );
}
