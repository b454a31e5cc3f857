import { ExpressionSyntaxError } from './expression-error.ts';
import type { Token } from './token.ts';
import { type Integer, longMax, parseLong, toInteger } from './values/integer.ts';

/**
 * The value of a number as it is written; whole numbers keep all their digits.
 *
 * @throws ExpressionSyntaxError when it fits neither 64 bits nor a double
 */
export function parseNumberLiteral(token: Token, isNegative: boolean): Integer {
  const text = (isNegative ? '-' : '') + token.text;
  if (/^-?\d+$/.test(text)) {
    const value = parseLong(text);
    if (value !== undefined) return toInteger(value);
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    throw new ExpressionSyntaxError(`${shown} does not fit 64 bits, the largest is ${longMax}`, token.position);
  }
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new ExpressionSyntaxError(`${text} does not fit a double`, token.position);
}
