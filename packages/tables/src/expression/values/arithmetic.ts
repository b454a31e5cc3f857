import { expressionFailed } from '../expression-error.ts';
import { fitsLong, type Integer, isInteger, toInteger } from './integer.ts';

/** Two operands' sum, difference or product. */
export interface Operation {
  readonly sign: string;
  readonly ofDoubles: (left: number, right: number) => number;
  readonly ofIntegers: (left: bigint, right: bigint) => bigint;
}

export const sum: Operation = {
  sign: '+',
  ofDoubles: (left, right) => left + right,
  ofIntegers: (left, right) => left + right,
};

/**
 * Calculates: exactly when both operands are whole numbers, else with doubles.
 *
 * @throws EXPRESSION_FAILED when a whole result does not fit 64 bits
 */
export function calculate(left: number | bigint, right: number | bigint, operation: Operation): number | bigint {
  if (!isInteger(left) || !isInteger(right)) return operation.ofDoubles(Number(left), Number(right));
  if (typeof left === 'number' && typeof right === 'number') {
    const result = operation.ofDoubles(left, right);
    if (Number.isSafeInteger(result)) return result;
  }
  return checkedLong(operation.ofIntegers(BigInt(left), BigInt(right)), `${left} ${operation.sign} ${right}`);
}

/** @throws EXPRESSION_FAILED when the value does not fit 64 bits */
export function checkedLong(value: bigint, shown: string): Integer {
  if (!fitsLong(value)) throw expressionFailed(`${shown} does not fit 64 bits.`);
  return toInteger(value);
}
