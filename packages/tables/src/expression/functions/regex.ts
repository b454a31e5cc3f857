import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, text } from '../parameters.ts';
import { compileLike, regex } from '../values/regex.ts';
import { checkTextLength } from '../values/long-text.ts';

/** Regular expressions in the syntax of RE2: the time that matching takes grows with the text only linearly. */
export const regexFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'regexpExtract',
    takes: [text, regex],
    optionally: [integer, text],
    returns: 'text',
    does: 'The first match, or a group of it; the default, or an empty text, if there is none.',
    evaluate(given, pattern, group = 0, otherwise = '') {
      const matcher = pattern.matcher(given);
      if (group < 0 || group > matcher.groupCount() || !matcher.find()) return otherwise;
      return matcher.group(group);
    },
  }),
  scalar({
    name: 'regexpReplace',
    takes: [text, regex, text],
    returns: 'text',
    does: 'With every match replaced; `$1` in the replacement is the first group.',
    evaluate(given, pattern, substitute) {
      checkTextLength(given.length);
      return pattern.matcher(given).replaceAll(substitute, true);
    },
  }),
  scalar({
    name: 'regexpLike',
    takes: [text, regex],
    returns: 'boolean',
    does: 'Whether the pattern matches anywhere in the text.',
    evaluate: (given, pattern) => pattern.matcher(given).find(),
  }),
  scalar({
    name: 'like',
    takes: [text, text],
    returns: 'boolean',
    does: 'As in SQL: `%` stands for any text, `_` for one character, `\\` before one of them for itself.',
    evaluate: (given, pattern) => compileLike(pattern).matches(given),
  }),
];
