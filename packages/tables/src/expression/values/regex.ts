import { RE2JS } from 're2js';
import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

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
 * @throws EXPRESSION_FAILED when the pattern is none, or too long or repetitive
 */
const compileRegex: (pattern: string) => RE2JS = memoize((pattern) => compile(pattern, pattern, 0));

/** A regular expression as a function takes it. */
export const regex: Parameter<RE2JS> = {
  type: 'regex',
  read: (value, place) => compileRegex(text.read(value, place)),
};

/** The pattern of SQL's LIKE. @throws EXPRESSION_FAILED when it has more than 1,000 characters */
export const compileLike: (pattern: string) => RE2JS = memoize((pattern) => {
  const pieces = [...pattern.matchAll(/\\(.)|[%_]|[^\\%_]+|\\$/gsu)].map(([piece, escaped]) => {
    if (piece === '%') return '.*';
    return piece === '_' ? '.' : RE2JS.quote(escaped ?? piece);
  });
  return compile(pieces.join(''), pattern, RE2JS.DOTALL);
});

/** The same pattern with case not counting. */
export function withoutCase(pattern: RE2JS): RE2JS {
  return compileRegex(`(?i)${pattern.pattern()}`);
}

/** Most steps that one search in so much text may take: the measure of all limits on matching. */
export function matchSteps(pattern: RE2JS, length: number): number {
  return pattern.programSize() * (length + 1);
}

/** Throws before an evaluation takes more steps than keep it well below 100 ms. @throws EXPRESSION_FAILED */
export function checkMatchSteps(pattern: RE2JS, given: string, steps: number): void {
  if (steps > matchStepsMax) {
    throw expressionFailed(
      `A text of ${given.length} characters is too long for the pattern ‘${pattern.pattern().slice(0, 80)}’.`,
    );
  }
}

/** Starts the search for one match. @throws EXPRESSION_FAILED when it might take 2^19 steps, some 50 ms */
export function matcherOf(pattern: RE2JS, given: string): ReturnType<RE2JS['matcher']> {
  checkMatchSteps(pattern, given, matchSteps(pattern, given.length));
  return pattern.matcher(given);
}

function compile(expression: string, pattern: string, flags: number): RE2JS {
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

function compileSmall(expression: string, pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(expression, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(`‘${pattern.slice(0, 80)}’ is no regular expression of RE2: ${reason}.`, error);
  }
}
