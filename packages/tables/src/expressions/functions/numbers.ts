import {
  define,
  defineClocked,
  double,
  type FunctionDefinition,
  int,
  long,
} from './function-definition.ts';
import { saturatedLong } from '../values/convert.ts';
import { Decimal } from '../values/value.ts';
import { textOfDouble } from '../values/text.ts';
import { expressionFailed } from '../values/expression-error.ts';

const longMin = -(2 ** 63);

/**
 * Arithmetic functions. All arithmetic uses doubles, as in Apache Pinot: whole numbers beyond 2^53
 * lose digits.
 */
export const arithmeticFunctions: readonly FunctionDefinition[] = [
  define(
    'plus add',
    [double, double],
    double,
    (a, b) => a + b,
    'The sum; the operator `+`.',
    'plus(1, 2)',
  ),
  define(
    'sub minus',
    [double, double],
    double,
    (a, b) => a - b,
    'The difference; the operator `-`.',
    'sub(5, 2.5)',
  ),
  define(
    'times mult',
    [double, double],
    double,
    (a, b) => a * b,
    'The product; the operator `*`.',
    'mult(2, 3)',
  ),
  define(
    'divide div',
    [double, double],
    double,
    (a, b) => a / b,
    'The quotient; the operator `/`.',
    'divide(1, 4)',
  ),
  define(
    'divide div',
    [double, double, double],
    double,
    (a, b, otherwise) => (b === 0 ? otherwise : a / b),
    'The quotient, or the third argument if the divisor is 0.',
    'divide(1, 0, -1)',
  ),
  define(
    'intDiv',
    [double, double],
    long,
    (a, b) => saturatedLong(Math.floor(a / b)),
    'The quotient, rounded down to a whole number.',
    'intDiv(-1, 4)',
  ),
  define(
    'intDivOrZero',
    [double, double],
    long,
    (a, b) => (isUndivided(a, b) ? 0n : saturatedLong(Math.floor(a / b))),
    'The quotient, rounded down to a whole number, or 0 if the divisor is 0.',
    'intDivOrZero(7, 0)',
  ),
  define(
    'mod',
    [double, double],
    double,
    (a, b) => a % b,
    'The remainder, with the sign of the dividend; the operator `%`.',
    'mod(-7, 3)',
  ),
  define(
    'moduloOrZero',
    [double, double],
    double,
    (a, b) => (isUndivided(a, b) ? 0 : a % b),
    'The remainder, or 0 if the divisor is 0.',
    'moduloOrZero(7, 0)',
  ),
  define(
    'positiveModulo',
    [double, double],
    double,
    (a, b) => (a % b >= 0 ? a % b : (a % b) + Math.abs(b)),
    'The remainder, never negative.',
    'positiveModulo(-7, 3)',
  ),
  define('negate', [double], double, (a) => -a, 'The number with the opposite sign.', 'negate(5)'),
  define(
    'least',
    [double, double],
    double,
    (a, b) => Math.min(a, b),
    'The smaller number; NaN if either is NaN.',
    'least(1, 2)',
  ),
  define(
    'greatest',
    [double, double],
    double,
    (a, b) => Math.max(a, b),
    'The larger number; NaN if either is NaN.',
    'greatest(1, 2)',
  ),
  define(
    'min',
    [double, double],
    double,
    (a, b) => Math.min(a, b),
    'The same as `least`.',
    'min(1, 2)',
  ),
  define(
    'max',
    [double, double],
    double,
    (a, b) => Math.max(a, b),
    'The same as `greatest`.',
    'max(1, 2)',
  ),
  define('gcd', [long, long], long, greatestDivisor, 'The greatest common divisor.', 'gcd(12, 18)'),
  define(
    'lcm',
    [long, long],
    long,
    (a, b) => (a === 0n || b === 0n ? 0n : wrap((size(a) / greatestDivisor(a, b)) * size(b))),
    'The least common multiple.',
    'lcm(4, 6)',
  ),
  define(
    'byteSwapInt',
    [int],
    int,
    (a) => Buffer.from(Int32Array.of(a).buffer).swap32().readInt32LE(),
    'The 4 bytes of an integer in reverse.',
    'byteSwapInt(1)',
  ),
  define(
    'byteSwapLong',
    [long],
    long,
    (a) => Buffer.from(BigInt64Array.of(a).buffer).swap64().readBigInt64LE(),
    'The 8 bytes of a long in reverse.',
    'byteSwapLong(1)',
  ),
];

export const mathematicsFunctions: readonly FunctionDefinition[] = [
  define('abs', [double], double, Math.abs, 'The number without its sign.', 'abs(-2.5)'),
  define(
    'ceil ceiling',
    [double],
    double,
    Math.ceil,
    'The number, rounded up to a whole number.',
    'ceil(1.2)',
  ),
  define(
    'floor',
    [double],
    double,
    Math.floor,
    'The number, rounded down to a whole number.',
    'floor(-1.2)',
  ),
  define('exp', [double], double, Math.exp, 'e to the power of the number.', 'exp(0)'),
  define('ln log', [double], double, Math.log, 'The natural logarithm.', 'ln(1)'),
  define(
    'log2',
    [double],
    double,
    (a) => Math.log(a) / Math.log(2),
    'The logarithm to base 2.',
    'log2(8)',
  ),
  define('log10', [double], double, Math.log10, 'The logarithm to base 10.', 'log10(1000)'),
  define('sqrt', [double], double, Math.sqrt, 'The square root.', 'sqrt(2.25)'),
  define('sign', [double], double, Math.sign, 'The sign of the number: -1, 0 or 1.', 'sign(-5)'),
  define(
    'power pow',
    [double, double],
    double,
    javaPower,
    'The first argument to the power of the second.',
    'power(2, 10)',
  ),
  define(
    'roundDecimal',
    [double],
    double,
    (a) => (Number.isFinite(a) ? Number(saturatedLong(Math.floor(a + 0.5))) : a),
    'The nearest whole number; halves are rounded up.',
    'roundDecimal(-2.5)',
  ),
  define(
    'roundDecimal',
    [double, int],
    double,
    (a, scale) => (Number.isFinite(a) ? rescale(a, scale, 'half-up') : a),
    'The number, rounded to n decimals; halves are rounded away from 0.',
    'roundDecimal(2.345, 2)',
  ),
  define(
    'truncate',
    [double],
    double,
    (a) => Math.sign(a) * Math.floor(Math.abs(a)),
    'The number without its fraction.',
    'truncate(-2.7)',
  ),
  define(
    'truncate',
    [double, int],
    double,
    (a, scale) => rescale(a, scale, 'down'),
    'The number truncated to n decimals.',
    'truncate(2.349, 2)',
  ),
  define(
    'isNaN',
    [double],
    int,
    (a) => Number(Number.isNaN(a)),
    '1 if the number is NaN, otherwise 0.',
    "isNaN('NaN')",
  ),
  define(
    'isFinite',
    [double],
    int,
    (a) => Number(Number.isFinite(a)),
    '1 if the number is neither NaN nor infinite, otherwise 0.',
    'isFinite(1)',
  ),
  define(
    'isInfinite',
    [double],
    int,
    (a) => Number(Math.abs(a) === Number.POSITIVE_INFINITY),
    '1 if the number is infinite, otherwise 0.',
    "isInfinite('-Infinity')",
  ),
  define(
    'ifNotFinite',
    [double, double],
    double,
    (a, otherwise) => (Number.isFinite(a) ? a : otherwise),
    'The number, or the second argument if it is NaN or infinite.',
    "ifNotFinite('NaN', 0)",
  ),
  define(
    'hypot',
    [double, double],
    double,
    (a, b) => Math.hypot(a, b),
    'The hypotenuse of a right triangle.',
    'hypot(3, 4)',
  ),
  define('sin', [double], double, Math.sin, 'The sine of an angle in radians.', 'sin(0)'),
  define('cos', [double], double, Math.cos, 'The cosine.', 'cos(0)'),
  define('tan', [double], double, Math.tan, 'The tangent.', 'tan(0)'),
  define('cot', [double], double, (a) => 1 / Math.tan(a), 'The cotangent.'),
  define('asin', [double], double, Math.asin, 'The arc sine, in radians.', 'asin(0)'),
  define('acos', [double], double, Math.acos, 'The arc cosine, in radians.', 'acos(1)'),
  define('atan', [double], double, Math.atan, 'The arc tangent, in radians.', 'atan(0)'),
  define(
    'atan2',
    [double, double],
    double,
    Math.atan2,
    'The angle of the point with the coordinates y and x, in radians.',
    'atan2(0, 1)',
  ),
  define('sinh', [double], double, Math.sinh, 'The hyperbolic sine.', 'sinh(0)'),
  define('cosh', [double], double, Math.cosh, 'The hyperbolic cosine.', 'cosh(0)'),
  define('tanh', [double], double, Math.tanh, 'The hyperbolic tangent.', 'tanh(0)'),
  define(
    'degrees',
    [double],
    double,
    (a) => a * (180 / Math.PI),
    'Radians as degrees.',
    'degrees(0)',
  ),
  define(
    'radians',
    [double],
    double,
    (a) => a * (Math.PI / 180),
    'Degrees as radians.',
    'radians(0)',
  ),
  defineClocked(
    'rand',
    [],
    double,
    ({ clock }) =>
      () =>
        seededRandom(BigInt(Math.trunc(clock.monotonicMs() * 1000))),
    'A random number in [0, 1).',
    undefined,
    false,
  ),
  define(
    'rand',
    [long],
    double,
    seededRandom,
    'A number in [0, 1), determined by the seed.',
    'rand(42)',
  ),
];

function isUndivided(a: number, b: number): boolean {
  return b === 0 || (a === longMin && b === -1);
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [divisor, rest] = [b, a];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return size(divisor);
}

function size(a: bigint): bigint {
  return wrap(a < 0n ? -a : a);
}

function wrap(a: bigint): bigint {
  return BigInt.asIntN(64, a);
}

function javaPower(base: number, exponent: number): number {
  return base ** exponent;
}

function rescale(a: number, scale: number, rounding: 'half-up' | 'down'): number {
  if (!Number.isFinite(a)) throw expressionFailed(`${a} cannot be truncated to decimals.`);
  // More than all digits of a double; from 646,456,993 on Java's decimals fail.
  if (Math.abs(scale) > 1_000 && Math.abs(scale) < 646_456_993) return scale > 0 ? a + 0 : 0;
  return Decimal.parse(textOfDouble(a)).withScale(scale, rounding).toNumber();
}

function seededRandom(seed: bigint): number {
  const mixed = (z: bigint, factor: bigint): bigint =>
    BigInt.asUintN(64, (z ^ (z >> 33n)) * factor);
  const first = mixed(BigInt.asUintN(64, seed ^ 0x5deece66dn), 0xff51_afd7_ed55_8ccdn);
  const second = mixed(first, 0xc4ce_b9fe_1a85_ec53n);
  return Number((second ^ (second >> 33n)) >> 11n) / 2 ** 53;
}
