import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, text } from '../parameters.ts';
import { compileLike, matcherOf, regex, replaceMatches } from '../values/regex.ts';

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
    returns: 'text',
    does: 'With every match replaced; `$1` in the replacement is the first group.',
    evaluate: replaceMatches,
  }),
  scalar({
    name: 'regexpLike',
    takes: [text, regex],
    returns: 'boolean',
    does: 'Whether the pattern matches anywhere in the text.',
    evaluate: (given, pattern) => matcherOf(pattern, given).find(),
  }),
  scalar({
    name: 'like',
    takes: [text, text],
    returns: 'boolean',
    does: 'As in SQL: `%` stands for any text, `_` for one character, `\\` before one of them for itself.',
    evaluate: (given, pattern) => matcherOf(compileLike(pattern), given).matches(),
  }),
];
