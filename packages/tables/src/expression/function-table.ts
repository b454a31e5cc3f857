import { distance } from 'fastest-levenshtein';
import type { FunctionDefinition } from './function-definition.ts';
import { arithmeticFunctions } from './functions/arithmetic.ts';
import { arrayFunctions } from './functions/array.ts';
import { bitFunctions } from './functions/bit.ts';
import { comparisonFunctions } from './functions/comparison.ts';
import { conversionFunctions } from './functions/conversion.ts';
import { dateFieldFunctions } from './functions/date-field.ts';
import { dateTextFunctions } from './functions/date-text.ts';
import { dateTruncationFunctions } from './functions/date-truncation.ts';
import { encodingFunctions } from './functions/encoding.ts';
import { epochFunctions } from './functions/epoch.ts';
import { geoFunctions } from './functions/geo.ts';
import { hashFunctions } from './functions/hash.ts';
import { jsonFunctions } from './functions/json.ts';
import { logicFunctions } from './functions/logic.ts';
import { mapFunctions } from './functions/map.ts';
import { mathFunctions } from './functions/math.ts';
import { networkFunctions } from './functions/network.ts';
import { nullFunctions } from './functions/null.ts';
import { regexFunctions } from './functions/regex.ts';
import { searchFunctions } from './functions/search.ts';
import { stringFunctions } from './functions/string.ts';
import { stringSplitFunctions } from './functions/string-split.ts';
import { urlFunctions } from './functions/url.ts';
import { uuidFunctions } from './functions/uuid.ts';

/** A subject of the documentation and its functions. */
export interface FunctionGroup {
  readonly title: string;
  readonly functions: readonly FunctionDefinition[];
}

/** Every function that an expression may call, in the order of the documentation. */
export const functionGroups: readonly FunctionGroup[] = [
  { title: 'Dates and times as text', functions: dateTextFunctions },
  { title: 'Epoch', functions: epochFunctions },
  { title: 'Buckets and spans of time', functions: dateTruncationFunctions },
  { title: 'Fields of a date', functions: dateFieldFunctions },
  { title: 'JSON', functions: jsonFunctions },
  { title: 'Maps', functions: mapFunctions },
  { title: 'Text', functions: stringFunctions },
  { title: 'Finding in text', functions: searchFunctions },
  { title: 'Parts of text', functions: stringSplitFunctions },
  { title: 'Regular expressions', functions: regexFunctions },
  { title: 'Arithmetic', functions: arithmeticFunctions },
  { title: 'Mathematics', functions: mathFunctions },
  { title: 'Bits', functions: bitFunctions },
  { title: 'Comparison', functions: comparisonFunctions },
  { title: 'Logic and choice', functions: logicFunctions },
  { title: 'Null', functions: nullFunctions },
  { title: 'Arrays', functions: arrayFunctions },
  { title: 'Conversion', functions: conversionFunctions },
  { title: 'Encoding', functions: encodingFunctions },
  { title: 'URLs', functions: urlFunctions },
  { title: 'Hashes', functions: hashFunctions },
  { title: 'UUIDs', functions: uuidFunctions },
  { title: 'Geometry', functions: geoFunctions },
  { title: 'Networks', functions: networkFunctions },
];

const byName = new Map(
  functionGroups
    .flatMap(({ functions }) => functions)
    .flatMap((definition) =>
      [definition.name, ...(definition.aliases ?? [])].map((name) => [plainName(name), definition] as const),
    ),
);

/** The function of this name or alias; case and underscores do not count, as in the engine. */
export function findFunction(name: string): FunctionDefinition | undefined {
  return byName.get(plainName(name));
}

/** The documented name that is the fewest edits away. */
export function nearestFunction(name: string): string {
  const wanted = plainName(name.slice(0, 64));
  let nearest = { name: '', edits: Number.POSITIVE_INFINITY };
  for (const [known, definition] of byName) {
    const edits = distance(wanted, known);
    if (edits < nearest.edits) nearest = { name: definition.name, edits };
  }
  return nearest.name;
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
