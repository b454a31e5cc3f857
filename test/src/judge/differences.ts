import { type Comparison, isFailure } from './function-cases.ts';
import { isSameOutcome, type RowComparison } from './pipeline-cases.ts';

/** Why a function differs from the engine's on purpose or for good: what it does not explain must agree. */
export interface Difference {
  /** Names without underscores, in small letters. */
  readonly functions: RegExp;
  /** Whether this is what the two differ by, in a call on which they do. */
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
    explains: ({ call, judged, ours }) => /\d{16}|e\+?\d\d/.test(`${call} ${JSON.stringify(judged)}`) && !isFailure(ours),
    reason: 'Instants and spans have 53 bits: beyond, the last digits differ.',
  },
  {
    functions: dates,
    explains: ({ judged, ours }) =>
      [judged, ours].some((each) => typeof each === 'string' && /^(?:-|0|1[0-4]|15[0-7])\d*-/.test(each)),
    reason: 'The calendar is Gregorian for ever; java.sql.Timestamp writes dates before 1582 in the Julian one.',
  },
  {
    functions: /^(?:todatetime|datetimeconvert)/,
    explains: ({ judged, ours }) => isText(judged) && isText(ours) && judged.replace(/ \S+$/, '') === ours.replace(/ \S+$/, ''),
    reason: 'What a zone was called before 1973 is what the runtime says, which is not always what Java says.',
  },
  {
    functions: /^json/,
    explains: weSay(/is not a JSON path|searches too much|A JSON path/),
    reason: 'Paths are RFC 9535, of which Jayway’s dialect takes a few more.',
  },
  {
    functions: /^(?:regexp|like)/,
    explains: weSay(/regular expression|pattern/),
    reason: 'Regular expressions are RE2, which takes linear time: no look-around, no back-references.',
  },
  {
    functions: /^(?:issubnetof|ip)/,
    explains: weSay(/is not an address/),
    reason: 'Only whole addresses are read, where the engine takes `0` for 0.0.0.0 and an empty text for the machine itself.',
  },
  {
    functions: /^[lr]pad|uniquengrams/,
    explains: ({ call }) => /-21474836\d\d/.test(call),
    reason: 'A length near -2^31 overflows in the engine, which then gives nothing or runs out of memory.',
  },
  {
    functions: /./,
    explains: weSay(/is too long|nested more than|may have \d+ digits/),
    reason: 'Lists, texts and numbers have limits.',
  },
];

/** Why a call differs, where that is known. */
export function reasonOfCall(name: string, call: Comparison): string | undefined {
  return differences.find(({ functions, explains }) => functions.test(name) && explains(call))?.reason;
}

function weSay(message: RegExp): (call: Comparison) => boolean {
  return ({ judged, ours }) => !isFailure(judged) && isFailure(ours) && message.test(ours.error);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Names of the registry that tell of a query: ingestion has none. */
export const ofQueries: ReadonlySet<string> = new Set(
  'brokerid cid endtime queryengine reqid stageid starttime workerid'.split(' '),
);

/** Functions of geometries in pinot-core, which the judge's registry does not have either. */
export const geometries: readonly string[] = (
  'stpoint stgeomfromtext stgeogfromtext stgeomfromgeojson stgeogfromgeojson stgeomfromwkb stgeogfromwkb stastext stasgeojson stasbinary ' +
  'tosphericalgeography togeometry geotoh3 stdistance stcontains stequals stgeometrytype stwithin griddistance griddisk'
).split(' ');

/** Functions of `SketchFunctions` in pinot-core, which the judge's registry does not have: an ingestion config may call them. */
export const sketches: readonly string[] = (
  'tothetasketch getthetasketchestimate thetasketchunion thetasketchintersect thetasketchdiff thetasketchtostring tohll toull fromull ' +
  'tocpcsketch getcpcsketchestimate cpcsketchunion cpcsketchtostring tointegersumtuplesketch getinttuplesketchestimate ' +
  'intsumtuplesketchunion intmintuplesketchunion intmaxtuplesketchunion intsumtuplesketchintersect intmintuplesketchintersect ' +
  'intmaxtuplesketchintersect intsumtuplesketchdiff'
).split(' ');

/** Why a row differs from the engine's for good: all else in it must be equal. */
export const rowDifferences: readonly {
  readonly explains: (comparison: RowComparison) => boolean;
  readonly reason: string;
}[] = [
  {
    explains: ({ judged, ours, schema }) => {
      if (!Array.isArray(judged) || !Array.isArray(ours)) return false;
      const [left, right] = [judged as readonly Shown[], ours as readonly Shown[]];
      const marked = right.map((row, index) => {
        const isUnmarked = left[index]?.isSanitized === false && row.nullFields.some((name) => hasLongDefault(name, schema));
        return isUnmarked ? { ...row, isSanitized: false } : row;
      });
      return isSameOutcome(judged, marked, schema);
    },
    reason:
      'The engine cuts the default of a list in place, for all rows at once: only the first row that it stands in is marked as changed. Here each is.',
  },
];

interface Shown {
  readonly nullFields: readonly string[];
  readonly isSanitized: boolean;
}

/** Whether a column of lists has a default that is longer than its values may be. */
function hasLongDefault(name: string, { dimensionFieldSpecs = [] }: RowComparison['schema']): boolean {
  const spec = dimensionFieldSpecs.find((each) => each.name === name);
  const { dataType, singleValueField, maxLength = 512, defaultNullValue = 'null' } = spec ?? {};
  return dataType === 'STRING' && singleValueField === false && String(defaultNullValue).length > maxLength;
}
