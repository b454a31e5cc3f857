import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter, PresentValue } from '../parameter.ts';
import { integer, text } from '../parameters.ts';
import type { SourceValue } from '../../row.ts';
import { type DateTimePattern, parseDateTimePattern } from './date-time-pattern.ts';
import { checkedEpochMs } from './date-range.ts';
import { formatDateTime } from './format-date-time.ts';
import { parseDateTime } from './parse-date-time.ts';
import { fromMs, isTimeUnit, type TimeUnit, toMs } from './time-unit.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';
import { findZone, utc, type Zone } from './zone.ts';

/** How a column of times is written: counted in units since 1970, by a pattern, or as a timestamp. */
export type DateTimeFormat =
  | { readonly kind: 'epoch'; readonly size: number; readonly unit: TimeUnit }
  | { readonly kind: 'pattern'; readonly pattern: DateTimePattern; readonly zone: Zone }
  | { readonly kind: 'timestamp' };

/**
 * Reads a format in either notation of the engine: `1:DAYS:EPOCH`, `1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)`, `EPOCH|DAYS|1`,
 * `SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin`, `TIMESTAMP`.
 *
 * @throws EXPRESSION_FAILED when it is neither
 */
export const parseDateTimeFormat: (format: string) => DateTimeFormat = memoize((format) =>
  format.includes('|') || !format.includes(':') ? parsePiped(format) : parseColoned(format),
);

/** A format as a function takes it. */
export const dateTimeFormat: Parameter<DateTimeFormat> = {
  type: 'format',
  read: (value, place) => parseDateTimeFormat(text.read(value, place)),
};

/** The instant of a value in a format, in epoch milliseconds. @throws EXPRESSION_FAILED when it is not in the format */
export function readInFormat(value: PresentValue, format: DateTimeFormat, place: string): number {
  if (format.kind === 'epoch') return checkedEpochMs(toMs(integer.read(value, place) * format.size, format.unit));
  if (format.kind === 'pattern') return parseDateTime(text.read(value, place), format.pattern, format.zone);
  return typeof value === 'number' ? checkedEpochMs(value) : parseTimestamp(text.read(value, place));
}

/** An instant as a value in a format. */
export function writeInFormat(epochMs: number, format: DateTimeFormat): SourceValue {
  if (format.kind === 'epoch') return Math.trunc(fromMs(epochMs, format.unit) / format.size);
  return format.kind === 'pattern' ? formatDateTime(epochMs, format.pattern, format.zone) : formatTimestamp(epochMs);
}

function parsePiped(format: string): DateTimeFormat {
  const [name = '', second = '', third = ''] = format.split('|');
  if (name.toUpperCase() === 'TIMESTAMP') return { kind: 'timestamp' };
  if (name.toUpperCase() === 'EPOCH') return epoch(second === '' ? 'MILLISECONDS' : second, third === '' ? '1' : third, format);
  if (name.toUpperCase() !== 'SIMPLE_DATE_FORMAT' || second === '') throw unknown(format);
  return { kind: 'pattern', pattern: parseDateTimePattern(second), zone: third === '' ? utc : findZone(third) };
}

function parseColoned(format: string): DateTimeFormat {
  const [size = '', unit = '', kind = '', ...rest] = format.split(':');
  if (kind.toUpperCase() === 'TIMESTAMP') return { kind: 'timestamp' };
  if (kind.toUpperCase() === 'EPOCH') return epoch(unit, size, format);
  const match = /^(.+?)(?:\s+tz\(([^)]+)\))?$/.exec(rest.join(':'));
  if (kind.toUpperCase() !== 'SIMPLE_DATE_FORMAT' || match === null) throw unknown(format);
  const [, pattern = '', zone] = match;
  return { kind: 'pattern', pattern: parseDateTimePattern(pattern), zone: zone === undefined ? utc : findZone(zone) };
}

function epoch(unitName: string, sizeText: string, format: string): DateTimeFormat {
  const unit = unitName.toUpperCase();
  const size = Number(sizeText);
  if (!isTimeUnit(unit) || !Number.isSafeInteger(size) || size < 1) throw unknown(format);
  return { kind: 'epoch', size, unit };
}

function unknown(format: string): Error {
  const examples = '1:DAYS:EPOCH, 1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd, EPOCH|DAYS|1 and SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin';
  return expressionFailed(`‘${format.slice(0, 80)}’ is no format of times; examples are ${examples}.`);
}
