import { QuireError } from '@quire/core';

/** A token of a query; spaces and comments are left out. */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'text' | 'bytes' | 'number' | 'symbol' | 'end';
  /** The text as typed; names and texts are without their quotes. */
  readonly text: string;
  /** The position of the token in the query: characters `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

const pattern =
  /(?<blank>\s+|(?:--|\/\/)[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$))|(?<bytes>[xX]'(?<hex>[0-9a-fA-F]*)')|'(?<text>(?:[^']|'')*)'|"(?<name>(?:[^"]|"")+)"|`(?<tick>(?:[^`]|``)+)`|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<symbol><>|!=|<=|>=|\|\||[-+*/%=<>(),.;[\]?])|(?<other>[\s\S])/gu;

/**
 * Splits a query into tokens; the last one is the end.
 *
 * @throws QUERY_SYNTAX for a character that starts no token, such as a quote that is not closed
 */
export function tokensOf(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { 0: matched, index: start, groups = {} } of sql.matchAll(pattern)) {
    const end = start + matched.length;
    const token = tokenOf(matched, groups);
    if (token === 'blank') continue;
    if (token === undefined) throw syntaxError(sql, start, `‘${matched}’ is not expected`);
    tokens.push({ ...token, start, end });
  }
  return [...tokens, { kind: 'end', text: '', start: sql.length, end: sql.length }];
}

function tokenOf(
  matched: string,
  groups: Readonly<Record<string, string | undefined>>,
): Pick<SqlToken, 'kind' | 'text'> | 'blank' | undefined {
  const { blank, bytes, hex = '', text, name, tick, number, word, symbol } = groups;
  if (blank !== undefined) return 'blank';
  if (bytes !== undefined) return { kind: 'bytes', text: hex };
  if (text !== undefined) return { kind: 'text', text: text.replaceAll("''", "'") };
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"') };
  if (tick !== undefined) return { kind: 'name', text: tick.replaceAll('``', '`') };
  if (number !== undefined) return { kind: 'number', text: number };
  if (word !== undefined) return { kind: 'word', text: word };
  return symbol === undefined ? undefined : { kind: 'symbol', text: matched };
}

/** Returns the error of a text at a position, with its line and column. */
export function syntaxError(sql: string, at: number, what: string): QuireError {
  const before = sql.slice(0, at).split('\n');
  const location = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return new QuireError('QUERY_SYNTAX', `The query cannot be parsed: ${what} at ${location}.`);
}
