import { RE2JS } from 're2js';
import { expressionFailed } from '../values/expression-error.ts';
import {
  boolean,
  define,
  type FunctionDefinition,
  int,
  text,
  type Type,
} from './function-definition.ts';
import { type NativeRegex, nativeRegexOf } from './native-regex.ts';
import { toText } from '../values/convert.ts';
import { checkTextLength } from '../values/text.ts';
import { memoize } from '../values/memoize.ts';

const regex: Type<Regex> = {
  name: 'String',
  read: (value) => compileRegex(toText(value)),
  write: (raw) => raw.pattern(),
};
const like: Type<Regex> = {
  name: 'String',
  read: (value) => compileLike(toText(value)),
  write: (raw) => raw.pattern(),
};

/**
 * Functions with regular expressions in RE2's syntax. In Apache Pinot, only the names with `Var`
 * accept patterns that vary by row; here all names do.
 */
export const patternFunctions: readonly FunctionDefinition[] = [
  define(
    'regexpLike regexpLikeVar',
    [text, regex],
    boolean,
    (given, pattern) => isFound(pattern, given),
    'Whether the pattern matches somewhere in the text.',
    "regexpLike('Hello', 'l+')",
  ),
  define(
    'regexpLike regexpLikeVar',
    [text, regex, text],
    boolean,
    (given, pattern, flag) => isFound(flagged(pattern, flag), given),
    'Whether the pattern matches somewhere in the text; case-insensitively if the third argument is `i`.',
    "regexpLike('Hello', 'hel', 'i')",
  ),
  define(
    'like likeVar',
    [text, like],
    boolean,
    (given, pattern) => isFound(pattern, given),
    'Whether a text matches another in which `%` is any text without line breaks and `_` any character, case-insensitively. `LIKE`.',
    "like('Hello', 'he%')",
  ),
  define(
    'regexpExtract regexpExtractVar',
    [text, regex],
    text,
    (given, pattern) => extract(given, pattern, 0, ''),
    'The first match, or an empty text.',
    "regexpExtract('a12b', '[0-9]+')",
  ),
  define(
    'regexpExtract regexpExtractVar',
    [text, regex, int],
    text,
    (given, pattern, group) => extract(given, pattern, group, ''),
    'A group of the first match.',
    "regexpExtract('a12b', '([a-z])([0-9])', 2)",
  ),
  define(
    'regexpExtract regexpExtractVar',
    [text, regex, int, text],
    text,
    extract,
    'A group of the first match, or the fourth argument.',
    "regexpExtract('abc', '[0-9]', 0, 'none')",
  ),
  define(
    'regexpReplace regexpReplaceVar',
    [text, regex, text],
    text,
    (given, pattern, substitute) => replaceFrom(given, pattern, substitute, 0, -1),
    'The text with each match replaced; `$1` is a group.',
    "regexpReplace('a12b', '[0-9]', 'x')",
  ),
  define(
    'regexpReplace regexpReplaceVar',
    [text, regex, text, int],
    text,
    (given, pattern, substitute, start) => replaceFrom(given, pattern, substitute, start, -1),
    'The text with each match from a position on replaced.',
    "regexpReplace('aaa', 'a', 'x', 1)",
  ),
  define(
    'regexpReplace regexpReplaceVar',
    [text, regex, text, int, int],
    text,
    replaceFrom,
    'One match, counted from 0, replaced by the literal text; all matches if it is negative.',
    "regexpReplace('aaa', 'a', 'x', 0, 1)",
  ),
  define(
    'regexpReplace regexpReplaceVar',
    [text, regex, text, int, int, text],
    text,
    (given, pattern, substitute, start, only, flag) =>
      replaceFrom(given, flag === 'i' ? withoutCase(pattern) : pattern, substitute, start, only),
    'One match, counted from 0, replaced by the literal text; all matches if it is negative. Case-insensitive if the last argument is `i`.',
    "regexpReplace('Aa', 'a', 'x', 0, -1, 'i')",
  ),
];

function flagged(pattern: Regex, flag: string): Regex {
  if (flag === '' || flag.toLowerCase() === 'c') return pattern;
  if (flag.toLowerCase() === 'i') return withoutCase(pattern);
  throw expressionFailed(`‘${flag.slice(0, 20)}’ is not ‘i’ or ‘c’.`);
}

function extract(given: string, pattern: Regex, group: number, otherwise: string): string | null {
  const groups = search(pattern, given);
  if (groups === null || group >= groups.length) return otherwise;
  if (group < 0) throw expressionFailed(`A pattern has no group ${group}.`);
  return groups[group] ?? null;
}

/** Returns the first match and its groups. */
function search(pattern: Regex, given: string): readonly (string | null | undefined)[] | null {
  const native = nativeFor(pattern, given);
  if (native !== undefined) return native.exec(given);
  const matcher = matcherOf(pattern, given);
  return matcher.find()
    ? Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group))
    : null;
}

function isFound(pattern: Regex, given: string): boolean {
  return nativeFor(pattern, given)?.test(given) ?? matcherOf(pattern, given).find();
}

/** Searches only the text from `start` on, where `^` matches. */
function replaceFrom(
  given: string,
  pattern: Regex,
  substitute: string,
  start: number,
  only: number,
): string {
  if (start < 0 || start > given.length) {
    throw expressionFailed(`A text of ${given.length} characters has no position ${start}.`);
  }
  const rest = given.slice(start);
  return (
    given.slice(0, start) +
    (only < 0
      ? replaceMatches(rest, pattern, substitute)
      : replaceOne(rest, pattern, substitute, only))
  );
}

type Regex = RE2JS;

const patternLengthMax = 1_000;
/**
 * The maximum number of repetitions in a pattern, such as the 3 of `x{3}`, in total: each is
 * expanded when the pattern is compiled.
 */
const repeatCountMax = 1_000;
const programSizeMax = 10_000;
/**
 * The maximum number of steps of one evaluation, each of at most about 100 ns: the size of the
 * compiled pattern times the length of the searched text.
 */
const matchStepsMax = 2 ** 19;

/**
 * Compiles an RE2 regular expression (https://github.com/google/re2/wiki/Syntax), which has no
 * look-around and no back-references.
 *
 * RE2 never backtracks: a hostile pattern cannot make a match take more than linear time in the
 * text.
 *
 * @throws EXPRESSION_FAILED when the pattern is invalid, too long or too repetitive
 */
export const compileRegex: (pattern: string) => Regex = memoize((pattern) =>
  compile(pattern, pattern, 0),
);

/**
 * Compiles the pattern of SQL's LIKE as Apache Pinot does: anchored unless it begins or ends with
 * `%`, case-insensitive, and without line breaks in `%` and `_`.
 *
 * @throws EXPRESSION_FAILED when it has more than 1,000 characters
 */
const compileLike: (pattern: string) => Regex = memoize((pattern) => {
  const [, before = '', core = '', behind = ''] = /^(%*)(.*?)(%*)$/s.exec(pattern) ?? [];
  // A pattern of one character has no wildcard at its end; a pattern that consists of wildcards
  // matches everything.
  if (core === '') return compile(pattern === '' ? '^$' : '', pattern, 0);
  const escaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(core) && behind !== '' ? `${core}%` : core;
  const pieces = [...escaped.matchAll(/\\(.)|[%_]|[^\\%_]+|\\$/gsu)].map(([piece, literal]) => {
    if (piece === '%') return '.*';
    return piece === '_' ? '.' : RE2JS.quote(literal ?? piece);
  });
  return compile(
    `${before === '' ? '^' : ''}${pieces.join('')}${behind === '' ? '\\n?\\z' : ''}`,
    pattern,
    RE2JS.CASE_INSENSITIVE,
  );
});

/** Returns the same pattern, case-insensitive. */
function withoutCase(pattern: Regex): Regex {
  return compileRegex(`(?i)${pattern.pattern()}`);
}

/**
 * Returns the maximum number of steps of one search in a text. All limits on matching use this
 * number.
 */
export function matchSteps(pattern: Regex, length: number): number {
  return pattern.programSize() * (length + 1);
}

/**
 * Throws before an evaluation exceeds the number of steps that keeps it well below 100 ms. @throws
 * EXPRESSION_FAILED
 */
function checkMatchSteps(pattern: Regex, given: string, steps: number): void {
  if (steps > matchStepsMax) {
    throw expressionFailed(
      `A text of ${given.length} characters is too long for the pattern ‘${pattern.pattern().slice(0, 80)}’.`,
    );
  }
}

const natives = new WeakMap<Regex, NativeRegex>();

/**
 * Returns the pattern for the runtime's own engine if the text is short enough for it. @throws
 * EXPRESSION_FAILED when it is too long for either engine
 */
function nativeFor(pattern: Regex, given: string): RegExp | undefined {
  const native = natives.get(pattern);
  if (native === undefined || given.length > native.lengthMax) return undefined;
  checkMatchSteps(pattern, given, matchSteps(pattern, given.length));
  return native.regex;
}

/**
 * Starts the search for one match. @throws EXPRESSION_FAILED when it might take 2^19 steps, some 50
 * ms
 */
function matcherOf(pattern: Regex, given: string): ReturnType<Regex['matcher']> {
  checkMatchSteps(pattern, given, matchSteps(pattern, given.length));
  return pattern.matcher(given);
}

function compile(expression: string, pattern: string, flags: number): Regex {
  if (pattern.length > patternLengthMax) {
    throw expressionFailed(
      `A pattern of ${pattern.length} characters is too long; at most ${patternLengthMax} are allowed.`,
    );
  }
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, low = '', high]) =>
    Number(high || low),
  );
  if (repeats.reduce((total, count) => total + count, 0) > repeatCountMax) {
    throw tooRepetitive(pattern);
  }
  const compiled = compileSmall(expression, pattern, flags);
  if (compiled.programSize() > programSizeMax) throw tooRepetitive(pattern);
  const native = flags === 0 ? nativeRegexOf(expression) : undefined;
  if (native !== undefined) natives.set(compiled, native);
  return compiled;
}

function tooRepetitive(pattern: string): Error {
  return expressionFailed(`The pattern ‘${pattern.slice(0, 80)}’ repeats its parts too often.`);
}

function compileSmall(expression: string, pattern: string, flags: number): Regex {
  try {
    return RE2JS.compile(expression, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(
      `‘${pattern.slice(0, 80)}’ is not a regular expression of RE2: ${reason}.`,
      error,
    );
  }
}

type Matcher = ReturnType<RE2JS['matcher']>;

/**
 * Replaces all matches; `$1` and `${name}` are groups, and `\` escapes `$`.
 *
 * One search takes linear time, but all searches together may not: if matches are short and the
 * search looks far beyond them, as with `a.*b|a`, each reads the rest of the text. So the steps of
 * all of them are counted before each starts.
 *
 * @throws EXPRESSION_FAILED when the searches might take 2^19 steps together, or the result is too
 *   long
 */
function replaceMatches(given: string, pattern: RE2JS, substitute: string): string {
  const matcher = matcherOf(pattern, given);
  const lookahead = lookaheadOf(pattern);
  const referenceCount = substitute.split('$').length - 1;
  const pieces: string[] = [];
  let [length, steps, copied, from] = [0, 0, 0, 0];
  while (from <= given.length && matcher.find(from)) {
    const [begin, end] = [matcher.start(), matcher.end()];
    steps += matchSteps(pattern, end - from + Math.min(lookahead, given.length - end));
    checkMatchSteps(pattern, given, steps);
    // A group is at most the whole match.
    checkTextLength(length + begin - copied + substitute.length + referenceCount * (end - begin));
    const piece = given.slice(copied, begin) + expand(substitute, matcher);
    length += piece.length;
    pieces.push(piece);
    copied = end;
    from = end > begin ? end : end + 1;
  }
  return pieces.join('') + given.slice(copied);
}

/**
 * Replaces one match, counted from 0, by a literal text. @throws EXPRESSION_FAILED as
 * `replaceMatches`
 */
function replaceOne(given: string, pattern: RE2JS, substitute: string, only: number): string {
  const matcher = matcherOf(pattern, given);
  let [steps, from] = [0, 0];
  for (let index = 0; from <= given.length && matcher.find(from); index += 1) {
    const [begin, end] = [matcher.start(), matcher.end()];
    if (index === only) return given.slice(0, begin) + substitute + given.slice(end);
    steps += matchSteps(pattern, given.length - from);
    checkMatchSteps(pattern, given, steps);
    from = end > begin ? end : end + 1;
  }
  return given;
}

/**
 * Returns how far beyond a match a search may have looked: at most the length of the pattern,
 * unless it repeats something before its end.
 */
function lookaheadOf(pattern: RE2JS): number {
  const source = pattern.pattern();
  if (source.includes('\\Q')) return Number.POSITIVE_INFINITY;
  const bare = source
    .replaceAll(/\\./gs, 'x')
    .replaceAll(/\[\^?\]?(?:\[:\^?\w+:\]|[^\]])*\]/g, 'x');
  const repeatsBeforeEnd = /[*+]|\{\d+,\}/.test(bare.replace(/(?:[*+]|\{\d+,\})\??$/, ''));
  return repeatsBeforeEnd ? Number.POSITIVE_INFINITY : pattern.programSize();
}

function expand(substitute: string, matcher: Matcher): string {
  if (!/[$\\]/.test(substitute)) return substitute;
  return substitute.replaceAll(
    /\\(.?)|\$(?:\{(\w+)\}|(\d{1,3}))?/gs,
    (piece, escaped?: string, name?: string, digits?: string) => {
      if (escaped !== undefined) return escaped;
      if (name !== undefined) return groupOf(matcher, name, piece);
      if (digits === undefined) {
        throw expressionFailed(
          '‘$’ in a replacement must be followed by the number or name of a group.',
        );
      }
      // As many digits as form the number of a group; the others are literal.
      let count = digits.length;
      while (count > 1 && Number(digits.slice(0, count)) > matcher.groupCount()) count -= 1;
      return groupOf(matcher, Number(digits.slice(0, count)), piece) + digits.slice(count);
    },
  );
}

function groupOf(matcher: Matcher, group: number | string, shown: string): string {
  const isKnown =
    typeof group === 'string'
      ? Object.hasOwn(matcher.namedGroups, group)
      : group <= matcher.groupCount();
  if (!isKnown) throw expressionFailed(`The pattern has no group ${shown}.`);
  return matcher.group(group) ?? '';
}
