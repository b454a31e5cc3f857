import { QuireError } from '@quire/core';

/** A word, a quoted name, a number or a symbol of a query; comments and white space are omitted. */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'text' | 'sign';
  /** The text: a word in upper case, a quoted name without its quotes, anything else verbatim. */
  readonly text: string;
  /** The depth of parentheses. */
  readonly depth: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Comments are those of Apache Calcite, which also begin with `//`, and end at a carriage return.
 */
const pattern =
  /(?:--|\/\/)[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|[\p{L}_$][\p{L}\p{N}_$.]*|[\d.]+(?:[eE][+-]?\d+)?|[^\s]/gu;

/** Splits a query into tokens, for checks before Apache Pinot parses it. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (const match of sql.matchAll(pattern)) {
    const [text] = match;
    if (/^(?:--|\/\/|\/\*)/.test(text)) continue;
    if (text === ')') depth -= 1;
    const start = match.index;
    const end = start + text.length;
    const first = text.charAt(0);
    if (first === '"' || first === '`') {
      tokens.push({ kind: 'name', text: text.slice(1, -1), depth, start, end });
    } else if (first === "'") tokens.push({ kind: 'text', text, depth, start, end });
    else if (/[\p{L}_$]/u.test(first)) {
      tokens.push({ kind: 'word', text: text.toUpperCase(), depth, start, end });
    } else tokens.push({ kind: 'sign', text, depth, start, end });
    if (text === '(') depth += 1;
  }
  return tokens;
}

/** Returns every word and name of a query, in lower case, including its tables. */
export function wordsOf(tokens: readonly SqlToken[]): ReadonlySet<string> {
  return new Set(
    tokens
      .filter(({ kind }) => kind === 'word' || kind === 'name')
      .map(({ text }) => text.toLowerCase()),
  );
}

const queryWords: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'EXPLAIN', 'SET', '(']);
/**
 * The words of a statement that loads files into a table, which a broker would do. Comments may be
 * between them, so they count anywhere.
 */
const insertionWords = [/\binsert\b/i, /\bfrom\b/i, /\bfile\b/i];

/** Reports whether a text has these words in their order. */
function hasInsertion(sql: string): boolean {
  let rest = sql;
  return insertionWords.every((word) => {
    const found = word.exec(rest);
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
    return found !== null;
  });
}

/**
 * Accepts queries and the SET statements of their options only; a broker of Apache Pinot also runs
 * other statements.
 *
 * @throws QUERY_INVALID for any other statement, and for a text that has the words of `INSERT INTO
 *   … FROM FILE`
 */
export function assertQuery(sql: string, tokens: readonly SqlToken[]): void {
  const firsts = tokens.filter(
    (token, index) => token.text !== ';' && (index === 0 || tokens[index - 1]?.text === ';'),
  );
  const other = firsts.find(({ text }) => !queryWords.has(text));
  if (other !== undefined) {
    throw new QuireError(
      'QUERY_INVALID',
      `A statement starts with '${other.text}'; expected SELECT, WITH, EXPLAIN or SET.`,
    );
  }
  if (hasInsertion(sql)) {
    throw new QuireError(
      'QUERY_INVALID',
      'The query contains the keywords of INSERT INTO … FROM FILE, which is not allowed.',
    );
  }
}

/** The largest LIMIT that Apache Pinot accepts. */
const limitMax = 2 ** 31 - 1;

/**
 * Returns the query, requesting all rows when it has no LIMIT of its own; other statements are
 * unchanged.
 */
export function withoutRowLimit(sql: string, tokens: readonly SqlToken[]): string {
  const [first] = tokens;
  const isQuery = first?.kind === 'word' && (first.text === 'SELECT' || first.text === 'WITH');
  const isLimited = tokens.some(
    ({ kind, text, depth }) =>
      kind === 'word' && depth === 0 && (text === 'LIMIT' || text === 'FETCH'),
  );
  if (!isQuery || isLimited) return sql;
  const last = tokens.findLast(({ text }) => text !== ';');
  return `${sql.slice(0, last?.end)}${addedLimit}`;
}

const addedLimit = ` LIMIT ${limitMax}`;

/**
 * Removes a LIMIT that the caller did not write from a message of Apache Pinot that repeats the
 * query. A parser that fails at that LIMIT has reached the end of the query.
 */
export function withoutAddedLimit(message: string): string {
  const end = message.indexOf(addedLimit);
  if (end === -1) return message;
  const lastLine = message.slice(message.lastIndexOf('\n', end) + 1, end);
  const length = lastLine.replace(/^.*\bparsing query: /, '').length;
  return message
    .replaceAll(addedLimit, '')
    .replace(/"[^"]*"LIMIT" "LIMIT "" (at line \d+, column) (\d+)/, (words, place, column) =>
      Number(column) === length + 2 ? `"<EOF>" ${place} ${length}` : words,
    );
}

/**
 * Returns the query with LIMIT 0, for which Apache Pinot returns names and types of columns and
 * reads no row. Undefined if the tokens do not suffice for that: for a statement that does not
 * begin with SELECT or WITH, and for one with anything but numbers after its LIMIT.
 */
export function withoutRows(sql: string, given: readonly SqlToken[]): string | undefined {
  const end = given.findLastIndex(({ text }) => text !== ';') + 1;
  const tokens = given.slice(0, end);
  const [first] = tokens;
  if (first?.kind !== 'word' || (first.text !== 'SELECT' && first.text !== 'WITH')) {
    return undefined;
  }
  const limit = tokens.findIndex(
    ({ kind, text, depth }) => kind === 'word' && depth === 0 && rowCountWords.has(text),
  );
  const counts = limit < 0 ? [] : tokens.slice(limit + 1);
  const isPlain = counts.every(({ text }) => /^(?:\d+|,|OFFSET)$/.test(text));
  const isOne = tokens.every(({ text }) => text !== ';' && text !== 'OPTION');
  if (!isPlain || !isOne) return undefined;
  return `${sql.slice(0, tokens.at(limit < 0 ? -1 : limit - 1)?.end)} LIMIT 0`;
}

const rowCountWords: ReadonlySet<string> = new Set(['LIMIT', 'OFFSET', 'FETCH']);
