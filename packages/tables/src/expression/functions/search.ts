import { distance } from 'fastest-levenshtein';
import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, text } from '../parameters.ts';

const distanceLengthMax = 1_000;

/** Questions about text. Places count from 0, and -1 is nowhere. */
export const searchFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'length',
    takes: [text],
    returns: 'integer',
    does: 'How many characters a text has.',
    evaluate: (given) => given.length,
  }),
  scalar({
    name: 'strpos',
    takes: [text, text],
    optionally: [integer],
    returns: 'integer',
    does: 'Where the second text first stands in the first, or for the so many-th time.',
    evaluate: (given, find, occurrence = 1) => placeOf(given, find, occurrence),
  }),
  scalar({
    name: 'strrpos',
    takes: [text, text],
    optionally: [integer],
    returns: 'integer',
    does: 'Where the second text last stands in the first, starting at or before a place.',
    evaluate: (given, find, from) => given.lastIndexOf(find, from),
  }),
  scalar({
    name: 'startsWith',
    takes: [text, text],
    returns: 'boolean',
    does: 'Whether the first text begins with the second.',
    evaluate: (given, prefix) => given.startsWith(prefix),
  }),
  scalar({
    name: 'endsWith',
    takes: [text, text],
    returns: 'boolean',
    does: 'Whether the first text ends with the second.',
    evaluate: (given, suffix) => given.endsWith(suffix),
  }),
  scalar({
    name: 'contains',
    takes: [text, text],
    returns: 'boolean',
    does: 'Whether the second text stands in the first.',
    evaluate: (given, find) => given.includes(find),
  }),
  scalar({
    name: 'strcmp',
    takes: [text, text],
    returns: 'integer',
    does: 'Below 0, 0 or above 0 as the first text comes before, equals or comes after the second.',
    evaluate: (left, right) => (left < right ? -1 : left > right ? 1 : 0),
  }),
  scalar({
    name: 'codepoint',
    takes: [text],
    returns: 'integer',
    does: 'The code point of the first character.',
    evaluate: (given) => given.codePointAt(0) ?? null,
  }),
  scalar({
    name: 'hammingDistance',
    takes: [text, text],
    returns: 'integer',
    does: 'In how many places two texts of one length differ; -1 if their lengths do.',
    evaluate(left, right) {
      if (left.length !== right.length) return -1;
      let differing = 0;
      for (let place = 0; place < left.length; place += 1) if (left.charCodeAt(place) !== right.charCodeAt(place)) differing += 1;
      return differing;
    },
  }),
  scalar({
    name: 'levenshteinDistance',
    takes: [text, text],
    returns: 'integer',
    does: 'How many edits of one character make the first text the second; texts of up to 1,000 characters.',
    evaluate(left, right) {
      const longest = Math.max(left.length, right.length);
      if (longest > distanceLengthMax) throw expressionFailed(`A text of ${longest} characters is too long to count edits of.`);
      return distance(left, right);
    },
  }),
];

function placeOf(given: string, find: string, occurrence: number): number {
  if (occurrence < 1) return -1;
  let place = given.indexOf(find);
  for (let seen = 1; seen < occurrence && place >= 0; seen += 1) place = find === '' ? -1 : given.indexOf(find, place + 1);
  return place;
}
