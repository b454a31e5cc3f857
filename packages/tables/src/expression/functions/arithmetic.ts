import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { double, long, number } from '../parameters.ts';
import { calculate, checkedLong, type Operation, sum } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { isInteger, toInteger } from '../values/integer.ts';

const difference: Operation = { sign: '-', ofDoubles: (left, right) => left - right, ofIntegers: (left, right) => left - right };
const product: Operation = { sign: '*', ofDoubles: (left, right) => left * right, ofIntegers: (left, right) => left * right };
const remainder: Operation = {
  sign: '%',
  ofDoubles: (left, right) => left % right,
  ofIntegers: (left, right) => left % right,
};

function refuseZero(divisor: number | bigint): void {
  if (Number(divisor) === 0) throw expressionFailed('Division of integers by zero.');
}

/** Sums and products. Whole numbers stay exact up to 64 bits; more than that is an error, not another number. */
export const arithmeticFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'plus',
    aliases: ['add'],
    takes: [number, number],
    rest: number,
    returns: 'number',
    does: 'The sum; the operator `+`.',
    evaluate: (left, right, ...more) => more.reduce((total, each) => calculate(total, each, sum), calculate(left, right, sum)),
  }),
  scalar({
    name: 'minus',
    aliases: ['sub'],
    takes: [number, number],
    returns: 'number',
    does: 'The difference; the operator `-`.',
    evaluate: (left, right) => calculate(left, right, difference),
  }),
  scalar({
    name: 'times',
    aliases: ['mult'],
    takes: [number, number],
    rest: number,
    returns: 'number',
    does: 'The product; the operator `*`.',
    evaluate: (left, right, ...more) =>
      more.reduce((total, each) => calculate(total, each, product), calculate(left, right, product)),
  }),
  scalar({
    name: 'divide',
    aliases: ['div'],
    takes: [double, double],
    optionally: [double],
    returns: 'number',
    does: 'The quotient as a double; the operator `/`. By zero it is infinite, or the third argument.',
    evaluate: (left, right, otherwise) => (right === 0 && otherwise !== undefined ? otherwise : left / right),
  }),
  scalar({
    name: 'intDiv',
    takes: [long, long],
    returns: 'integer',
    does: 'The whole part of the quotient of integers.',
    evaluate(left, right) {
      refuseZero(right);
      return checkedLong(BigInt(left) / BigInt(right), `${left} / ${right}`);
    },
  }),
  scalar({
    name: 'mod',
    takes: [number, number],
    returns: 'number',
    does: 'The remainder, with the sign of the first; the operator `%`.',
    evaluate(left, right) {
      if (isInteger(left) && isInteger(right)) refuseZero(right);
      return calculate(left, right, remainder);
    },
  }),
  scalar({
    name: 'positiveModulo',
    takes: [number, number],
    returns: 'number',
    does: 'The remainder that is never negative.',
    evaluate(left, right) {
      if (isInteger(left) && isInteger(right)) refuseZero(right);
      const rest = calculate(left, right, remainder);
      return rest < 0 ? calculate(rest, compareValues(right, 0) < 0 ? -right : right, sum) : rest;
    },
  }),
  scalar({
    name: 'negate',
    takes: [number],
    returns: 'number',
    does: 'The number with the other sign; the operator `-`.',
    evaluate: (value) => (typeof value === 'bigint' ? checkedLong(-value, `-(${value})`) : value === 0 ? 0 : -value),
  }),
  scalar({
    name: 'abs',
    takes: [number],
    returns: 'number',
    does: 'The number without its sign.',
    evaluate: (value) =>
      typeof value === 'bigint' ? checkedLong(value < 0n ? -value : value, `abs(${value})`) : Math.abs(value),
  }),
  scalar({
    name: 'least',
    aliases: ['min'],
    takes: [number],
    rest: number,
    returns: 'number',
    does: 'The smallest of its arguments.',
    evaluate: (first, ...more) => more.reduce((best, each) => (compareValues(each, best) < 0 ? each : best), first),
  }),
  scalar({
    name: 'greatest',
    aliases: ['max'],
    takes: [number],
    rest: number,
    returns: 'number',
    does: 'The largest of its arguments.',
    evaluate: (first, ...more) => more.reduce((best, each) => (compareValues(each, best) > 0 ? each : best), first),
  }),
  scalar({
    name: 'gcd',
    takes: [long, long],
    returns: 'integer',
    does: 'The greatest common divisor.',
    evaluate: (left, right) => toInteger(commonDivisor(BigInt(left), BigInt(right))),
  }),
  scalar({
    name: 'lcm',
    takes: [long, long],
    returns: 'integer',
    does: 'The least common multiple.',
    evaluate(left, right) {
      const multiple = BigInt(left) * BigInt(right);
      if (multiple === 0n) return 0;
      const least = multiple / commonDivisor(BigInt(left), BigInt(right));
      return checkedLong(least < 0n ? -least : least, `lcm(${left}, ${right})`);
    },
  }),
];

function commonDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
