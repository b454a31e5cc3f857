import { doubleValue, type WholeDouble } from '../values/value.ts';
import { ExpressionSyntaxError } from '../values/expression-error.ts';

/** A token of an expression, and its position in the text. */
export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly position: number }
  | { readonly kind: 'quoted'; readonly text: string; readonly position: number }
  | { readonly kind: 'string'; readonly text: string; readonly position: number }
  | { readonly kind: 'number'; readonly text: string; readonly position: number }
  | { readonly kind: 'symbol'; readonly text: string; readonly position: number }
  | { readonly kind: 'end'; readonly text: ''; readonly position: number };

/** White space and comments. */
const spacePattern = /(?:\s+|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const patterns = [
  ['word', /[\p{L}_$][\p{L}\p{N}_$]*/uy],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['string', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"]|"")+"/y],
  ['symbol', /<>|!=|<=|>=|[-+*/%(),.=<>[\]]/y],
] as const;

/**
 * Splits the text of an expression into tokens; the last has the kind `end`. Quotes are removed,
 * and doubled quotes inside are merged, twice in text literals, as in Apache Pinot: `'a''''b'` is
 * `a'b`.
 *
 * @throws ExpressionSyntaxError at a character that starts no token
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = skipSpace(text, 0);
  while (position < text.length) {
    const token = tokenAt(text, position);
    tokens.push(token.token);
    position = skipSpace(text, token.end);
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

function tokenAt(text: string, position: number): { readonly token: Token; readonly end: number } {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    return {
      token: { kind, text: textOf(kind, found), position },
      end: position + found.length,
    };
  }
  const start = text.slice(position, position + 1);
  const hint = /['"]/.test(start)
    ? `the quote ${start} is never closed`
    : `unexpected ${String.fromCodePoint(text.codePointAt(position) ?? 0)}`;
  throw new ExpressionSyntaxError(hint, position);
}

function skipSpace(text: string, position: number): number {
  spacePattern.lastIndex = position;
  return position + (spacePattern.exec(text)?.[0].length ?? 0);
}

function textOf(kind: Token['kind'], found: string): string {
  if (kind === 'quoted') return unquote(found);
  return kind === 'string' ? unquote(found).replaceAll("''", "'") : found;
}

function unquote(quoted: string): string {
  const quote = quoted.slice(0, 1);
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}

/**
 * Parses a number literal: a whole number keeps all its digits, one with a point or an exponent is
 * a double.
 *
 * @throws ExpressionSyntaxError when it fits neither 64 bits nor a double
 */
export function parseNumberLiteral(
  token: Token,
  isNegative: boolean,
): number | bigint | WholeDouble {
  const text = (isNegative ? '-' : '') + token.text;
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) !== value) {
      throw new ExpressionSyntaxError(`${text.slice(0, 40)} does not fit 64 bits`, token.position);
    }
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
      ? Number(value) + 0
      : value;
  }
  const value = Number(text);
  // A literal has no negative zero: its sign is that of a decimal number.
  if (Number.isFinite(value)) return doubleValue(value === 0 ? 0 : value);
  throw new ExpressionSyntaxError(`${text} does not fit a double`, token.position);
}
