import { RE2JS } from 're2js';
import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

const patternLengthMax = 1_000;

/**
 * Compiles a regular expression of RE2 (https://github.com/google/re2/wiki/Syntax), which has no look-around and no back-references.
 *
 * RE2 never backtracks: a hostile pattern cannot make a match take more than linear time in the text.
 *
 * @throws EXPRESSION_FAILED when the pattern is none, or has more than 1,000 characters
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

function compile(expression: string, pattern: string, flags: number): RE2JS {
  if (pattern.length > patternLengthMax) {
    throw expressionFailed(`A pattern of ${pattern.length} characters is too long; at most ${patternLengthMax} are read.`);
  }
  try {
    return RE2JS.compile(expression, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(`‘${pattern.slice(0, 80)}’ is no regular expression of RE2: ${reason}.`, error);
  }
}
