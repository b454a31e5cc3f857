import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { double, integer, number } from '../parameters.ts';
import { isInteger } from '../values/integer.ts';
import { checkedLong } from '../values/arithmetic.ts';

/** A function of one double that JavaScript has. */
function ofDouble(
  name: string,
  aliases: readonly string[],
  does: string,
  evaluate: (value: number) => number,
): FunctionDefinition {
  return scalar({ name, aliases, takes: [double], returns: 'number', does, evaluate });
}

/** A function that leaves whole numbers as they are. */
function rounding(name: string, aliases: readonly string[], does: string, round: (value: number) => number): FunctionDefinition {
  return scalar({
    name,
    aliases,
    takes: [number],
    returns: 'number',
    does,
    evaluate: (value) => (isInteger(value) ? value : round(Number(value)) + 0),
  });
}

function toDigits(value: number, digits: number, round: (scaled: number) => number): number {
  const factor = 10 ** Math.max(-300, Math.min(digits, 300));
  const rounded = round(value * factor) / factor;
  return Number.isFinite(rounded) ? rounded : value;
}

/** Roots, powers, logarithms, rounding and angles. */
export const mathFunctions: readonly FunctionDefinition[] = [
  rounding('ceil', ['ceiling'], 'The smallest whole number that is not below.', Math.ceil),
  rounding('floor', [], 'The largest whole number that is not above.', Math.floor),
  scalar({
    name: 'round',
    takes: [number, integer],
    returns: 'integer',
    does: 'A time or number, down to a multiple of the second argument, as the engine rounds times.',
    evaluate(value, size) {
      if (size === 0) return value;
      if (typeof value === 'number') return value - (value % size);
      return checkedLong((BigInt(value) / BigInt(size)) * BigInt(size), `round(${value}, ${size})`);
    },
  }),
  scalar({
    name: 'roundDecimal',
    takes: [number],
    optionally: [integer],
    returns: 'number',
    does: 'Rounded half away from zero, to so many digits behind the point or to a whole number.',
    evaluate: (value, digits = 0) =>
      isInteger(value) ? value : toDigits(Number(value), digits, (scaled) => Math.sign(scaled) * Math.round(Math.abs(scaled))),
  }),
  scalar({
    name: 'truncate',
    takes: [number],
    optionally: [integer],
    returns: 'number',
    does: 'Cut off towards zero, behind so many digits or to a whole number.',
    evaluate: (value, digits = 0) => (isInteger(value) ? value : toDigits(Number(value), digits, Math.trunc)),
  }),
  ofDouble('sign', [], '-1, 0 or 1 as the number is below, at or above 0.', Math.sign),
  ofDouble('sqrt', [], 'The square root.', Math.sqrt),
  ofDouble('cbrt', [], 'The cube root.', Math.cbrt),
  scalar({
    name: 'power',
    aliases: ['pow'],
    takes: [double, double],
    returns: 'number',
    does: 'The first raised to the power of the second.',
    evaluate: (base, exponent) => base ** exponent,
  }),
  ofDouble('exp', [], 'e raised to the number.', Math.exp),
  ofDouble('ln', ['log'], 'The natural logarithm.', Math.log),
  ofDouble('log2', [], 'The logarithm to base 2.', Math.log2),
  ofDouble('log10', [], 'The logarithm to base 10.', Math.log10),
  scalar({
    name: 'hypot',
    takes: [double, double],
    returns: 'number',
    does: 'The long side of a triangle with a right angle.',
    evaluate: (left, right) => Math.hypot(left, right),
  }),
  ofDouble('sin', [], 'The sine of an angle in radians.', Math.sin),
  ofDouble('cos', [], 'The cosine.', Math.cos),
  ofDouble('tan', [], 'The tangent.', Math.tan),
  ofDouble('asin', [], 'The inverse of the sine.', Math.asin),
  ofDouble('acos', [], 'The inverse of the cosine.', Math.acos),
  ofDouble('atan', [], 'The inverse of the tangent.', Math.atan),
  scalar({
    name: 'atan2',
    takes: [double, double],
    returns: 'number',
    does: 'The angle of the point with these y and x.',
    evaluate: (y, x) => Math.atan2(y, x),
  }),
  ofDouble('degrees', [], 'Radians as degrees.', (radians) => (radians * 180) / Math.PI),
  ofDouble('radians', [], 'Degrees as radians.', (degrees) => (degrees * Math.PI) / 180),
];
