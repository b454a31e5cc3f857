import { durationMs, millisecondsOf, patternFormat, timeFormatOf } from './time-formats.ts';

/** A piece of SQL. All pieces in a row are the text again. */
interface SqlToken {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol' | 'blank';
  readonly text: string;
}

/**
 * The kinds in order: blanks are spaces and comments, names are quoted, and what nothing else is is
 * a symbol of one character.
 */
const pattern =
  /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*'?|\$(?<tag>[A-Za-z_]*)\$[\s\S]*?(?:\$\k<tag>\$|$))|(?<name>"(?:[^"]|"")*"?)|(?<number>\d[\w.]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|[\s\S]/gu;

function tokensOf(sql: string): readonly SqlToken[] {
  return Array.from(sql.matchAll(pattern), ({ 0: text, groups = {} }): SqlToken => {
    if (groups['blank'] !== undefined) return { kind: 'blank', text };
    if (groups['text'] !== undefined) return { kind: 'text', text };
    if (groups['name'] !== undefined) return { kind: 'name', text };
    if (groups['number'] !== undefined) return { kind: 'number', text };
    return { kind: groups['word'] === undefined ? 'symbol' : 'word', text };
  });
}

/** Whether a token is this keyword, or name of a function: in any case, without quotes. */
function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === word;
}

/** The content of a text in single quotes; undefined for other tokens. */
function contentOf(token: SqlToken | undefined): string | undefined {
  if (token?.kind !== 'text' || !token.text.startsWith("'")) return undefined;
  return token.text.slice(1, -1).replaceAll("''", "'");
}

/**
 * What an instant is, which is a LONG in Apache Pinot and compares with timestamps all the same:
 * DuckDB wants one or the other.
 */
export type InstantType = 'LONG' | 'TIMESTAMP';

/** A query in DuckDB's words. */
export interface Translation {
  readonly sql: string;
  /** Whether the plan of that query is asked for, not its rows. */
  readonly isPlan: boolean;
}

/** Longest query that is translated, in characters. */
const lengthMax = 65_536;

/**
 * Translates what clients made for Apache Pinot write and DuckDB refuses; for queries that DuckDB
 * has refused, so that no query that it understands means anything else. Texts, comments and quoted
 * names stay as they are.
 *
 * @throws QUERY_INVALID for a format of times that DuckDB does not have
 */
export function translatePinot(sql: string, instants: InstantType): Translation | undefined {
  if (sql.length > lengthMax) return undefined;
  const { tokens, isPlan } = withoutFrame(tokensOf(sql));
  const text = translate(tokens, instants);
  return text === sql ? undefined : { sql: text, isPlan };
}

/** Takes `SET key = value;` and `EXPLAIN PLAN FOR` from the front, and `OPTION(…)` from the end. */
function withoutFrame(given: readonly SqlToken[]): {
  tokens: readonly SqlToken[];
  isPlan: boolean;
} {
  let tokens = given;
  for (let words = meaningful(tokens); isWord(words[0]?.token, 'SET'); words = meaningful(tokens)) {
    const end = words.find(({ token }) => token.text === ';');
    if (end === undefined) break;
    tokens = tokens.slice(end.index + 1);
  }
  const words = meaningful(tokens);
  const isPlan = ['EXPLAIN', 'PLAN', 'FOR'].every((word, index) =>
    isWord(words[index]?.token, word),
  );
  if (isPlan) tokens = tokens.slice((words[2]?.index ?? 0) + 1);
  return { tokens: withoutOptions(tokens), isPlan };
}

function withoutOptions(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const words = meaningful(tokens).filter(({ token }) => token.text !== ';');
  const start = words.findLastIndex(({ token }) => isWord(token, 'OPTION'));
  const [option, bracket] = words.slice(start);
  if (start < 0 || option === undefined || bracket?.token.text !== '(') return tokens;
  const end = closingOf(tokens, bracket.index);
  return end === words.at(-1)?.index ? withoutOptions(tokens.slice(0, option.index)) : tokens;
}

function translate(tokens: readonly SqlToken[], instants: InstantType): string {
  let text = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const found =
      translateCall(tokens, at, instants) ??
      translateSchema(tokens, at) ??
      translateLimit(tokens, at);
    text += found?.text ?? tokens[at]?.text ?? '';
    at = found?.end ?? at;
  }
  return text;
}

interface Replaced {
  readonly text: string;
  /** The last token that the text stands for. */
  readonly end: number;
}

/** `default.` in front of a name: the one database that there is. */
function translateSchema(tokens: readonly SqlToken[], at: number): Replaced | undefined {
  const isDefault = isWord(tokens[at], 'DEFAULT') || tokens[at]?.text.toLowerCase() === '"default"';
  const [dot, name] = [tokens[at + 1], tokens[at + 2]];
  if (!isDefault || dot?.text !== '.' || (name?.kind !== 'word' && name?.kind !== 'name')) {
    return undefined;
  }
  return tokens[at - 1]?.text === '.' ? undefined : { text: '', end: at + 1 };
}

/** `LIMIT offset, count`. */
function translateLimit(tokens: readonly SqlToken[], at: number): Replaced | undefined {
  if (!isWord(tokens[at], 'LIMIT')) return undefined;
  const [offset, comma, count] = meaningful(tokens.slice(at + 1, at + 20));
  if (
    offset?.token.kind !== 'number' ||
    comma?.token.text !== ',' ||
    count?.token.kind !== 'number'
  ) {
    return undefined;
  }
  return {
    text: `LIMIT ${count.token.text} OFFSET ${offset.token.text}`,
    end: at + 1 + count.index,
  };
}

function translateCall(
  tokens: readonly SqlToken[],
  at: number,
  instants: InstantType,
): Replaced | undefined {
  const token = tokens[at];
  const [bracket] = token?.kind === 'word' ? meaningful(tokens.slice(at + 1, at + 10)) : [];
  if (token === undefined || bracket?.token.text !== '(') return undefined;
  const call = callOf(token.text);
  if (call === undefined || tokens[at - 1]?.text === '.') return undefined;
  const start = at + 1 + bracket.index;
  const end = closingOf(tokens, start);
  if (end === undefined) return undefined;
  const given = argumentsOf(tokens.slice(start + 1, end));
  const text = call({
    values: given.map((argument) => translate(argument, instants).trim()),
    texts: given.map((argument) => {
      const [only, more] = meaningful(argument);
      return more === undefined ? contentOf(only?.token) : undefined;
    }),
    tokens: given,
    instant: (epochMs) =>
      instants === 'LONG' ? `(${epochMs})` : `make_timestamp((${epochMs}) * 1000)`,
    within: (argument) => translate(argument, instants).trim(),
  });
  return text === undefined ? undefined : { text, end };
}

interface Call {
  /** The arguments, translated. */
  readonly values: readonly string[];
  /** Those that are texts. */
  readonly texts: readonly (string | undefined)[];
  readonly tokens: readonly (readonly SqlToken[])[];
  readonly instant: (epochMs: string) => string;
  readonly within: (tokens: readonly SqlToken[]) => string;
}

/** Gives a call in DuckDB's words; undefined when it stays as it is. */
type TranslateCall = (call: Call) => string | undefined;

const nowMs = 'epoch_ms(now())';
/** Larger than any count of digits: such a second argument of ROUND is a span of time. */
const digitsMax = 1000;

const calls: Readonly<Record<string, TranslateCall>> = {
  CAST: translateCast,
  DATE_TRUNC: translateTrunc,
  DATETRUNC: translateTrunc,
  ROUND: ({ values: [value, size] }) =>
    Number(size) >= digitsMax ? `quire_round(${value}, ${size})` : undefined,
  NOW: ({ tokens, instant }) => (tokens.length === 0 ? instant(nowMs) : undefined),
  AGO: ({ texts: [duration], instant }) =>
    duration === undefined ? undefined : instant(`${nowMs} - (${durationMs(duration)})`),
  TODATETIME: ({ values: [value], texts: [, pattern, zone] }) =>
    pattern === undefined
      ? undefined
      : patternFormat(pattern, zone).write(`quire_epoch_ms(${value})`, '1:MILLISECONDS'),
  FROMDATETIME: ({ values: [value = ''], texts: [, pattern, zone], instant }) =>
    pattern === undefined ? undefined : instant(patternFormat(pattern, zone).read(value)),
  DATETIMECONVERT: ({ values, texts: [, from, to, granularity] }) => {
    if (
      values.length !== 4 ||
      from === undefined ||
      to === undefined ||
      granularity === undefined
    ) {
      return undefined;
    }
    return timeFormatOf(to).write(timeFormatOf(from).read(values[0] ?? ''), granularity);
  },
  TIMECONVERT: ({ values: [value], texts: [, from, to] }) =>
    from === undefined || to === undefined
      ? undefined
      : `(quire_long(${value}) * ${millisecondsOf(from)} // ${millisecondsOf(to)})`,
};

function callOf(name: string): TranslateCall | undefined {
  const upper = name.toUpperCase();
  const [, family, percent] = /^(PERCENTILE(?:TDIGEST|EST|KLL)?)(\d\d?)$/.exec(upper) ?? [];
  if (family !== undefined) {
    return ({ values }) => `${family.toLowerCase()}(${values.join(', ')}, ${percent})`;
  }
  return Object.hasOwn(calls, upper) ? calls[upper] : undefined;
}

/** Times that are cast to numbers and back are milliseconds since 1970. */
function translateCast({ tokens: [argument = []], within }: Call): string | undefined {
  const words = meaningful(argument);
  const [as, type] = words.slice(-2);
  if (as === undefined || !isWord(as.token, 'AS')) return undefined;
  const value = within(argument.slice(0, as.index));
  if (isWord(type?.token, 'TIMESTAMP')) return `quire_timestamp(${value})`;
  return isWord(type?.token, 'LONG') || isWord(type?.token, 'BIGINT')
    ? `quire_long(${value})`
    : undefined;
}

/**
 * `DATETRUNC(part, time)`, and with the unit that the time is counted in, a zone, and the unit of
 * the result.
 */
function translateTrunc({
  values: [part, value],
  texts: [, , unit, zone = 'UTC', outputUnit],
}: Call): string | undefined {
  if (unit === undefined) return `quire_trunc(${part}, ${value})`;
  const utc = `timezone('UTC', make_timestamp(quire_long(${value}) * ${millisecondsOf(unit) * 1000}))`;
  const zoneName = `'${zone.replaceAll("'", "''")}'`;
  const truncated = `timezone(${zoneName}, date_trunc(${part}, timezone(${zoneName}, ${utc})))`;
  return `(epoch_ms(${truncated}) // ${millisecondsOf(outputUnit ?? unit)})`;
}

interface IndexedToken {
  readonly token: SqlToken;
  readonly index: number;
}

function meaningful(tokens: readonly SqlToken[]): readonly IndexedToken[] {
  return tokens
    .map((token, index) => ({ token, index }))
    .filter(({ token }) => token.kind !== 'blank');
}

/** Where the bracket is closed that opens at `start`. */
function closingOf(tokens: readonly SqlToken[], start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    depth += depthOf(tokens[at]);
    if (depth === 0) return at;
  }
  return undefined;
}

/** What stands between commas. Without anything there, the list is empty. */
function argumentsOf(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  if (meaningful(tokens).length === 0) return [];
  const given: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    depth += depthOf(token);
    if (depth === 0 && token.text === ',') given.push([]);
    else given.at(-1)?.push(token);
  }
  return given;
}

function depthOf(token: SqlToken | undefined): number {
  if (token?.kind !== 'symbol') return 0;
  return '([{'.includes(token.text) ? 1 : ')]}'.includes(token.text) ? -1 : 0;
}
