import { isDeepStrictEqual } from 'node:util';

/** Where a function differs from the engine's on purpose or for good, and why: everything else must agree. */
export interface Difference {
  /** Names without underscores, in small letters. */
  readonly functions: RegExp;
  readonly reason: string;
}

export const differences: readonly Difference[] = [
  {
    functions: /^json(?:path|extractkey|keyvalue)/,
    reason: 'Paths are RFC 9535, of which Jayway’s dialect takes a few more; names in objects keep the order of their text.',
  },
  {
    functions: /^(?:regexp|like)/,
    reason: 'Regular expressions are RE2, which takes linear time: no look-around, no back-references.',
  },
  {
    functions:
      /^(?:year|quarter|month|week|day|dow|doy|yow|hour|minute|second|millisecond|timezone|datetrunc|timestamp|datetime|date|extract|todatetime|fromdatetime|toiso|fromepoch|toepoch|round)/,
    reason: 'Dates beyond the year 275760 are errors, where the engine goes on to 292278994; long spans have 53 bits.',
  },
  { functions: /^(?:issubnetof|ip)/, reason: 'Only whole addresses are read, where the engine takes `0` for 0.0.0.0.' },
  { functions: /^(?:totimestamp|fromtimestamp)/, reason: 'Instants beyond 2^53 milliseconds lose digits.' },
  {
    functions: /^(?:arraytostring|cast|bytestobigdecimal)/,
    reason: 'Lists within lists have no text of their own in Java; maps do not become bytes.',
  },
  { functions: /^(?:stringtoarray|prefixes|suffixes|uniquengrams|generateuniquengrams)/, reason: 'Lists and texts have limits.' },
];

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

/** Why a row differs from the engine's for good. */
export const rowDifferences: readonly {
  readonly applies: (judged: unknown, ours: unknown) => boolean;
  readonly reason: string;
}[] = [
  {
    applies: (judged, ours) =>
      isDeepStrictEqual(
        marksOf(judged, 'isSanitized'),
        marksOf(ours, 'isSanitized').map(() => false),
      ),
    reason:
      'The engine cuts the default of a list in place, for all rows at once: only the first row that it stands in is marked as changed. Here each is.',
  },
];

function marksOf(rows: unknown, mark: string): readonly unknown[] {
  return Array.isArray(rows) ? (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => row[mark]) : [];
}
