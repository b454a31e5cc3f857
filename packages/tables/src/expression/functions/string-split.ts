import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, text } from '../parameters.ts';
import { ngramsOf } from '../values/ngrams.ts';

/** Parts of text. `substr` counts places from 0, `substring` from 1, as in the engine. */
export const stringSplitFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'substr',
    takes: [text, integer],
    optionally: [integer],
    returns: 'text',
    does: 'From a place, counted from 0, up to before another; -1, or none, is the end.',
    evaluate: (given, start, end = -1) => given.slice(Math.max(start, 0), end === -1 ? given.length : Math.max(end, 0)),
  }),
  scalar({
    name: 'substring',
    takes: [text, integer],
    optionally: [integer],
    returns: 'text',
    does: 'From a place, counted from 1, so many characters, or all.',
    evaluate: (given, start, length = given.length) => (start < 1 ? '' : given.slice(start - 1, start - 1 + Math.max(length, 0))),
  }),
  scalar({
    name: 'leftSubStr',
    aliases: ['left'],
    takes: [text, integer],
    returns: 'text',
    does: 'The first so many characters.',
    evaluate: (given, length) => given.slice(0, Math.max(length, 0)),
  }),
  scalar({
    name: 'rightSubStr',
    aliases: ['right'],
    takes: [text, integer],
    returns: 'text',
    does: 'The last so many characters.',
    evaluate: (given, length) => (length <= 0 ? '' : given.slice(-length)),
  }),
  scalar({
    name: 'split',
    aliases: ['stringToArray'],
    takes: [text, text],
    optionally: [integer],
    returns: 'array',
    does: 'The parts between delimiters, empty ones left out; at most so many, the last with all the rest.',
    evaluate: (given, delimiter, countMax = 0) => partsOf(given, delimiter, countMax),
  }),
  scalar({
    name: 'splitPart',
    takes: [text, text, integer],
    returns: 'text',
    does: 'The part at a place, counted from 0, or from the end with negative numbers; `null` as text if there is none, as in the engine.',
    evaluate: (given, delimiter, index) => partsOf(given, delimiter, 0).at(index) ?? 'null',
  }),
  scalar({
    name: 'prefixes',
    takes: [text, integer],
    returns: 'array',
    does: 'The beginnings of one character, two … up to so many.',
    evaluate: (given, lengthMax) => sizes(given, lengthMax).map((size) => given.slice(0, size)),
  }),
  scalar({
    name: 'suffixes',
    takes: [text, integer],
    returns: 'array',
    does: 'The ends of one character, two … up to so many.',
    evaluate: (given, lengthMax) => sizes(given, lengthMax).map((size) => given.slice(given.length - size)),
  }),
  scalar({
    name: 'prefixesWithPrefix',
    takes: [text, integer, text],
    returns: 'array',
    does: 'As prefixes, each behind the third argument.',
    evaluate: (given, lengthMax, mark) => sizes(given, lengthMax).map((size) => mark + given.slice(0, size)),
  }),
  scalar({
    name: 'suffixesWithSuffix',
    takes: [text, integer, text],
    returns: 'array',
    does: 'As suffixes, each before the third argument.',
    evaluate: (given, lengthMax, mark) => sizes(given, lengthMax).map((size) => given.slice(given.length - size) + mark),
  }),
  scalar({
    name: 'uniqueNgrams',
    takes: [text, integer],
    optionally: [integer],
    returns: 'array',
    does: 'All pieces of so many characters, or of so many up to so many, each once; up to 100,000 of them.',
    evaluate: (given, lengthMin, lengthMax = lengthMin) => ngramsOf(given, lengthMin, lengthMax),
  }),
];

const prefixLengthMax = 1_000;

function sizes(given: string, lengthMax: number): readonly number[] {
  const count = Math.max(0, Math.min(given.length, lengthMax, prefixLengthMax));
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Delimiters that follow each other count as one, and none stands at an end. */
function partsOf(given: string, delimiter: string, countMax: number): readonly string[] {
  const separator = delimiter === '' ? ' ' : delimiter;
  const parts: string[] = [];
  let start = skip(given, separator, 0);
  while (start < given.length) {
    const end = parts.length + 1 === countMax ? -1 : given.indexOf(separator, start);
    parts.push(given.slice(start, end < 0 ? given.length : end));
    start = end < 0 ? given.length : skip(given, separator, end);
  }
  return parts;
}

function skip(given: string, separator: string, from: number): number {
  let place = from;
  while (given.startsWith(separator, place)) place += separator.length;
  return place;
}
