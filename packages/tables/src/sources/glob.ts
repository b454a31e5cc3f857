import { RE2JS } from 're2js';

/** A pattern over paths with `/` between their segments. */
export interface Glob {
  /**
   * The directory that contains all matches: the segments before the first wildcard, without a
   * trailing slash.
   */
  readonly base: string;
  /** True if there is a wildcard; otherwise the pattern is one path. */
  readonly hasWildcard: boolean;
  matches(path: string): boolean;
}

/** The maximum length of a pattern that is accepted. */
const globLengthMax = 2_000;

const wildcards = /[*?[\]{}]/;

/**
 * Parses a pattern: `*` and `?` within a segment, `**` across segments, `[a-z]`, `[!a]`, `{a,b}`.
 * Matching takes linear time in the path for any pattern, since it is an RE2 regular expression.
 * Undefined if it is invalid.
 */
export function parseGlob(pattern: string): Glob | undefined {
  if (pattern.length > globLengthMax) return undefined;
  const segments = pattern.split('/');
  const first = segments.findIndex((segment) => wildcards.test(segment));
  if (first < 0) {
    return {
      base: segments.slice(0, -1).join('/'),
      hasWildcard: false,
      matches: (path) => path === pattern,
    };
  }
  const matcher = compileRegex(translate(pattern));
  return matcher === undefined
    ? undefined
    : { base: segments.slice(0, first).join('/'), hasWildcard: true, matches: matcher };
}

/** Returns a matcher of whole texts for an RE2 regular expression; undefined if it is invalid. */
export function compileRegex(source: string): ((text: string) => boolean) | undefined {
  if (source.length > globLengthMax * 10) return undefined;
  try {
    const regex = RE2JS.compile(source, RE2JS.DOTALL);
    return (text) => regex.matches(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
}

function translate(pattern: string): string {
  let regex = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (pattern.startsWith('**/', at) && (at === 0 || pattern[at - 1] === '/')) {
      regex += '(?:[^/]+/)*';
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      regex += '.*';
      at += 1;
    } else if (character === '*') regex += '[^/]*';
    else if (character === '?') regex += '[^/]';
    else if (character === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) regex += '\\[';
      else {
        const body = pattern
          .slice(at + 1, end)
          .replace(/^!/, '^')
          .replaceAll('\\', '\\\\')
          .replaceAll('[', '\\[');
        regex += `[${body}]`;
        at = end;
      }
    } else if (character === '{') {
      depth += 1;
      regex += '(?:';
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      regex += ')';
    } else if (character === ',' && depth > 0) regex += '|';
    else regex += character.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  }
  return regex + ')'.repeat(depth);
}
