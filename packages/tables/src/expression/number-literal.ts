import { ExpressionSyntaxError } from './expression-error.ts';
import type { Token } from './token.ts';
import { fitsLong, type Integer, longMax, toInteger } from './values/integer.ts';

/**
 * The value of a number as it is written; whole numbers keep all their digits.
 *
 * @throws ExpressionSyntaxError when it fits neither 64 bits nor a double
 */
export function parseNumberLiteral(token: Token, isNegative: boolean): Integer {
  const text = (isNegative ? '-' : '') + token.text;
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (fitsLong(value)) return toInteger(value);
    throw new ExpressionSyntaxError(`${text} does not fit 64 bits, the largest is ${longMax}`, token.position);
  }
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new ExpressionSyntaxError(`${text} does not fit a double`, token.position);
}
