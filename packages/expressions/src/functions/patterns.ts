import { define, type FunctionDefinition } from '../language/function-definition.ts';
import { expressionFailed } from '../language/expression-error.ts';
import { boolean, int, text, type Type } from '../language/function-type.ts';
import { toText } from '../values/convert.ts';
import { compileLike, compileRegex, matcherOf, type Regex, withoutCase } from '../values/regex.ts';
import { replaceMatches, replaceOne } from '../values/replace-matches.ts';

const regex: Type<Regex> = { name: 'String', read: (value) => compileRegex(toText(value)), write: (raw) => raw.pattern() };
const like: Type<Regex> = { name: 'String', read: (value) => compileLike(toText(value)), write: (raw) => raw.pattern() };

/** Regular expressions are those of RE2. The names with `Var` are for patterns that differ from row to row; all others take such as well. */
// prettier-ignore
export const patternFunctions: readonly FunctionDefinition[] = [
  define('regexpLike regexpLikeVar', [text, regex], boolean, (given, pattern) => matcherOf(pattern, given).find(), 'Whether the pattern is somewhere in the text.', "regexpLike('Hello', 'l+')"),
  define('regexpLike regexpLikeVar', [text, regex, text], boolean, (given, pattern, flag) => matcherOf(flagged(pattern, flag), given).find(), 'The same; case does not count where the third is `i`.', "regexpLike('Hello', 'hel', 'i')"),
  define('like likeVar', [text, like], boolean, (given, pattern) => matcherOf(pattern, given).find(), 'Whether a text is like another in which `%` is any text without line breaks and `_` any character; case does not count. `LIKE`.', "like('Hello', 'he%')"),
  define('regexpExtract regexpExtractVar', [text, regex], text, (given, pattern) => extract(given, pattern, 0, ''), 'The first match, or an empty text.', "regexpExtract('a12b', '[0-9]+')"),
  define('regexpExtract regexpExtractVar', [text, regex, int], text, (given, pattern, group) => extract(given, pattern, group, ''), 'A group of the first match.', "regexpExtract('a12b', '([a-z])([0-9])', 2)"),
  define('regexpExtract regexpExtractVar', [text, regex, int, text], text, extract, 'A group of the first match, or the fourth.', "regexpExtract('abc', '[0-9]', 0, 'none')"),
  define('regexpReplace regexpReplaceVar', [text, regex, text], text, (given, pattern, substitute) => replaceFrom(given, pattern, substitute, 0, -1), 'The text with each match replaced; `$1` is a group.', "regexpReplace('a12b', '[0-9]', 'x')"),
  define('regexpReplace regexpReplaceVar', [text, regex, text, int], text, (given, pattern, substitute, start) => replaceFrom(given, pattern, substitute, start, -1), 'The same from a position on.', "regexpReplace('aaa', 'a', 'x', 1)"),
  define('regexpReplace regexpReplaceVar', [text, regex, text, int, int], text, replaceFrom, 'One match, counted from 0, replaced by the text as it stands; all where it is negative.', "regexpReplace('aaa', 'a', 'x', 0, 1)"),
  define('regexpReplace regexpReplaceVar', [text, regex, text, int, int, text], text, (given, pattern, substitute, start, only, flag) => replaceFrom(given, flag === 'i' ? withoutCase(pattern) : pattern, substitute, start, only), 'The same; case does not count where the last is `i`.', "regexpReplace('Aa', 'a', 'x', 0, -1, 'i')"),
];

function flagged(pattern: Regex, flag: string): Regex {
  if (flag === '' || flag.toLowerCase() === 'c') return pattern;
  if (flag.toLowerCase() === 'i') return withoutCase(pattern);
  throw expressionFailed(`‘${flag.slice(0, 20)}’ is not ‘i’ or ‘c’.`);
}

function extract(given: string, pattern: Regex, group: number, otherwise: string): string | null {
  const matcher = matcherOf(pattern, given);
  if (!matcher.find() || group > matcher.groupCount()) return otherwise;
  if (group < 0) throw expressionFailed(`A pattern has no group ${group}.`);
  return matcher.group(group) ?? null;
}

/** Only the text from `start` on is looked at, where `^` matches. */
function replaceFrom(given: string, pattern: Regex, substitute: string, start: number, only: number): string {
  if (start < 0 || start > given.length) throw expressionFailed(`A text of ${given.length} characters has no position ${start}.`);
  const rest = given.slice(start);
  return (
    given.slice(0, start) + (only < 0 ? replaceMatches(rest, pattern, substitute) : replaceOne(rest, pattern, substitute, only))
  );
}
