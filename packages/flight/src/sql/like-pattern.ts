/**
 * Reports whether a text matches a LIKE pattern: `%` matches any text, `_` one character, and `\\`
 * escapes the next character. An absent pattern matches everything.
 */
export function matchesLike(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  const wanted = Array.from(pattern);
  const given = Array.from(text);
  // The position of the last %, and the end of the text it matches: on a mismatch it matches one
  // character more.
  let retryPattern = -1;
  let retryText = 0;
  let at = 0;
  let position = 0;
  while (position < given.length) {
    const character = wanted[at];
    const isEscaped = character === '\\' && at + 1 < wanted.length;
    if (character === '%') {
      retryPattern = at += 1;
      retryText = position;
    } else if (character === '_' || wanted[isEscaped ? at + 1 : at] === given[position]) {
      at += isEscaped ? 2 : 1;
      position += 1;
    } else if (retryPattern >= 0) {
      at = retryPattern;
      position = retryText += 1;
    } else {
      return false;
    }
  }
  while (wanted[at] === '%') at += 1;
  return at === wanted.length;
}
