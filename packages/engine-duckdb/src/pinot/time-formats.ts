import { QuireError } from '@quire/core';
import { quoteLiteral } from '../conversion/column-plan.ts';
import { once } from './typed.ts';

/* Time formats as Apache Pinot names them
   (https://docs.pinot.apache.org/functions/datetimeconvert), in DuckDB's SQL. Instants are
   milliseconds since 1970. */

/** Units of time: the milliseconds of each, and the number of them in the next larger unit. */
const units: Readonly<Record<string, readonly [milliseconds: number, inNext: number]>> = {
  MILLISECONDS: [1, 1000],
  SECONDS: [1000, 60],
  MINUTES: [60_000, 60],
  HOURS: [3_600_000, 24],
  DAYS: [86_400_000, 1],
};

/** The letters of a Joda-Time pattern in DuckDB's `strftime`. */
const letters: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  yy: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  dd: '%d',
  d: '%-d',
  EEEE: '%A',
  EEE: '%a',
  E: '%a',
  DDD: '%j',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  a: '%p',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSS: '%g',
};

/** A format of instants; both functions return SQL. */
export interface TimeFormat {
  /** The type of formatted values. */
  readonly type: 'LONG' | 'STRING' | 'TIMESTAMP';
  /** Returns the instant of a value in the format. */
  readonly read: (value: string) => string;
  /** Returns an instant in the format, rounded to a granularity such as `15:MINUTES`. */
  readonly write: (epochMs: string, granularity: string) => string;
}

/** Returns the milliseconds of a unit. @throws QUERY_INVALID when there is no such unit */
export function millisecondsOf(unit: string): number {
  return unitOf(unit)[0];
}

/**
 * Returns the format of a Joda-Time pattern. @throws QUERY_INVALID for letters without a
 * counterpart in DuckDB
 */
export function patternFormat(pattern: string, zone?: string): TimeFormat {
  const format = quoteLiteral(strftimeOf(pattern));
  const year = defaultYearOf(pattern);
  const zoneName = zone === undefined || zone === 'UTC' ? undefined : quoteLiteral(zone);
  return {
    type: 'STRING',
    read: (value) => {
      const text = `CAST(${value} AS VARCHAR)`;
      const local =
        year === undefined
          ? `strptime(${text}, ${format})`
          : `strptime('${year} ' || ${text}, '%Y ' || ${format})`;
      if (zoneName === undefined) return `epoch_ms(${local})`;
      // When a zone repeats an hour, Joda-Time takes the first one, and DuckDB the second.
      return once(local, (l) => {
        const first = `timezone(${zoneName}, ${l}) - INTERVAL 1 HOUR`;
        return `epoch_ms(CASE WHEN timezone(${zoneName}, ${first}) = ${l} THEN ${first} ELSE timezone(${zoneName}, ${l}) END)`;
      });
    },
    write: (epochMs, granularity) => {
      const utc = `make_timestamp((${epochMs}) * 1000)`;
      const local = zoneName === undefined ? utc : `timezone(${zoneName}, timezone('UTC', ${utc}))`;
      const size = granularityMs(granularity, true);
      return `strftime(${size === 1 ? local : `make_timestamp((epoch_ms(${local}) - (epoch_ms(${local}) % ${size} + ${size}) % ${size}) * 1000)`}, ${format})`;
    },
  };
}

/**
 * Parses `1:DAYS:EPOCH`, `1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)`, `EPOCH|DAYS|1`,
 * `SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin`, `TIMESTAMP`.
 */
export function timeFormatOf(format: string): TimeFormat {
  const [, size, unit, colonKind, rest] = /^(\d+):(\w+):(\w+)(?::(.*))?$/s.exec(format) ?? [];
  const [pipedKind, second, third] = format.split('|');
  const kind = colonKind ?? pipedKind;
  if (kind === 'TIMESTAMP') {
    return {
      type: 'TIMESTAMP',
      read: (value) => `(${value})`,
      write: (epochMs, granularity) =>
        `make_timestamp(${truncated(epochMs, granularityMs(granularity, false))} * 1000)`,
    };
  }
  if (kind === 'EPOCH') {
    return epochFormat(unit ?? second ?? 'MILLISECONDS', Number(size ?? third ?? 1));
  }
  if (kind !== 'SIMPLE_DATE_FORMAT') {
    throw invalid(`‘${format}’ is not a date-time format, such as 1:DAYS:EPOCH.`);
  }
  if (colonKind === undefined) return patternFormat(second ?? '', third);
  const [, pattern = rest ?? '', zone] = /^(.+?)\s+tz\s*\((.+)\)\s*$/.exec(rest ?? '') ?? [];
  return patternFormat(pattern, zone);
}

/** Parses `P1DT2H3M4.5S` to milliseconds. @throws QUERY_INVALID for anything else */
export function durationMs(text: string): number {
  const match =
    /^([+-])?P(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d+)?)S)?)?$/i.exec(
      text,
    );
  if (match === null || /[PT]$/i.test(text)) {
    throw invalid(`‘${text}’ is not a duration, such as P1D or PT1H30M.`);
  }
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  const totalMs =
    Number(days) * 86_400_000 +
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1000;
  return Math.floor(sign === '-' ? -totalMs : totalMs);
}

function epochFormat(unit: string, size: number): TimeFormat {
  const ms = millisecondsOf(unit) * size;
  return {
    type: 'LONG',
    read: (value) => `(CAST(${value} AS BIGINT) * ${ms})`,
    write: (epochMs, granularity) =>
      `(${truncated(epochMs, granularityMs(granularity, false))} // ${ms})`,
  };
}

/** Rounds towards zero, like Java's division. */
function truncated(epochMs: string, size: number): string {
  return size === 1 ? `(${epochMs})` : `((${epochMs}) // ${size} * ${size})`;
}

/**
 * @param isByClocks true to round fields of the local time, each within the next larger one, which
 * the size must then divide
 */
function granularityMs(text: string, isByClocks: boolean): number {
  const [, coloned, unit] = /^(\d+):(\w+)$/.exec(text) ?? [];
  const [pipedUnit = '', piped = '1'] = text.split('|');
  const size = Number(coloned ?? piped);
  const [milliseconds, inNext] = unitOf(unit ?? pipedUnit);
  if (!Number.isSafeInteger(size) || size < 1) {
    throw invalid(`‘${text}’ is not a granularity, such as 15:MINUTES.`);
  }
  if (isByClocks && inNext % size !== 0) {
    throw invalid(
      `For text, the embedded engine supports only granularities that divide the next larger unit, not ‘${text}’.`,
    );
  }
  return milliseconds * size;
}

function unitOf(name: string): readonly [milliseconds: number, inNext: number] {
  const unit = units[name.toUpperCase()];
  if (unit === undefined) {
    throw invalid(`‘${name}’ is not a unit of time: expected ${Object.keys(units).join(', ')}.`);
  }
  return unit;
}

/**
 * Returns the year of times whose pattern has none, as in Joda-Time: of days 2000, of hours and
 * minutes 1970.
 */
function defaultYearOf(pattern: string): number | undefined {
  const fields = pattern.replaceAll(/'[^']*'/g, '');
  if (fields.includes('y')) return undefined;
  return /[MdDE]/.test(fields) ? 2000 : 1970;
}

function strftimeOf(pattern: string): string {
  let format = '';
  for (const [piece] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g)) {
    if (piece === "''") format += "'";
    else if (piece.startsWith("'")) format += escaped(piece.slice(1, -1).replaceAll("''", "'"));
    else if (/^[A-Za-z]/.test(piece)) format += letters[piece] ?? refuse(piece, pattern);
    else format += escaped(piece);
  }
  return format;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}

function refuse(piece: string, pattern: string): never {
  const known = Object.keys(letters).join(', ');
  throw invalid(
    `The embedded engine has no format for ‘${piece}’ of the date pattern ‘${pattern}’; expected ${known}.`,
  );
}

function invalid(message: string): QuireError {
  return new QuireError('QUERY_INVALID', message);
}
