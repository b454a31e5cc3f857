import { quoteLiteral } from '../../conversion/column-plan.ts';
import { toInt, toLong, toText } from '../convert.ts';
import { durationMs, millisecondsOf, patternFormat, timeFormatOf } from '../time-formats.ts';
import { invalid, isText, type Typed, typed } from '../typed.ts';
import {
  at,
  type CallInfo,
  constantAt,
  type FunctionRule,
  type FunctionTable,
  rule,
} from './function-rule.ts';

/**
 * Returns an instant as DuckDB's timestamp, in UTC or in the local time of a zone. The cast removes
 * the zone of a stored type, with which `timezone` would convert the other way.
 */
function momentOf(value: Typed, zone?: string): string {
  const utc =
    value.type === 'TIMESTAMP' ? `CAST(${value.sql} AS TIMESTAMP)` : `epoch_ms(${toLong(value)})`;
  return zone === undefined || zone === 'UTC'
    ? utc
    : `timezone(${quoteLiteral(zone)}, timezone('UTC', ${utc}))`;
}

/** Converts a local timestamp back to epoch milliseconds. */
function millisecondsAt(local: string, zone?: string): string {
  return `epoch_ms(${zone === undefined || zone === 'UTC' ? local : `timezone('UTC', timezone(${quoteLiteral(zone)}, ${local}))`})`;
}

const parts: Readonly<Record<string, string>> = {
  YEAR: 'year',
  YEAROFWEEK: 'isoyear',
  YOW: 'isoyear',
  QUARTER: 'quarter',
  MONTH: 'month',
  MONTHOFYEAR: 'month',
  WEEK: 'weekofyear',
  WEEKOFYEAR: 'weekofyear',
  DAY: 'day',
  DAYOFMONTH: 'day',
  DAYOFYEAR: 'dayofyear',
  DOY: 'dayofyear',
  // Monday is 1, Sunday is 7.
  DAYOFWEEK: 'isodow',
  DOW: 'isodow',
  HOUR: 'hour',
  MINUTE: 'minute',
  SECOND: 'second',
  MILLISECOND: 'millisecond',
};

/** Returns a field of a time; milliseconds are those of the second. */
function partOf(name: string, moment: string): string {
  const part = `${parts[name]}(${moment})`;
  return `CAST(${name === 'MILLISECOND' ? `${part} % 1000` : part} AS INTEGER)`;
}

const field = (name: string): FunctionRule =>
  rule([1, 2], 'INT', (values, call) =>
    partOf(
      name,
      momentOf(
        at(values, 0),
        values.length > 1 ? constantAt(values, 1, call, 'a time zone') : undefined,
      ),
    ),
  );

const extract = rule([2, 3], 'INT', (values, call) => {
  const name = constantAt(values, 0, call, 'a part of a time').toUpperCase();
  if (parts[name] === undefined) {
    throw invalid(
      `'${name}' of ${call.name} is not a part of a time: expected ${Object.keys(parts).join(', ')}.`,
    );
  }
  return partOf(
    name,
    momentOf(
      at(values, 1),
      values.length > 2 ? constantAt(values, 2, call, 'a time zone') : undefined,
    ),
  );
});

const truncUnits: ReadonlySet<string> = new Set([
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
]);

function unitOf(given: string, { name }: CallInfo): string {
  const unit = given
    .toUpperCase()
    .replace(/^SQL_TSI_/, '')
    .replace(/S$/, '');
  if (truncUnits.has(unit)) return unit;
  throw invalid(
    `'${given}' of ${name} is not a unit of time: expected ${[...truncUnits].join(', ')}.`,
  );
}

/** Translates `DATETRUNC(unit, time, unit of the time, zone, unit of the result)`. */
const truncate = rule([2, 5], 'LONG', (values, call) => {
  const unit = unitOf(constantAt(values, 0, call, 'a unit of time'), call);
  const constants = [2, 3, 4].map((index) =>
    values.length > index ? constantAt(values, index, call, 'a unit or a time zone') : undefined,
  );
  const [inputUnit = 'MILLISECONDS', zone, outputUnit = inputUnit] = constants;
  const given = at(values, 1);
  const inputMs = millisecondsOf(inputUnit);
  const epochMs = inputMs === 1 ? given : typed('LONG', `(${toLong(given)} * ${inputMs})`);
  const local = momentOf(epochMs, zone);
  const localStart = `date_trunc('${unit.toLowerCase()}', ${local})`;
  // An hour that a zone repeats starts twice, so that its start is found by the time since then.
  const isRepeated =
    zone !== undefined && zone !== 'UTC' && (fixedUnits[unit] ?? Infinity) <= 3_600_000;
  const truncated = isRepeated
    ? `(${toLong(epochMs)} - (epoch_ms(${local}) - epoch_ms(${localStart})))`
    : millisecondsAt(localStart, zone);
  const outputMs = millisecondsOf(outputUnit);
  return outputMs === 1 ? truncated : `(${truncated} // ${outputMs})`;
});

const dateTimeConvert: FunctionRule = {
  arity: [4, 5],
  translate: (values, call) => {
    if (values.length === 5) {
      throw invalid(
        `In the embedded engine, ${call.name} takes four arguments: leave out its time zone.`,
      );
    }
    const [from, to, granularity] = [1, 2, 3].map((index) =>
      constantAt(values, index, call, 'a date-time format'),
    );
    const given = at(values, 0);
    const source = timeFormatOf(from ?? '');
    // Fractions are cut off, as of `ms / 1000`, where a cast would round.
    const value = isText(given.type) ? given : typed('LONG', toLong(given));
    const target = timeFormatOf(to ?? '');
    return typed(target.type, target.write(source.read(value.sql), granularity ?? ''));
  },
};

const fixedUnits: Readonly<Record<string, number>> = {
  MILLISECOND: 1,
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
  WEEK: 604_800_000,
};
const monthsOf: Readonly<Record<string, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 };

const add = rule(3, 'LONG', (values, call) => {
  const unit = unitOf(constantAt(values, 0, call, 'a unit of time'), call);
  const [count, epochMs] = [at(values, 1), toLong(at(values, 2))];
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) return `(${epochMs} + ${toLong(count)} * ${fixed})`;
  return `epoch_ms(epoch_ms(${epochMs}) + to_months(${toInt(count)} * ${monthsOf[unit]}))`;
});

const difference = rule(3, 'LONG', (values, call) => {
  const unit = unitOf(constantAt(values, 0, call, 'a unit of time'), call);
  const [from, to] = [at(values, 1), at(values, 2)];
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) return `((${toLong(to)} - ${toLong(from)}) // ${fixed})`;
  return `(datesub('month', ${momentOf(from)}, ${momentOf(to)}) // ${monthsOf[unit]})`;
});

/**
 * Defines `ToEpochSeconds` and its variants, with `Rounded` and `Bucket`, and the reverse
 * functions.
 */
function epochFunctions(): FunctionTable {
  const units = { SECONDS: 1000, MINUTES: 60_000, HOURS: 3_600_000, DAYS: 86_400_000 };
  return Object.fromEntries(
    Object.entries(units).flatMap(([unit, ms]): (readonly [string, FunctionRule])[] => [
      [`TOEPOCH${unit}`, rule(1, 'LONG', (values) => `(${toLong(at(values, 0))} // ${ms})`)],
      [
        `TOEPOCH${unit}ROUNDED`,
        rule(2, 'LONG', (values) => {
          const size = toLong(at(values, 1));
          return `(${toLong(at(values, 0))} // ${ms} // ${size} * ${size})`;
        }),
      ],
      [
        `TOEPOCH${unit}BUCKET`,
        rule(
          2,
          'LONG',
          (values) => `(${toLong(at(values, 0))} // (${ms} * ${toLong(at(values, 1))}))`,
        ),
      ],
      [`FROMEPOCH${unit}`, rule(1, 'LONG', (values) => `(${toLong(at(values, 0))} * ${ms})`)],
      [
        `FROMEPOCH${unit}BUCKET`,
        rule(
          2,
          'LONG',
          (values) => `(${toLong(at(values, 0))} * ${ms} * ${toLong(at(values, 1))})`,
        ),
      ],
    ]),
  );
}

/** Functions of times; the instants that they return are milliseconds since 1970. */
export const timeFunctions: FunctionTable = {
  ...Object.fromEntries(Object.keys(parts).map((name) => [name, field(name)] as const)),
  ...epochFunctions(),
  EXTRACT: extract,
  DATETRUNC: truncate,
  DATETIMECONVERT: dateTimeConvert,
  TIMECONVERT: rule(3, 'LONG', (values, call) => {
    const [from, to] = [1, 2].map((index) =>
      millisecondsOf(constantAt(values, index, call, 'a unit of time')),
    );
    return `(${toLong(at(values, 0))} * ${from} // ${to})`;
  }),
  TODATETIME: rule([2, 3], 'STRING', (values, call) => {
    const pattern = constantAt(values, 1, call, 'a pattern, such as yyyy-MM-dd');
    const zone = values.length > 2 ? constantAt(values, 2, call, 'a time zone') : undefined;
    return patternFormat(pattern, zone).write(toLong(at(values, 0)), '1:MILLISECONDS');
  }),
  FROMDATETIME: rule([2, 3], 'LONG', (values, call) => {
    const pattern = constantAt(values, 1, call, 'a pattern, such as yyyy-MM-dd');
    const zone = values.length > 2 ? constantAt(values, 2, call, 'a time zone') : undefined;
    return patternFormat(pattern, zone).read(toText(at(values, 0)));
  }),
  NOW: rule(0, 'LONG', () => 'epoch_ms(now())'),
  AGO: rule(1, 'LONG', (values, call) => {
    const duration = constantAt(values, 0, call, 'a duration, such as P1D');
    return `(epoch_ms(now()) - (${durationMs(duration)}))`;
  }),
  TIMESTAMPADD: add,
  DATEADD: add,
  TIMESTAMPDIFF: difference,
  DATEDIFF: difference,
  FROMTIMESTAMP: rule(1, 'LONG', (values) => toLong(at(values, 0))),
  TOTIMESTAMP: rule(1, 'TIMESTAMP', (values) => momentOf(at(values, 0))),
};
