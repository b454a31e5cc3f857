import { RE2JS } from 're2js';
import { expressionFailed } from '../language/expression-error.ts';
import { memoize } from './memoize.ts';

export type Regex = RE2JS;

const patternLengthMax = 1_000;
/** All counts of a pattern, as the 3 of `x{3}`, together: each is written out when the pattern is compiled. */
const repeatCountMax = 1_000;
const programSizeMax = 10_000;
/** Most steps of one evaluation, each of at most about 100 ns: the size of the compiled pattern times the text that is looked at. */
const matchStepsMax = 2 ** 19;

/**
 * Compiles a regular expression of RE2 (https://github.com/google/re2/wiki/Syntax), which has no look-around and no back-references.
 *
 * RE2 never backtracks: a hostile pattern cannot make a match take more than linear time in the text.
 *
 * @throws EXPRESSION_FAILED when the pattern is not one, or too long or repetitive
 */
export const compileRegex: (pattern: string) => Regex = memoize((pattern) => compile(pattern, pattern, 0));

/**
 * The pattern of SQL's LIKE, as the engine makes it: anchored unless it begins or ends with `%`, case does not count, and neither `%` nor
 * `_` is a line break.
 *
 * @throws EXPRESSION_FAILED when it has more than 1,000 characters
 */
export const compileLike: (pattern: string) => Regex = memoize((pattern) => {
  const [, before = '', core = '', behind = ''] = /^(%*)(.*?)(%*)$/s.exec(pattern) ?? [];
  // A lone character is never taken for a wildcard at the end; one that is all wildcards is like everything.
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

/** The same pattern with case not counting. */
export function withoutCase(pattern: Regex): Regex {
  return compileRegex(`(?i)${pattern.pattern()}`);
}

/** Most steps that one search in so much text may take: the measure of all limits on matching. */
export function matchSteps(pattern: Regex, length: number): number {
  return pattern.programSize() * (length + 1);
}

/** Throws before an evaluation takes more steps than keep it well below 100 ms. @throws EXPRESSION_FAILED */
export function checkMatchSteps(pattern: Regex, given: string, steps: number): void {
  if (steps > matchStepsMax) {
    throw expressionFailed(
      `A text of ${given.length} characters is too long for the pattern ‘${pattern.pattern().slice(0, 80)}’.`,
    );
  }
}

/** Starts the search for one match. @throws EXPRESSION_FAILED when it might take 2^19 steps, some 50 ms */
export function matcherOf(pattern: Regex, given: string): ReturnType<Regex['matcher']> {
  checkMatchSteps(pattern, given, matchSteps(pattern, given.length));
  return pattern.matcher(given);
}

function compile(expression: string, pattern: string, flags: number): Regex {
  if (pattern.length > patternLengthMax) {
    throw expressionFailed(`A pattern of ${pattern.length} characters is too long; at most ${patternLengthMax} are read.`);
  }
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, low = '', high]) => Number(high || low));
  if (repeats.reduce((total, count) => total + count, 0) > repeatCountMax) throw tooRepetitive(pattern);
  const compiled = compileSmall(expression, pattern, flags);
  if (compiled.programSize() > programSizeMax) throw tooRepetitive(pattern);
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
    throw expressionFailed(`‘${pattern.slice(0, 80)}’ is not a regular expression of RE2: ${reason}.`, error);
  }
}
