import { distance } from 'fastest-levenshtein';
import { arrayFunctions } from './arrays.ts';
import { conversionFunctions } from './conversion.ts';
import { dateFunctions } from './dates.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { geoFunctions } from './geo.ts';
import { hashFunctions } from './hashes.ts';
import { jsonFunctions } from './json.ts';
import { comparisonFunctions, logicFunctions } from './logic.ts';
import { networkFunctions } from './networks.ts';
import { arithmeticFunctions, mathematicsFunctions } from './numbers.ts';
import { patternFunctions } from './patterns.ts';
import { textFunctions } from './texts.ts';
import { urlFunctions } from './urls.ts';
import { vectorFunctions } from './vectors.ts';

/** A chapter of the documentation with its functions. */
export interface FunctionFamily {
  readonly title: string;
  readonly functions: readonly FunctionDefinition[];
}

/** Every function that an expression may call, in the order of the documentation. */
export const functionFamilies: readonly FunctionFamily[] = [
  { title: 'Dates and times', functions: dateFunctions },
  { title: 'JSON', functions: jsonFunctions },
  { title: 'Text', functions: textFunctions },
  { title: 'Patterns', functions: patternFunctions },
  { title: 'Arithmetic', functions: arithmeticFunctions },
  { title: 'Mathematics', functions: mathematicsFunctions },
  { title: 'Comparison', functions: comparisonFunctions },
  { title: 'Logic, choice and null', functions: logicFunctions },
  { title: 'Lists', functions: arrayFunctions },
  { title: 'Vectors', functions: vectorFunctions },
  { title: 'Conversion and encoding', functions: conversionFunctions },
  { title: 'URLs', functions: urlFunctions },
  { title: 'Hashes', functions: hashFunctions },
  { title: 'Geometry', functions: geoFunctions },
  { title: 'Networks', functions: networkFunctions },
];

const absentNames: Readonly<Record<string, string>> = {
  'describes a query, and there is none during ingestion':
    'cid reqId startTime endTime brokerId queryEngine stageId workerId',
  'works on sketches, which are not supported here':
    'toThetaSketch getThetaSketchEstimate thetaSketchUnion thetaSketchIntersect thetaSketchDiff thetaSketchToString toHLL toULL fromULL ' +
    'toCpcSketch getCpcSketchEstimate cpcSketchUnion cpcSketchToString toIntegerSumTupleSketch getIntTupleSketchEstimate ' +
    'intSumTupleSketchUnion intMinTupleSketchUnion intMaxTupleSketchUnion intSumTupleSketchIntersect intMinTupleSketchIntersect ' +
    'intMaxTupleSketchIntersect intSumTupleSketchDiff',
  'works on geometries, which are not supported here':
    'stGeomFromText stGeogFromText stGeomFromGeoJson stGeogFromGeoJson stGeomFromWKB stGeogFromWKB stAsGeoJson stAsBinary geoToH3 stDistance ' +
    'stContains stEquals stGeometryType stWithin gridDistance gridDisk',
  'is a hash that is not supported here': 'cityHash32 cityHash64 cityHash128',
};

/** Names of Apache Pinot's functions that expressions here do not support, with the reason. */
export const absentFunctions: ReadonlyMap<string, string> = new Map(
  Object.entries(absentNames).flatMap(([reason, names]) =>
    names.split(' ').map((name) => [plainName(name), reason] as const),
  ),
);

const byName = new Map<string, FunctionDefinition[]>();
for (const definition of functionFamilies.flatMap(({ functions }) => functions)) {
  for (const name of definition.names) {
    const plain = plainName(name);
    byName.set(plain, [...(byName.get(plain) ?? []), definition]);
  }
}

/** Returns all signatures of a name. Case and underscores are ignored, as in Apache Pinot. */
export function findSignatures(name: string): readonly FunctionDefinition[] {
  return byName.get(plainName(name)) ?? [];
}

/** Returns the function with a name that accepts this number of arguments. */
export function findFunction(name: string, argumentCount: number): FunctionDefinition | undefined {
  return findSignatures(name).find(
    ({ takes, isVariadic }) => isVariadic || takes.length === argumentCount,
  );
}

/**
 * Reports whether a function always returns the same value for the same arguments; true for
 * operators and other parts of the language.
 */
export function isDeterministic(name: string, argumentCount: number): boolean {
  return findFunction(name, argumentCount)?.isDeterministic ?? true;
}

/** Returns the documented name with the smallest edit distance. */
export function nearestFunction(name: string): string {
  const wanted = plainName(name.slice(0, 64));
  let nearest = { name: '', edits: Number.POSITIVE_INFINITY };
  for (const [known, [definition]] of byName) {
    const edits = distance(wanted, known);
    if (edits < nearest.edits) nearest = { name: definition?.names[0] ?? known, edits };
  }
  return nearest.name;
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
