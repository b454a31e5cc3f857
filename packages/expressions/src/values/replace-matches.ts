import type { RE2JS } from 're2js';
import { expressionFailed } from '../language/expression-error.ts';
import { checkTextLength } from './long-text.ts';
import { checkMatchSteps, matcherOf, matchSteps } from './regex.ts';

type Matcher = ReturnType<RE2JS['matcher']>;

/**
 * Replaces all matches; `$1` and `${name}` are groups, `\` takes the sense from `$`.
 *
 * One search takes linear time, but all searches together may not: where a match is short and the search looks far beyond it, as
 * `a.*b|a` does, each goes through the rest of the text. So the steps of all of them are counted before each is begun.
 *
 * @throws EXPRESSION_FAILED when the searches might take 2^19 steps together, or the outcome is too long
 */
export function replaceMatches(given: string, pattern: RE2JS, substitute: string): string {
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

/** Replaces one match, counted from 0, by a text as it stands. @throws EXPRESSION_FAILED as above */
export function replaceOne(given: string, pattern: RE2JS, substitute: string, only: number): string {
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

/** How far behind a match a search may have looked: no farther than the pattern is long, unless it repeats something before its end. */
function lookaheadOf(pattern: RE2JS): number {
  const source = pattern.pattern();
  if (source.includes('\\Q')) return Number.POSITIVE_INFINITY;
  const bare = source.replaceAll(/\\./gs, 'x').replaceAll(/\[\^?\]?(?:\[:\^?\w+:\]|[^\]])*\]/g, 'x');
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
      if (digits === undefined) throw expressionFailed('‘$’ in a replacement is followed by the number or name of a group.');
      // As many digits as still are the number of a group; the others stand for themselves.
      let count = digits.length;
      while (count > 1 && Number(digits.slice(0, count)) > matcher.groupCount()) count -= 1;
      return groupOf(matcher, Number(digits.slice(0, count)), piece) + digits.slice(count);
    },
  );
}

function groupOf(matcher: Matcher, group: number | string, shown: string): string {
  const isKnown = typeof group === 'string' ? Object.hasOwn(matcher.namedGroups, group) : group <= matcher.groupCount();
  if (!isKnown) throw expressionFailed(`The pattern has no group ${shown}.`);
  return matcher.group(group) ?? '';
}
