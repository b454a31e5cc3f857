import type { Given } from './argument-pools.ts';
import { type Comparison, isFailure } from './function-cases.ts';
import { java17TextOfDouble } from './java-17-double.ts';
import { isSameOutcome, type RowComparison } from './pipeline-cases.ts';

/**
 * An intended or permanent difference of functions from the engine's, with its reason. Calls that
 * no difference explains must agree.
 */
export interface Difference {
  /** Names without underscores, in small letters. */
  readonly functions: RegExp;
  /** Reports whether this difference explains a call on which the two disagree. */
  readonly explains: (call: Comparison) => boolean;
  readonly reason: string;
}

const dates =
  /^(?:ago|year|quarter|month|week|day|dow|doy|yow|hour|minute|second|millisecond|timezone|datetrunc|timestamp|datetime|date|extract|todatetime|fromdatetime|toiso|fromepoch|toepoch|round|totimestamp|fromtimestamp|cast)/;

const differences: readonly Difference[] = [
  {
    functions: dates,
    explains: weSay(/is outside the calendar/),
    reason: 'Dates beyond the year 275760 are errors, where the engine goes on to 292278994.',
  },
  {
    functions: dates,
    // Digits of a long number, or an instant that is saturated.
    explains: ({ call, judged, ours }) =>
      /\d{16}|e\+?\d\d/.test(`${call} ${JSON.stringify(judged)}`) && !isFailure(ours),
    reason: 'Instants and spans have 53 bits: beyond, the last digits differ.',
  },
  {
    functions: /^(?:todatetime|datetimeconvert)/,
    explains: ({ judged, ours }) =>
      isText(judged) && isText(ours) && judged.replace(/ \S+$/, '') === ours.replace(/ \S+$/, ''),
    reason:
      'Whether a zone has summer time is told by its offsets in January and July: in a year in which it moved its standard time, and before 1973, its name may be that of the other half of the year.',
  },
  {
    functions: /^json/,
    explains: weSay(/is not supported here|searches too much|A JSON path|function has no path/),
    reason:
      'Some paths of Jayway’s dialect are errors here: functions with arguments, filters that compare with null.',
  },
  {
    functions: /^(?:regexp|like)/,
    explains: weSay(/regular expression|pattern/),
    reason:
      'Regular expressions are RE2, which takes linear time: no look-around, no back-references.',
  },
  {
    functions: /^(?:issubnetof|ip)/,
    explains: weSay(/is not an IP address/),
    reason:
      'Only whole addresses are read, where the engine takes `0` for 0.0.0.0 and an empty text for the machine itself.',
  },
  {
    functions: /^[lr]pad|uniquengrams/,
    explains: ({ call }) => /-21474836\d\d/.test(call),
    reason:
      'A length near -2^31 overflows in the engine, which then gives nothing or runs out of memory.',
  },
  {
    functions: /./,
    explains: weSay(/is too long|nested more than|may have \d+ digits/),
    reason: 'Lists, texts and numbers have limits.',
  },
];

/**
 * A call for each reason, on which the engine behaves as the reason claims: function, expression,
 * value.
 */
export const proofs: readonly (readonly [name: string, expression: string, value: Given])[] = [
  ['todatetime', "toDateTime(c0, 'yyyy')", 9_000_000_000_000_000],
  ['toepochseconds', 'toEpochSeconds(c0)', { $long: '9007199254740993999' }],
  ['todatetime', "toDateTime(c0, 'yyyy z', 'America/Scoresbysund')", 1_720_000_000_000],
  ['jsonpatharray', "jsonPathArray(c0, '$[?(@.a == null)]')", '[{"a":null},{"a":1}]'],
  ['regexpreplace', "regexpReplace(c0, 'a(?=b)', 'x')", 'aab'],
  ['issubnetof', "isSubnetOf('0.0.0.0/8', c0)", '0'],
  ['lpad', "lpad(c0, -2147483648, 'x')", 'abc'],
  ['repeat', 'repeat(c0, 2000000)', 'x'],
];

/** All reasons, in their order. */
export const reasonsOfCalls: readonly string[] = differences.map(({ reason }) => reason);

/** Returns the reason why a call differs, if it is known. */
export function reasonOfCall(name: string, call: Comparison): string | undefined {
  return differences.find(({ functions, explains }) => functions.test(name) && explains(call))
    ?.reason;
}

function weSay(message: RegExp): (call: Comparison) => boolean {
  return ({ judged, ours }) => !isFailure(judged) && isFailure(ours) && message.test(ours.error);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Names of the registry that concern queries, which ingestion does not have. */
export const ofQueries: ReadonlySet<string> = new Set(
  'brokerid cid endtime queryengine reqid stageid starttime workerid'.split(' '),
);

/** Functions of geometries in pinot-core, which the judge's registry does not have either. */
export const geometries: readonly string[] = (
  'stpoint stgeomfromtext stgeogfromtext stgeomfromgeojson stgeogfromgeojson stgeomfromwkb stgeogfromwkb stastext stasgeojson stasbinary ' +
  'tosphericalgeography togeometry geotoh3 stdistance stcontains stequals stgeometrytype stwithin griddistance griddisk'
).split(' ');

/**
 * Functions of `SketchFunctions` in pinot-core, which the judge's registry does not have: an
 * ingestion config may call them.
 */
export const sketches: readonly string[] = (
  'tothetasketch getthetasketchestimate thetasketchunion thetasketchintersect thetasketchdiff thetasketchtostring tohll toull fromull ' +
  'tocpcsketch getcpcsketchestimate cpcsketchunion cpcsketchtostring tointegersumtuplesketch getinttuplesketchestimate ' +
  'intsumtuplesketchunion intmintuplesketchunion intmaxtuplesketchunion intsumtuplesketchintersect intmintuplesketchintersect ' +
  'intmaxtuplesketchintersect intsumtuplesketchdiff'
).split(' ');

/**
 * The reasons why a row differs from the engine's permanently; everything else in it must be equal.
 */
export const rowDifferences: readonly {
  readonly explains: (comparison: RowComparison) => boolean;
  readonly reason: string;
}[] = [
  {
    explains: ({ judged, ours, schema }) => {
      if (!Array.isArray(judged) || !Array.isArray(ours)) return false;
      const [left, right] = [judged as readonly Shown[], ours as readonly Shown[]];
      const marked = right.map((row, index) => {
        const isUnmarked =
          left[index]?.isSanitized === false &&
          row.nullFields.some((name) => hasLongDefault(name, schema));
        return isUnmarked ? { ...row, isSanitized: false } : row;
      });
      return isSameOutcome(judged, marked, schema);
    },
    reason:
      'The engine cuts the default of a list in place, for all rows at once: only the first row that it stands in is marked as changed. Here each is.',
  },
  {
    explains: ({ row: given, judged, ours, schema }) => {
      if (!Array.isArray(ours) || !Object.values(given).some(holdsArrays)) return false;
      if (!Array.isArray(judged)) {
        return isText(judged) && judged.startsWith('failed') && arrayName.test(judged);
      }
      const [theirs, mine] = [judged as readonly Shown[], ours as readonly Shown[]];
      return (
        theirs.length === mine.length &&
        theirs.every((row, index) => isSameButForNames(row, mine[index], schema))
      );
    },
    reason:
      'To a function of texts the engine gives what Java calls an array, another name each time, where bytes or lists stand in a list. Here it is their own text.',
  },
  {
    explains: ({ row, judged, ours, schema }) =>
      Array.isArray(judged) &&
      Array.isArray(ours) &&
      isSameOutcome(judged, asJava17(ours, numbersIn(row), schema), schema),
    reason:
      'Java before 19, which runs the judge, does not always write a double with the fewest digits: it says 8.409999999999999E21 where 8.41E21 is the same number. Here it is as Java 19 and later ones write it.',
  },
  {
    explains: ({ judged, ours, schema }) =>
      Array.isArray(judged) &&
      (judged as readonly Shown[]).some((row) => holdsFarTime(row, schema)) &&
      (ours === 'failed' ||
        (Array.isArray(ours) && (ours as readonly Shown[]).every((row) => row.isIncomplete))),
    reason:
      'A TIMESTAMP beyond the year 275760, such as one in nanoseconds by mistake, fails its row here, where the engine stores it: DuckDB could answer no query of its table.',
  },
];

/** Reports whether a column of a row has a time beyond the year 275760. */
function holdsFarTime(
  { fields }: Shown,
  { dimensionFieldSpecs = [], dateTimeFieldSpecs = [] }: RowComparison['schema'],
): boolean {
  return [...dimensionFieldSpecs, ...dateTimeFieldSpecs].some(
    ({ name = '', dataType }) =>
      dataType === 'TIMESTAMP' &&
      [...JSON.stringify(fields[name] ?? null).matchAll(/-?\d+/g)].some(
        ([digits]) => Math.abs(Number(digits)) > 8.64e15,
      ),
  );
}

/** Reports whether a value is a list or a map that contains bytes or lists. */
function holdsArrays(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(
    (each: unknown) =>
      Array.isArray(each) ||
      (typeof each === 'object' && each !== null && ('$bytes' in each || holdsArrays(each))),
  );
}

/**
 * Reports whether two rows differ only in columns with that name, and in those whose value could
 * not be converted any further or was too long.
 */
function isSameButForNames(
  judged: Shown,
  ours: Shown | undefined,
  schema: RowComparison['schema'],
): boolean {
  if (ours === undefined) return false;
  const isLost = (name: string): boolean =>
    judged.nullFields.includes(name) && !ours.nullFields.includes(name);
  const isTooLong = ({
    name = '',
    maxLengthExceedStrategy: strategy,
    defaultNullValue = 'null',
  }: Column): boolean =>
    strategy === 'SUBSTITUTE_DEFAULT_VALUE' &&
    judged.fields[name] === String(defaultNullValue) &&
    ours.fields[name] !== judged.fields[name];
  const isOther = (column: Column): boolean =>
    !isLost(column.name ?? '') &&
    !isTooLong(column) &&
    !arrayName.test(JSON.stringify(judged.fields[column.name ?? ''] ?? null));
  const {
    dimensionFieldSpecs = [],
    metricFieldSpecs = [],
    dateTimeFieldSpecs = [],
    complexFieldSpecs = [],
  } = schema;
  const others = {
    dimensionFieldSpecs: dimensionFieldSpecs.filter(isOther),
    metricFieldSpecs: metricFieldSpecs.filter(isOther),
    dateTimeFieldSpecs: dateTimeFieldSpecs.filter(isOther),
    complexFieldSpecs: complexFieldSpecs.filter(isOther),
  };
  const nullFields = judged.nullFields.filter((name) => !isLost(name));
  // The engine marks a row as incomplete if a column of a type that such a name does not fit lost
  // its value.
  const isIncomplete =
    nullFields.length < judged.nullFields.length ? ours.isIncomplete : judged.isIncomplete;
  const { isSanitized } = ours;
  return isSameOutcome([{ ...judged, nullFields, isIncomplete, isSanitized }], [ours], others);
}

/**
 * Returns rows in whose texts each number with an exponent is written as by Java 17. A number that
 * the column's length truncates is recognized by the numbers of the given row.
 */
function asJava17(
  rows: readonly unknown[],
  numbers: readonly number[],
  { dimensionFieldSpecs = [] }: RowComparison['schema'],
): readonly unknown[] {
  return (rows as readonly Shown[]).map((row) => {
    let { isSanitized } = row;
    const written = (value: unknown, lengthMax: number): unknown => {
      if (Array.isArray(value)) return value.map((each) => written(each, lengthMax));
      if (typeof value !== 'string') return value;
      const text = writtenByJava17(value, numbers, lengthMax);
      if (text === value || text.length <= lengthMax) return text;
      isSanitized = true;
      return text.slice(0, lengthMax);
    };
    const fields = Object.entries(row.fields).map(([name, value]) => {
      const { maxLength = 512 } = dimensionFieldSpecs.find((each) => each.name === name) ?? {};
      return [name, written(value, maxLength)] as const;
    });
    return { ...row, fields: Object.fromEntries(fields), isSanitized };
  });
}

function writtenByJava17(text: string, numbers: readonly number[], lengthMax: number): string {
  const isCut = text.length === lengthMax;
  const whole = text.replaceAll(/(?<![\d.])-?\d\.\d+E-?\d+/g, (digits, start: number) =>
    isCut && start + digits.length === text.length ? digits : java17TextOfDouble(Number(digits)),
  );
  if (!isCut) return whole;
  return whole.replace(/(?<![\d.])-?\d(?:\.\d*(?:E-?\d*)?)?$/, (last) => {
    const number = numbers.find((each) => exponentialText(each)?.startsWith(last));
    return number === undefined ? last : java17TextOfDouble(number).slice(0, last.length);
  });
}

/** A number with the fewest digits and an exponent; undefined where Java writes it without one. */
function exponentialText(number: number): string | undefined {
  const size = Math.abs(number);
  if (!Number.isFinite(number) || size === 0 || (size >= 1e-3 && size < 1e7)) return undefined;
  const two = number.toExponential(1);
  const [digits = '', exponent] = (Number(two) === number ? two : number.toExponential()).split(
    'e',
  );
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

/** The numbers in a row, at any depth, whole doubles among them. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if ('$double' in value) return [Number(value.$double)];
  return Object.values(value).flatMap(numbersIn);
}

/**
 * Matches Java's name of an array of bytes or of objects, possibly truncated to a column's length.
 */
const arrayName = /\[(?:B|L[\w.;]*)(?:@[\da-f]|")/i;

type Column = NonNullable<RowComparison['schema']['dimensionFieldSpecs']>[number];

interface Shown {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly nullFields: readonly string[];
  readonly isIncomplete: boolean;
  readonly isSanitized: boolean;
}

/** Reports whether a column of lists has a default that is longer than its values may be. */
function hasLongDefault(
  name: string,
  { dimensionFieldSpecs = [] }: RowComparison['schema'],
): boolean {
  const spec = dimensionFieldSpecs.find((each) => each.name === name);
  const { dataType, singleValueField, maxLength = 512, defaultNullValue = 'null' } = spec ?? {};
  return (
    dataType === 'STRING' &&
    singleValueField === false &&
    String(defaultNullValue).length > maxLength
  );
}
