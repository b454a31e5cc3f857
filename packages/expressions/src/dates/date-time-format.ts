import { expressionFailed } from '../language/expression-error.ts';
import { Decimal } from '../values/decimal.ts';
import { textOfTimestamp } from '../values/java-text.ts';
import { memoize } from '../values/memoize.ts';
import { parseTimestamp } from '../values/timestamp-text.ts';
import { Timestamp } from '../values/value.ts';
import { type DateTimePattern, parseDateTimePattern } from './date-time-pattern.ts';
import { checkedEpochMs } from './calendar.ts';
import { formatDateTime } from './format-date-time.ts';
import { parseDateTime } from './parse-date-time.ts';
import { convertTime, isTimeUnit, type TimeUnit } from './time-unit.ts';
import { lenientZone, utc, type Zone } from './zone.ts';

/** How a column of times is written: counted in units since 1970, by a pattern (ISO 8601 where there is none), or as a timestamp. */
export type DateTimeFormat =
  | { readonly kind: 'epoch'; readonly size: number; readonly unit: TimeUnit | 'WEEKS' | 'MONTHS' | 'YEARS' }
  | { readonly kind: 'pattern'; readonly pattern: DateTimePattern | undefined; readonly zone: Zone }
  | { readonly kind: 'timestamp' };

/**
 * Reads a format in either notation of the engine: `1:DAYS:EPOCH`, `1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)`, `EPOCH|DAYS|1`,
 * `SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin`, `TIMESTAMP`. Case counts.
 *
 * @throws EXPRESSION_FAILED when it is neither
 */
export const parseDateTimeFormat: (format: string) => DateTimeFormat = memoize((format) =>
  /^\d/.test(format) ? parseColoned(format) : parsePiped(format),
);

/** The instant of a text in a format, in epoch milliseconds. @throws EXPRESSION_FAILED when it is not in the format */
export function readInFormat(text: string, format: DateTimeFormat, nowYear: number): number {
  if (format.kind === 'timestamp') return parseTimestamp(text);
  if (format.kind === 'epoch') {
    if (!isTimeUnit(format.unit)) throw expressionFailed(`Times in ${format.unit} cannot be read.`);
    return convertTime(Number(BigInt.asIntN(64, Decimal.parse(text).toBigInt())) * format.size, format.unit, 'MILLISECONDS');
  }
  return format.pattern === undefined
    ? parseIsoDateTime(text, format.zone)
    : parseDateTime(text, format.pattern, format.zone, nowYear);
}

/** An instant as text in a format. */
export function writeInFormat(epochMs: number, format: DateTimeFormat): string {
  if (format.kind === 'timestamp') return textOfTimestamp(new Timestamp(epochMs));
  if (format.kind === 'epoch') return String(epochIn(epochMs, format));
  return formatDateTime(checkedEpochMs(epochMs), format.pattern ?? isoPattern, format.pattern === undefined ? utc : format.zone);
}

/** An instant counted in the units of a format. */
export function epochIn(epochMs: number, { unit, size }: DateTimeFormat & { readonly kind: 'epoch' }): number {
  if (!isTimeUnit(unit)) throw expressionFailed(`Times in ${unit} cannot be written.`);
  return Math.trunc(convertTime(epochMs, 'MILLISECONDS', unit) / size);
}

const isoPattern = parseDateTimePattern("yyyy-MM-dd'T'HH:mm:ss'Z'");
const isoTextPattern =
  /^([+-]?\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T(\d{1,2})?(?::?(\d{1,2})(?::?(\d{1,2}))?)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** A date of ISO 8601, with or without a time and an offset. */
function parseIsoDateTime(text: string, zone: Zone): number {
  const [whole, year = '', month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '', offset] =
    isoTextPattern.exec(text) ?? [];
  if (whole === undefined) throw expressionFailed(`‘${text.slice(0, 60)}’ is not a date of ISO 8601.`);
  const written = `${year} ${month} ${day} ${hour} ${minute} ${second} ${fraction.padEnd(3, '0').slice(0, 3)}`;
  const hasOffset = offset !== undefined;
  const pattern = parseDateTimePattern(hasOffset ? 'y M d H m s SSS Z' : 'y M d H m s SSS');
  return parseDateTime(hasOffset ? `${written} ${offset}` : written, pattern, zone, 2000);
}

function parsePiped(format: string): DateTimeFormat {
  const [name = '', second, third] = split(format, '|', 3);
  if (name === 'TIMESTAMP') return { kind: 'timestamp' };
  if (name === 'EPOCH') return epoch(second ?? 'MILLISECONDS', third ?? '1', format);
  if (name !== 'SIMPLE_DATE_FORMAT') throw unknown(format);
  return third === undefined ? patterned(second) : { kind: 'pattern', pattern: patternOf(second), zone: lenientZone(third) };
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

/** Pieces of a text, at most `limit`: the last has all the rest. */
function split(text: string, separator: string, limit: number): readonly string[] {
  const pieces = text.split(separator);
  return pieces.length <= limit ? pieces : [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)];
}

function epoch(unit: string, sizeText: string, format: string): DateTimeFormat {
  const size = Number(sizeText);
  const isUnit = isTimeUnit(unit) || unit === 'WEEKS' || unit === 'MONTHS' || unit === 'YEARS';
  if (!isUnit || !/^\+?\d{1,10}$/.test(sizeText) || size < 1 || size > 2 ** 31 - 1) throw unknown(format);
  return { kind: 'epoch', size, unit };
}

function unknown(format: string): Error {
  const examples = '1:DAYS:EPOCH, 1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd, EPOCH|DAYS|1 and SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin';
  return expressionFailed(`‘${format.slice(0, 80)}’ is not a format of times: examples are ${examples}.`);
}
