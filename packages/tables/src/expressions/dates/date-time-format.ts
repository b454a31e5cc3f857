import { expressionFailed } from '../values/expression-error.ts';
import { saturatedLong } from '../values/convert.ts';
import { parseTimestamp, textOfTimestamp } from '../values/text.ts';
import { memoize } from '../values/memoize.ts';
import { Decimal, Timestamp } from '../values/value.ts';
import { checkedEpochMs } from './calendar.ts';
import { type DateTimePattern, formatDateTime, parseDateTimePattern } from './date-time-pattern.ts';
import { parseDateTime, parseIsoFields } from './parse-date-time.ts';
import { lenientZone, utc, type Zone } from './zone.ts';

/**
 * The format of a time column: a count of units since 1970, a pattern (ISO 8601 without one), or a
 * timestamp.
 */
export type DateTimeFormat =
  | {
      readonly kind: 'epoch';
      readonly size: number;
      readonly unit: TimeUnit | 'WEEKS' | 'MONTHS' | 'YEARS';
    }
  | { readonly kind: 'pattern'; readonly pattern: DateTimePattern | undefined; readonly zone: Zone }
  | { readonly kind: 'timestamp' };

/**
 * Parses a format in either notation of Apache Pinot: `1:DAYS:EPOCH`,
 * `1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)`, `EPOCH|DAYS|1`,
 * `SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin`, `TIMESTAMP`. Case-sensitive.
 *
 * @throws EXPRESSION_FAILED when it is neither
 */
export const parseDateTimeFormat: (format: string) => DateTimeFormat = memoize((format) =>
  /^\d/.test(format) ? parseColoned(format) : parsePiped(format),
);

/**
 * Returns the instant of a text in a format, in epoch milliseconds. @throws EXPRESSION_FAILED when
 * the text does not match the format
 */
export function readInFormat(text: string, format: DateTimeFormat, nowYear: number): number {
  if (format.kind === 'timestamp') return parseTimestamp(text);
  if (format.kind === 'epoch') return Number(readEpoch(text, format));
  return format.pattern === undefined
    ? parseIsoDateTime(text, format.zone)
    : parseDateTime(text, format.pattern, format.zone, () => nowYear);
}

/** Returns the instant of a count of units exactly. @throws EXPRESSION_FAILED as `readInFormat` */
export function readEpoch(
  text: string,
  { unit, size }: DateTimeFormat & { readonly kind: 'epoch' },
): bigint {
  if (!isTimeUnit(unit)) throw expressionFailed(`Times in ${unit} cannot be read.`);
  // A product of more than 64 bits overflows, as in Java.
  const count = BigInt.asIntN(64, Decimal.parse(text).toBigInt() * BigInt(size));
  return convertExactly(count, unit, 'MILLISECONDS');
}

/** Formats an instant. */
export function writeInFormat(epochMs: number, format: DateTimeFormat): string {
  if (format.kind === 'timestamp') return textOfTimestamp(new Timestamp(epochMs));
  if (format.kind === 'epoch') return String(epochIn(saturatedLong(epochMs), format));
  return formatDateTime(
    checkedEpochMs(epochMs),
    format.pattern ?? isoPattern,
    format.pattern === undefined ? utc : format.zone,
  );
}

/** Returns an instant as a count of the units of a format. */
export function epochIn(
  epochMs: bigint,
  { unit, size }: DateTimeFormat & { readonly kind: 'epoch' },
): bigint {
  if (!isTimeUnit(unit)) throw expressionFailed(`Times in ${unit} cannot be written.`);
  return convertExactly(epochMs, 'MILLISECONDS', unit) / BigInt(size);
}

const isoPattern = parseDateTimePattern("yyyy-MM-dd'T'HH:mm:ss'Z'");
const isoTextPattern =
  /^([+-]?\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T(\d{1,2})?(?::?(\d{1,2})(?::?(\d{1,2}))?)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Parses an ISO 8601 date, with or without a time and an offset. */
function parseIsoDateTime(text: string, zone: Zone): number {
  const [
    whole,
    year = '',
    month = '1',
    day = '1',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    offset,
  ] = isoTextPattern.exec(text) ?? [];
  if (whole === undefined) {
    throw expressionFailed(`‘${text.slice(0, 60)}’ is not a date of ISO 8601.`);
  }
  return parseIsoFields([year, month, day, hour, minute, second], fraction, offset, zone);
}

function parsePiped(format: string): DateTimeFormat {
  const [name = '', second, third] = split(format, '|', 3);
  if (name === 'TIMESTAMP') return { kind: 'timestamp' };
  if (name === 'EPOCH') return epoch(second ?? 'MILLISECONDS', third ?? '1', format);
  if (name !== 'SIMPLE_DATE_FORMAT') throw unknown(format);
  return third === undefined
    ? patterned(second)
    : { kind: 'pattern', pattern: patternOf(second), zone: lenientZone(third) };
}

function parseColoned(format: string): DateTimeFormat {
  const [size = '', unit = '', kind = '', pattern] = split(format, ':', 4);
  if (kind === 'TIMESTAMP') return { kind: 'timestamp' };
  if (kind === 'EPOCH') return epoch(unit, size, format);
  if (kind !== 'SIMPLE_DATE_FORMAT') throw unknown(format);
  return patterned(pattern);
}

function patterned(given: string | undefined): DateTimeFormat {
  const [, pattern = given, zone] = /^(.+)(?: tz[ ]*\((.+)\))[ ]*/.exec(given ?? '') ?? [];
  return {
    kind: 'pattern',
    pattern: patternOf(zone === undefined ? pattern : pattern?.trim()),
    zone: zone === undefined ? utc : lenientZone(zone.trim()),
  };
}

function patternOf(pattern: string | undefined): DateTimePattern | undefined {
  return pattern === undefined ? undefined : parseDateTimePattern(pattern);
}

/** Splits a text into at most `limit` pieces; the last has the rest. */
function split(text: string, separator: string, limit: number): readonly string[] {
  const pieces = text.split(separator);
  return pieces.length <= limit
    ? pieces
    : [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)];
}

function epoch(unit: string, sizeText: string, format: string): DateTimeFormat {
  const size = Number(sizeText);
  const isUnit = isTimeUnit(unit) || unit === 'WEEKS' || unit === 'MONTHS' || unit === 'YEARS';
  if (!isUnit || !/^\+?\d{1,10}$/.test(sizeText) || size < 1 || size > 2 ** 31 - 1) {
    throw unknown(format);
  }
  return { kind: 'epoch', size, unit };
}

function unknown(format: string): Error {
  const examples =
    '1:DAYS:EPOCH, 1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd, EPOCH|DAYS|1 and SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin';
  return expressionFailed(
    `‘${format.slice(0, 80)}’ is not a date-time format: examples are ${examples}.`,
  );
}

const nanoseconds = {
  NANOSECONDS: 1n,
  MICROSECONDS: 1_000n,
  MILLISECONDS: 1_000_000n,
  SECONDS: 1_000_000_000n,
  MINUTES: 60_000_000_000n,
  HOURS: 3_600_000_000_000n,
  DAYS: 86_400_000_000_000n,
} as const;

/** A unit of time. */
export type TimeUnit = keyof typeof nanoseconds;

function isTimeUnit(name: string): name is TimeUnit {
  return Object.hasOwn(nanoseconds, name);
}

/** Parses a unit, case-sensitively. @throws EXPRESSION_FAILED when there is no such unit */
export function parseTimeUnit(name: string): TimeUnit {
  if (!isTimeUnit(name)) {
    throw expressionFailed(
      `‘${name.slice(0, 40)}’ is not a unit of time: expected ${Object.keys(nanoseconds).join(', ')}.`,
    );
  }
  return name;
}

/**
 * Converts a span to another unit, truncated towards zero, as java.util.concurrent.TimeUnit does.
 */
export function convertTime(value: number, from: TimeUnit, to: TimeUnit): number {
  const [source, target] = [Number(nanoseconds[from]), Number(nanoseconds[to])];
  const converted =
    source >= target ? value * (source / target) : Math.trunc(value / (target / source));
  return Math.min(Math.max(converted, -(2 ** 63)), 2 ** 63);
}

/** Converts a span exactly, clamped to the range of a long. */
export function convertExactly(value: bigint, from: TimeUnit, to: TimeUnit): bigint {
  const converted = (value * nanoseconds[from]) / nanoseconds[to];
  const most = 2n ** 63n - 1n;
  return converted > most ? most : converted < -most - 1n ? -most - 1n : converted;
}

/** A granularity that times are rounded to. */
export interface Granularity {
  readonly size: number;
  readonly unit: TimeUnit;
}

/**
 * Parses `15:MINUTES`, `MINUTES|15` or `HOURS`, case-sensitively. @throws EXPRESSION_FAILED when it
 * has none of these forms
 */
export function parseGranularity(text: string): Granularity {
  const parts = /^\d/.test(text) ? text.split(':').toReversed() : text.split('|', 2);
  const [unit = '', size = '1'] = parts;
  const isWhole = !/^\d/.test(text) || parts.length === 2;
  if (!isWhole || !isTimeUnit(unit) || !/^\+?\d{1,9}$/.test(size) || Number(size) < 1) {
    throw expressionFailed(
      `‘${text.slice(0, 40)}’ is not a granularity: expected 15:MINUTES or MINUTES|15.`,
    );
  }
  return { size: Number(size), unit };
}
