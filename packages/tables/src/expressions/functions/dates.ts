import {
  addUnits,
  type CalendarUnit,
  checkedEpochMs,
  countUnits,
  dayOfYearOf,
  parseCalendarUnit,
  truncateInstant,
  weekdayOf,
  weekOf,
} from '../dates/calendar.ts';
import { convertExactly, convertTime, parseTimeUnit } from '../dates/date-time-format.ts';
import { convert, quotient, roundTo, yearOf } from '../dates/convert-date-time.ts';
import { formatDateTime, parseDateTimePattern } from '../dates/date-time-pattern.ts';
import { parseDateTime, parseDuration, parseIso, parsePeriod } from '../dates/parse-date-time.ts';
import { indexedZone, jodaZone, toLocal, utc, type Zone } from '../dates/zone.ts';
import { expressionFailed } from '../values/expression-error.ts';
import {
  define,
  defineClocked,
  elementwise,
  type FunctionDefinition,
  instants,
  int,
  ints,
  long,
  longs,
  millis,
  object,
  text,
  texts,
  timestamp,
  timestamps,
  type Type,
} from './function-definition.ts';
import { epochFunctions } from './epochs.ts';
import { toText } from '../values/convert.ts';
import { Timestamp } from '../values/value.ts';

/**
 * Defines a text argument that is parsed. A literal is parsed once for all rows, and is valid for
 * all of them or none.
 */
const parsed = <T>(parse: (given: string) => T): Type<T> => ({
  name: 'String',
  read: (value) => parse(toText(value)),
  write: () => null,
});
const pattern = parsed(parseDateTimePattern);
const zone = parsed(jodaZone);
const unit = parsed(parseCalendarUnit);

const leapDay = 1_709_209_845_678;

/** The fields of a date, computed from local time. */
const fields: readonly (readonly [string, (localMs: number) => number, string])[] = [
  ['year', (ms) => new Date(ms).getUTCFullYear(), 'The year'],
  ['quarter', (ms) => Math.floor(new Date(ms).getUTCMonth() / 3) + 1, 'The quarter of the year'],
  ['month monthOfYear', (ms) => new Date(ms).getUTCMonth() + 1, 'The month of the year'],
  ['week weekOfYear', (ms) => weekOf(ms).week, 'The ISO 8601 week'],
  ['yearOfWeek yow', (ms) => weekOf(ms).year, 'The year of the ISO 8601 week'],
  ['dayOfYear doy', dayOfYearOf, 'The day of the year'],
  ['dayOfMonth day', (ms) => new Date(ms).getUTCDate(), 'The day of the month'],
  ['dayOfWeek dow', weekdayOf, 'The day of the week, 1 for Monday'],
  ['hour', (ms) => new Date(ms).getUTCHours(), 'The hour of the day'],
  ['minute', (ms) => new Date(ms).getUTCMinutes(), 'The minute of the hour'],
  ['second', (ms) => new Date(ms).getUTCSeconds(), 'The second of the minute'],
  ['millisecond', (ms) => new Date(ms).getUTCMilliseconds(), 'The millisecond of the second'],
];

const fieldFunctions = fields.flatMap(([names, of, does]) => {
  const [name = ''] = names.split(' ');
  return [
    define(
      names,
      [millis],
      int,
      (ms) => of(checkedEpochMs(ms)),
      `${does} of an instant in UTC.`,
      `${name}(${leapDay})`,
    ),
    define(
      names,
      [millis, zone],
      int,
      (ms, at) => of(toLocal(checkedEpochMs(ms), at)),
      `${does} in a time zone.`,
      `${name}(${leapDay}, 'Asia/Kolkata')`,
    ),
  ];
});

/** These functions work on one instant, and have a form with `MV` that works on a list. */
const single = {
  ofText: [
    define(
      'fromIso8601',
      [text],
      millis,
      parseIso,
      'The instant of an ISO 8601 time with an offset.',
      "fromIso8601('2024-02-29T12:30:45Z')",
    ),
  ],
  toText: [
    define(
      'toIso8601',
      [millis],
      text,
      (ms) => isoOf(checkedEpochMs(ms)),
      'The instant in ISO 8601.',
      `toIso8601(${leapDay})`,
    ),
    define(
      'toDateTime',
      [millis, pattern],
      text,
      (ms, form) => formatDateTime(checkedEpochMs(ms), form, utc),
      'The instant as text in a pattern, in UTC.',
      `toDateTime(${leapDay}, 'yyyy-MM-dd HH:mm')`,
    ),
    define(
      'toDateTime',
      [millis, pattern, zone],
      text,
      (ms, form, at) => formatDateTime(checkedEpochMs(ms), form, at),
      'The same in a time zone.',
      `toDateTime(${leapDay}, 'yyyy-MM-dd HH:mm z', 'Europe/Berlin')`,
    ),
  ],
  parsed: [
    defineClocked(
      'fromDateTime',
      [text, pattern],
      millis,
      ({ clock }) =>
        (given, form) =>
          parseDateTime(given, form, utc, () => yearOf(clock)),
      'The instant of a text by a pattern, in UTC.',
      "fromDateTime('2024-02-29', 'yyyy-MM-dd')",
    ),
    defineClocked(
      'fromDateTime',
      [text, pattern, zone],
      millis,
      ({ clock }) =>
        (given, form, at) =>
          parseDateTime(given, form, at, () => yearOf(clock)),
      'The same in a time zone.',
      "fromDateTime('2024-02-29 12', 'yyyy-MM-dd HH', 'Europe/Berlin')",
    ),
  ],
  ago: [
    defineClocked(
      'ago',
      [text],
      millis,
      ({ clock }) =>
        (period) =>
          clock.nowMs() - parseDuration(period),
      'The instant that is a period before now: `PT1H`, `P7D`.',
      undefined,
      false,
    ),
  ],
  offset: [
    define(
      'timezoneHour',
      [text],
      int,
      (at) => offsetPart(jodaZone(at), 0, 'HOURS'),
      'The hours of the UTC offset of a time zone in 1970.',
      "timezoneHour('Asia/Kolkata')",
    ),
    define(
      'timezoneMinute',
      [text],
      int,
      (at) => offsetPart(jodaZone(at), 0, 'MINUTES'),
      'The minutes of the same offset.',
      "timezoneMinute('Asia/Kolkata')",
    ),
  ],
  offsetAt: [
    define(
      'timezoneHour',
      [zone, millis],
      int,
      (at, ms) => offsetPart(at, ms, 'HOURS'),
      'The hours of the UTC offset of a time zone at an instant.',
      `timezoneHour('Europe/Berlin', ${leapDay})`,
    ),
    define(
      'timezoneMinute',
      [zone, millis],
      int,
      (at, ms) => offsetPart(at, ms, 'MINUTES'),
      'The minutes of the same offset.',
      `timezoneMinute('Asia/Kolkata', ${leapDay})`,
    ),
  ],
  rounded: [
    define(
      'round',
      [long, long],
      long,
      roundTo,
      'A number truncated to a multiple of another.',
      'round(17, 5)',
    ),
  ],
  truncated: [
    define(
      'dateTrunc',
      [unit, millis],
      millis,
      (by, ms) => truncateInstant(ms, by, utc),
      'The instant, rounded down to a unit in UTC.',
      `dateTrunc('DAY', ${leapDay})`,
    ),
    define(
      'dateTrunc',
      [unit, long, text],
      long,
      (by, time, timeUnit) => dateTrunc(by, time, timeUnit, 'UTC', timeUnit),
      'A time in a unit such as SECONDS, rounded down to another unit in UTC.',
      "dateTrunc('MONTH', 1709209845, 'SECONDS')",
    ),
    define(
      'dateTrunc',
      [unit, long, text, text],
      long,
      (by, time, timeUnit, at) => dateTrunc(by, time, timeUnit, at, timeUnit),
      'A time in a unit such as SECONDS, rounded down to another unit in the local time of a zone.',
      "dateTrunc('DAY', 1709209845, 'SECONDS', 'Europe/Berlin')",
    ),
    define(
      'dateTrunc',
      [unit, long, text, text, text],
      long,
      dateTrunc,
      'A time, rounded down in the local time of a zone, and converted to another unit.',
      `dateTrunc('DAY', ${leapDay}, 'MILLISECONDS', 'Europe/Berlin', 'DAYS')`,
    ),
  ],
  added: [
    define(
      'timestampAdd dateAdd',
      [unit, millis, millis],
      millis,
      (by, count, ms) => addUnits(ms, count, by),
      'An instant moved by n units; written `TIMESTAMPADD(DAY, 1, a)`.',
      `TIMESTAMPADD(MONTH, 1, ${leapDay})`,
    ),
  ],
  counted: [
    define(
      'timestampDiff dateDiff',
      [unit, millis, millis],
      millis,
      (by, from, to) => countUnits(from, to, by),
      'The number of whole units between two instants; written `TIMESTAMPDIFF(DAY, a, b)`.',
      `TIMESTAMPDIFF(DAY, 0, ${leapDay})`,
    ),
  ],
};

const longList = [instants, instants] as const;
const listsOf = ({ returns }: FunctionDefinition) =>
  returns === long ? ([longs, longs] as const) : longList;
const intList = [instants, ints] as const;

/** The forms for lists, derived from those for one value. */
const multiple = [
  ...[...epochFunctions, ...single.rounded].map((each) => elementwise(each, 0, listsOf(each))),
  ...fieldFunctions.map((each) => elementwise(each, 0, intList)),
  ...single.ofText.map((each) => elementwise(each, 0, [texts, instants])),
  ...single.toText.map((each) => elementwise(each, 0, [instants, texts])),
  ...single.parsed.map((each) => elementwise(each, 0, [texts, instants])),
  ...single.ago.map((each) => elementwise(each, 0, [texts, instants])),
  ...single.offset.map((each) => elementwise(each, 0, [texts, ints])),
  ...single.offsetAt.map((each) => elementwise(each, 1, intList)),
  ...single.truncated.map((each) => elementwise(each, 1, listsOf(each))),
  ...single.added.map((each) => elementwise(each, 2, longList)),
  ...single.counted.flatMap((each) => [
    elementwise(each, 1, longList),
    elementwise(each, 2, longList, 'MVReverse'),
  ]),
];

/** Instants are milliseconds since 1970. Patterns are those of Joda-Time. */
export const dateFunctions: readonly FunctionDefinition[] = [
  ...single.parsed,
  defineClocked(
    'fromDateTime',
    [text, text, text, millis],
    millis,
    ({ clock }) =>
      (given, form, at, otherwise) => {
        try {
          return parseDateTime(given, parseDateTimePattern(form), jodaZone(at), () =>
            yearOf(clock),
          );
        } catch {
          return otherwise;
        }
      },
    'The instant of a text by a pattern, or the fourth argument if the text does not match.',
    "fromDateTime('x', 'yyyy', 'UTC', 0)",
  ),
  ...single.toText,
  ...single.ofText,
  define(
    'toTimestamp',
    [millis],
    timestamp,
    (ms) => new Timestamp(ms),
    'A timestamp of an instant.',
    `toTimestamp(${leapDay})`,
  ),
  define(
    'fromTimestamp',
    [timestamp],
    millis,
    ({ epochMs }) => epochMs,
    'The instant of a timestamp.',
    "fromTimestamp('2024-02-29 12:30:45')",
  ),
  define(
    'toTimestampMV',
    [instants],
    timestamps,
    (list) => list.map((ms) => new Timestamp(ms)),
    'A timestamp of each instant.',
    undefined,
  ),
  define(
    'fromTimestampMV',
    [timestamps],
    instants,
    (list) => list.map(({ epochMs }) => epochMs),
    'The instant of each timestamp.',
    `fromTimestampMV(toTimestampMV(ARRAY[1, 2]))`,
  ),
  ...epochFunctions,
  ...fieldFunctions,
  define(
    'extract',
    [text, millis],
    int,
    extract,
    'A field of an instant; written `EXTRACT(YEAR FROM a)`.',
    `EXTRACT(YEAR FROM ${leapDay})`,
  ),
  ...single.truncated,
  ...single.rounded,
  define(
    'dateBin',
    [text, timestamp, timestamp],
    timestamp,
    (width, at, origin) =>
      new Timestamp(
        origin.epochMs +
          quotient(at.epochMs - origin.epochMs, parsePeriod(width)) * parsePeriod(width),
      ),
    'The timestamp, rounded down to a span such as `1h30m`, counted from an origin.',
    "dateBin('1h', '2024-02-29 12:34:56', '1970-01-01 00:00:00')",
  ),
  defineClocked(
    'dateTimeConvert',
    [text, text, text, text],
    object,
    ({ clock }) =>
      (given, from, to, granularity) =>
        convert(given, from, to, granularity, undefined, clock),
    'A time in another format, rounded down to a granularity.',
    `dateTimeConvert('${leapDay}', '1:MILLISECONDS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd', '1:DAYS')`,
  ),
  defineClocked(
    'dateTimeConvert',
    [text, text, text, text, text],
    object,
    ({ clock }) =>
      (given, from, to, granularity, zone) =>
        convert(given, from, to, granularity, zone, clock),
    'A time in another format, rounded down to a granularity in the local time of a zone.',
    `dateTimeConvert('${leapDay}', '1:MILLISECONDS:EPOCH', '1:HOURS:EPOCH', '1:DAYS', 'Europe/Berlin')`,
  ),
  ...single.added,
  ...single.counted,
  ...single.offset,
  ...single.offsetAt,
  defineClocked(
    'now',
    [],
    millis,
    ({ clock }) =>
      () =>
        clock.nowMs(),
    'The current instant.',
    undefined,
    false,
  ),
  ...single.ago,
  define(
    'sleep',
    [millis],
    millis,
    (ms) => ms,
    'The argument, unchanged, without a delay.',
    'sleep(0)',
  ),
  ...multiple,
];

/** Years beyond 9999 have a sign and no leading zeros. */
function isoOf(epochMs: number): string {
  return new Date(epochMs)
    .toISOString()
    .replace('.000Z', 'Z')
    .replace(/^([+-])0{1,2}/, '$1');
}

function dateTrunc(
  by: CalendarUnit,
  time: bigint,
  timeUnit: string,
  at: string,
  outputUnit: string,
): bigint {
  const [from, to] = [
    parseTimeUnit(timeUnit.toUpperCase()),
    parseTimeUnit(outputUnit.toUpperCase()),
  ];
  const epochMs = Number(convertExactly(time, from, 'MILLISECONDS'));
  return convertExactly(BigInt(truncateInstant(epochMs, by, indexedZone(at))), 'MILLISECONDS', to);
}

function offsetPart(at: Zone, epochMs: number, part: 'HOURS' | 'MINUTES'): number {
  const offset = convertTime(at.offsetMsAt(checkedEpochMs(epochMs)), 'MILLISECONDS', part);
  return part === 'HOURS' ? offset : (offset % 60) + 0;
}

const extracted = [
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'DOY',
  'DOW',
  'HOUR',
  'MINUTE',
  'SECOND',
];

function extract(name: string, epochMs: number): number {
  const field = extracted.includes(name)
    ? fields.find(([names]) => names.split(' ').includes(name.toLowerCase()))
    : undefined;
  if (field === undefined) {
    throw expressionFailed(
      `‘${name.slice(0, 40)}’ is not a field: expected ${extracted.join(', ')}.`,
    );
  }
  return field[1](checkedEpochMs(epochMs));
}
