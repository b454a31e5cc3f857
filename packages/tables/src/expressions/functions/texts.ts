import { distance } from 'fastest-levenshtein';
import { expressionFailed } from '../values/expression-error.ts';
import {
  boolean,
  define,
  defineNullable,
  type FunctionDefinition,
  int,
  text,
  texts,
} from './function-definition.ts';
import {
  initialCapitals,
  javaTrim,
  paddedText,
  repeatedText,
  replacedText,
} from '../values/text.ts';
import { endsOf, ngramsOf, nthPosition, piece, pieceAt, splitText } from '../values/text-pieces.ts';

/** Functions of texts. Positions and lengths count UTF-16 code units, as in Java. */
export const textFunctions: readonly FunctionDefinition[] = [
  define(
    'upper',
    [text],
    text,
    (given) => given.toUpperCase(),
    'The text in upper case.',
    "upper('abc')",
  ),
  define(
    'lower',
    [text],
    text,
    (given) => given.toLowerCase(),
    'The text in lower case.',
    "lower('ABC')",
  ),
  define(
    'initCap',
    [text],
    text,
    initialCapitals,
    'Each word with an initial capital; only white space separates words.',
    "initCap('hello big-world')",
  ),
  define(
    'reverse',
    [text],
    text,
    (given) => Array.from(given).toReversed().join(''),
    'The text in reverse.',
    "reverse('abc')",
  ),
  define('length', [text], int, (given) => given.length, 'The text’s length.', "length('abc')"),
  define(
    'concat',
    [text, text],
    text,
    (a, b) => a + b,
    'Both texts, concatenated.',
    "concat('a', 'b')",
  ),
  define(
    'concat',
    [text, text, text],
    text,
    (a, b, separator) => a + separator + b,
    'The first two texts, joined by the third.',
    "concat('a', 'b', '-')",
  ),
  define(
    'concatWS',
    [text, text, text],
    text,
    (separator, a, b) => a + separator + b,
    'The second and third text, joined by the first.',
    "concatWS('-', 'a', 'b')",
  ),
  define(
    'substr',
    [text, int],
    text,
    (given, start) => piece(given, start),
    'The text from a position on, counted from 0, or from the end if it is negative.',
    "substr('Hello', 1)",
  ),
  define(
    'substr',
    [text, int, int],
    text,
    (given, start, end) => (end === -1 ? piece(given, start) : piece(given, start, end)),
    'The text from a start position to before an end position; -1 is the end.',
    "substr('Hello', 1, 3)",
  ),
  define(
    'substring',
    [text, int],
    text,
    (given, start) => piece(given, (start - 1) | 0),
    'The text from a position on, counted from 1.',
    "substring('Hello', 2)",
  ),
  define(
    'substring',
    [text, int, int],
    text,
    (given, start, length) => piece(given, (start - 1) | 0, (start - 1 + length) | 0),
    'The n characters from a position on, counted from 1.',
    "substring('Hello', 2, 3)",
  ),
  define(
    'leftSubStr left',
    [text, int],
    text,
    (given, length) => given.slice(0, Math.max(0, length)),
    'The first n characters.',
    "leftSubStr('Hello', 2)",
  ),
  define(
    'rightSubStr right',
    [text, int],
    text,
    (given, length) => given.slice(Math.max(0, given.length - Math.max(0, length))),
    'The last n characters.',
    "rightSubStr('Hello', 2)",
  ),
  define('trim', [text], text, javaTrim, 'The text without outer white space.', "trim('  x ')"),
  define(
    'trim',
    [text, text, text],
    text,
    trimmed,
    "The third argument without characters of the second, at its `LEADING`, `TRAILING` or `BOTH` ends; written `TRIM(BOTH '0' FROM a)`.",
    "TRIM(BOTH '0' FROM '0050')",
  ),
  define(
    'ltrim',
    [text],
    text,
    (given) => given.replace(/^[ \t\n\v\f\r]+/, ''),
    'The text without leading white space.',
    "ltrim('  x')",
  ),
  define(
    'rtrim',
    [text],
    text,
    (given) => given.replace(/(?<![ \t\n\v\f\r])[ \t\n\v\f\r]+$/, ''),
    'The text without trailing white space.',
    "rtrim('x  ')",
  ),
  define(
    'lpad',
    [text, int, text],
    text,
    (given, length, filler) => paddedText(given, length, filler === '' ? ' ' : filler, 'start'),
    'The text padded on the left.',
    "lpad('7', 3, '0')",
  ),
  define(
    'rpad',
    [text, int, text],
    text,
    (given, length, filler) => paddedText(given, length, filler === '' ? ' ' : filler, 'end'),
    'The text padded on the right.',
    "rpad('7', 3, '0')",
  ),
  define(
    'repeat',
    [text, int],
    text,
    (given, count) => repeatedText(given, count, ''),
    'The text n times.',
    "repeat('ab', 2)",
  ),
  define(
    'repeat',
    [text, text, int],
    text,
    joinedRepeats,
    'The text n times, joined by a separator.',
    "repeat('ab', '-', 2)",
  ),
  define(
    'replace',
    [text, text, text],
    text,
    (given, find, substitute) => replacedText(given, find, substitute),
    'The text with each occurrence of the second argument replaced by the third.',
    "replace('abab', 'a', 'x')",
  ),
  define(
    'remove',
    [text, text],
    text,
    (given, find) => replacedText(given, find, ''),
    'The text without occurrences of the second argument.',
    "remove('abab', 'a')",
  ),
  define(
    'contains',
    [text, text],
    boolean,
    (given, find) => given.includes(find),
    'Whether the first text contains the second.',
    "contains('abc', 'b')",
  ),
  define(
    'startsWith',
    [text, text],
    boolean,
    (given, find) => given.startsWith(find),
    'Whether the first text starts with the second.',
    "startsWith('abc', 'a')",
  ),
  define(
    'endsWith',
    [text, text],
    boolean,
    (given, find) => given.endsWith(find),
    'Whether the first text ends with the second.',
    "endsWith('abc', 'c')",
  ),
  define(
    'strpos',
    [text, text],
    int,
    (given, find) => given.indexOf(find),
    'The first position of the second text in the first, counted from 0; -1 if there is none.',
    "strpos('abcabc', 'c')",
  ),
  define(
    'strpos',
    [text, text, int],
    int,
    nthPosition,
    'The position of the n-th occurrence of the second text in the first.',
    "strpos('abcabc', 'c', 2)",
  ),
  define(
    'strrpos',
    [text, text],
    int,
    (given, find) => given.lastIndexOf(find),
    'The last position of the second text in the first.',
    "strrpos('abcabc', 'c')",
  ),
  define(
    'strrpos',
    [text, text, int],
    int,
    (given, find, from) => (from < 0 ? -1 : given.lastIndexOf(find, from)),
    'The last position of the second text in the first, at or before a position.',
    "strrpos('abcabc', 'c', 4)",
  ),
  define(
    'strcmp',
    [text, text],
    int,
    compareUnits,
    'Negative, 0 or positive if the first sorts before, equals or sorts after the second.',
    "strcmp('abc', 'ABC')",
  ),
  define(
    'hammingDistance',
    [text, text],
    int,
    (a, b) =>
      a.length === b.length ? a.split('').filter((each, index) => each !== b[index]).length : -1,
    'The number of characters that differ; -1 if the lengths differ.',
    "hammingDistance('abc', 'abd')",
  ),
  define(
    'levenshteinDistance',
    [text, text],
    int,
    editDistance,
    'The Levenshtein distance between the texts.',
    "levenshteinDistance('kitten', 'sitting')",
  ),
  define(
    'codepoint',
    [text],
    int,
    (given) => given.codePointAt(0) ?? fail('The text is empty: it has no first character.'),
    'The Unicode code point of the first character.',
    "codepoint('A')",
  ),
  define(
    'chr',
    [int],
    text,
    (code) =>
      code >= 0 && code <= 0x10_ff_ff
        ? String.fromCodePoint(code)
        : fail(`${code} is not a character of Unicode.`),
    'The character of a Unicode code point.',
    'chr(65)',
  ),
  define(
    'normalize',
    [text],
    text,
    (given) => given.normalize('NFC'),
    'The text in the Unicode normalization form NFC.',
    "normalize('é')",
  ),
  define(
    'normalize',
    [text, text],
    text,
    (given, form) =>
      /^NFK?[CD]$/.test(form)
        ? given.normalize(form)
        : fail(`${form} is not NFC, NFD, NFKC or NFKD.`),
    'The text in a Unicode normalization form.',
    "normalize('ﬁ', 'NFKC')",
  ),
  define(
    'split stringToArray',
    [text, text],
    texts,
    (given, separator) => splitText(given, separator),
    'The pieces between separators; empty ones only at the end.',
    "split('a,b,,c', ',')",
  ),
  define(
    'split stringToArray',
    [text, text, int],
    texts,
    splitText,
    'At most n pieces; the last has the rest.',
    "split('a,b,c', ',', 2)",
  ),
  define(
    'splitPart',
    [text, text, int],
    text,
    (given, separator, index) => pieceAt(given, separator, index) ?? 'null',
    'One piece, counted from 0, or from the end if it is negative; the text `null` if there is none.',
    "splitPart('a,b,c', ',', 1)",
  ),
  define(
    'splitPart',
    [text, text, int, int],
    text,
    (given, separator, limit, index) => splitText(given, separator, limit).at(index) ?? 'null',
    'One of at most n pieces.',
    "splitPart('a,b,c', ',', 2, 1)",
  ),
  define(
    'prefixes',
    [text, int],
    texts,
    (given, lengthMax) => endsOf(given, lengthMax, (length) => given.slice(0, length)),
    'The prefixes of up to n characters.',
    "prefixes('abc', 2)",
  ),
  defineNullable(
    'prefixesWithPrefix',
    [text, int, text],
    texts,
    (given, lengthMax, before) =>
      endsOf(
        some(given),
        some(lengthMax),
        (length) => (before ?? '') + some(given).slice(0, length),
      ),
    'The prefixes of up to n characters, each with a text before it.',
    "prefixesWithPrefix('abc', 2, '^')",
  ),
  define(
    'suffixes',
    [text, int],
    texts,
    (given, lengthMax) => endsOf(given, lengthMax, (length) => given.slice(given.length - length)),
    'The suffixes of up to n characters.',
    "suffixes('abc', 2)",
  ),
  defineNullable(
    'suffixesWithSuffix',
    [text, int, text],
    texts,
    (given, lengthMax, behind) =>
      endsOf(
        some(given),
        some(lengthMax),
        (length) => some(given).slice(some(given).length - length) + (behind ?? ''),
      ),
    'The suffixes of up to n characters, each with a text after it.',
    "suffixesWithSuffix('abc', 2, '$')",
  ),
  define(
    'uniqueNgrams generateUniqueNgrams',
    [text, int],
    texts,
    (given, length) => ngramsOf(given, length, length),
    'The distinct n-grams of a length.',
    "uniqueNgrams('abab', 2)",
  ),
  define(
    'uniqueNgrams generateUniqueNgrams',
    [text, int, int],
    texts,
    ngramsOf,
    'The distinct n-grams of a range of lengths.',
    "uniqueNgrams('aba', 1, 2)",
  ),
  define(
    'uniqueNgramsMV generateUniqueNgramsMV',
    [texts, int],
    texts,
    (given, length) => unique(given.map((each) => ngramsOf(each, Math.max(1, length), length))),
    'The distinct n-grams of all elements, of a length.',
    "uniqueNgramsMV(split('ab,bc', ','), 1)",
  ),
  define(
    'uniqueNgramsMV generateUniqueNgramsMV',
    [texts, int, int],
    texts,
    (given, lengthMin, lengthMax) =>
      unique(given.map((each) => ngramsOf(each, lengthMin, lengthMax))),
    'The distinct n-grams of all elements, of a range of lengths.',
    "uniqueNgramsMV(split('ab,bc', ','), 1, 2)",
  ),
];

function unique(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

function fail(message: string): never {
  throw expressionFailed(message);
}

function some<T>(value: T | null): T {
  return value ?? fail('The text and the length must not be null.');
}

function trimmed(end: string, characters: string, given: string): string {
  let [start, stop] = [0, given.length];
  if (end === 'BOTH' || end === 'LEADING') {
    while (start < stop && characters.includes(given.charAt(start))) start += 1;
  }
  if (end === 'BOTH' || end === 'TRAILING') {
    while (stop > start && characters.includes(given.charAt(stop - 1))) stop -= 1;
  }
  return given.slice(start, stop);
}

function joinedRepeats(given: string, separator: string, count: number): string {
  if (count <= 0) return '';
  const repeated = repeatedText(given + separator, count, '');
  return separator !== '' && repeated.endsWith(separator)
    ? repeated.slice(0, -separator.length)
    : repeated;
}

function compareUnits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) {
    const difference = a.charCodeAt(index) - b.charCodeAt(index);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The maximum number of pairs of characters that are compared. */
const editStepsMax = 4_000_000;

function editDistance(a: string, b: string): number {
  if (a.length * b.length > editStepsMax) {
    fail(`Texts of ${a.length} and ${b.length} characters are too long to compare.`);
  }
  return distance(a, b);
}
