import { doubleValue, type WholeDouble } from '../values/value.ts';
import { ExpressionSyntaxError } from './expression-error.ts';
import type { Token } from './token.ts';

/**
 * The value of a number as it is written: a whole one keeps all its digits, one with a point or an exponent is a double.
 *
 * @throws ExpressionSyntaxError when it fits neither 64 bits nor a double
 */
export function parseNumberLiteral(token: Token, isNegative: boolean): number | bigint | WholeDouble {
  const text = (isNegative ? '-' : '') + token.text;
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) !== value) {
      throw new ExpressionSyntaxError(`${text.slice(0, 40)} does not fit 64 bits`, token.position);
    }
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) + 0 : value;
  }
  const value = Number(text);
  if (Number.isFinite(value)) return doubleValue(value);
  throw new ExpressionSyntaxError(`${text} does not fit a double`, token.position);
}
