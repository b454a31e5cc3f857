/** One `key = value` of a properties file, with the number (from 1) of its first line. */
export interface Property {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/** A line that cannot be parsed; the message never repeats the line, which may hold a secret. */
export interface PropertyFault {
  readonly line: number;
  readonly message: string;
}

interface LogicalLine {
  readonly text: string;
  readonly line: number;
}

/**
 * Parses a properties file as `java.util.Properties.load` does, except that a repeated key is kept
 * and that a byte order mark is skipped.
 *
 * `=`, `:` or white space ends the key. Comments start with `#` or `!`. `\` at a line end joins
 * lines; `\t \n \r \f \uXXXX` are characters, and `\` before anything else is dropped. Continues
 * after a faulty line.
 */
export function parseProperties(text: string): {
  readonly properties: readonly Property[];
  readonly faults: readonly PropertyFault[];
} {
  const properties: Property[] = [];
  const faults: PropertyFault[] = [];
  for (const { text: lineText, line } of logicalLines(text)) {
    const { key, value } = splitProperty(lineText);
    if (malformedEscape.test(lineText)) {
      faults.push({ line, message: 'expected four hexadecimal digits after \\u' });
    } else properties.push({ key: unescape(key), value: unescape(value), line });
  }
  return { properties, faults };
}

const leadingSpace = /^[ \t\f]+/;

/**
 * Joins continued lines; drops comments and blank lines. A comment is never continued, but a
 * continuation may look like one.
 */
function* logicalLines(text: string): Generator<LogicalLine> {
  const naturalLines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  let joined = '';
  let start = 0;
  for (const [index, naturalLine] of naturalLines.entries()) {
    const content = naturalLine.replace(leadingSpace, '');
    if (joined === '') {
      if (content === '' || content.startsWith('#') || content.startsWith('!')) continue;
      start = index + 1;
    }
    const isContinued = endsWithOddBackslashes(content);
    joined += isContinued ? content.slice(0, -1) : content;
    if (isContinued && index < naturalLines.length - 1) continue;
    if (joined !== '') yield { text: joined, line: start };
    joined = '';
  }
}

function endsWithOddBackslashes(text: string): boolean {
  return (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1;
}

/**
 * Splits a line at the first `=`, `:` or white space without a backslash before it; one `=` or `:`
 * may be surrounded by white space.
 */
function splitProperty(text: string): { readonly key: string; readonly value: string } {
  const match = /^((?:[^\\=: \t\f]|\\[^])*)[ \t\f]*[=:]?[ \t\f]*([^]*)$/.exec(text);
  return { key: match?.[1] ?? '', value: match?.[2] ?? '' };
}

/** Matches an unescaped `\u` without four hexadecimal digits. */
const malformedEscape = /(?<!\\)(?:\\\\)*\\u(?![0-9A-Fa-f]{4})/;
const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescape(text: string): string {
  return text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|([^]?))/g,
    (_match, hex: string | undefined, character: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return escapes[character ?? ''] ?? character ?? '';
    },
  );
}
