import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, text } from '../parameters.ts';
import { compileLike, matcherOf, regex, withoutCase } from '../values/regex.ts';
import { replaceMatches } from '../values/replace-matches.ts';

/**
 * Regular expressions in the syntax of RE2: the time that matching takes grows with the text only linearly, and texts are refused that are
 * too long for a large pattern.
 */
export const regexFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'regexpExtract',
    takes: [text, regex],
    optionally: [integer, text],
    returns: 'text',
    does: 'The first match, or a group of it; the default, or an empty text, if there is none.',
    evaluate(given, pattern, group = 0, otherwise = '') {
      const matcher = matcherOf(pattern, given);
      if (group < 0 || group > matcher.groupCount() || !matcher.find()) return otherwise;
      return matcher.group(group);
    },
  }),
  scalar({
    name: 'regexpReplace',
    takes: [text, regex, text],
    optionally: [integer, integer, text],
    returns: 'text',
    does: 'With every match replaced; `$1` is the first group. Then a place to start at, which match alone, both counted from 0, and `i` where case does not count.',
    evaluate(given, pattern, substitute, start = 0, occurrence = -1, flags = '') {
      const sought = flags.toLowerCase().includes('i') ? withoutCase(pattern) : pattern;
      return replaceMatches(given, sought, substitute, start, occurrence < 0 ? undefined : occurrence);
    },
  }),
  scalar({
    name: 'regexpLike',
    takes: [text, regex],
    returns: 'boolean',
    does: 'Whether the pattern matches anywhere in the text.',
    evaluate: (given, pattern) => matcherOf(pattern, given).find(),
  }),
  scalar({
    name: 'regexpLikeCi',
    takes: [text, regex],
    returns: 'boolean',
    does: 'As regexpLike, where case does not count.',
    evaluate: (given, pattern) => matcherOf(withoutCase(pattern), given).find(),
  }),
  scalar({
    name: 'like',
    takes: [text, text],
    returns: 'boolean',
    does: 'As in SQL: `%` stands for any text, `_` for one character, `\\` before one of them for itself.',
    evaluate: (given, pattern) => matcherOf(compileLike(pattern), given).matches(),
  }),
];
