import { writeEight, writeUnsigned } from './digits';
import { writeFixedPoint } from './fixed-point';
import { shortestExponent, shortestOf, shortestOfFloat } from './schubfach';

/**
 * Writes a finite double as ECMAScript does, except that -0 keeps its sign.
 *
 * Most doubles of tables are short decimals. An integer divided by a power of ten rounds as the
 * decimal's text would, so if the quotient is the double, the integer has its digits: below 10^15,
 * each decimal is a different double.
 */
export function writeDouble(to: usize, value: f64): usize {
  const bits = reinterpret<u64>(value);
  const magnitude = abs(value);
  store<u8>(to, 0x2d);
  const at = to + <usize>(bits >> 63);
  if (magnitude < 1e9) {
    const millionths = nearest(magnitude * 1e6);
    if (millionths / 1e6 === magnitude) return writeFixedPoint(at, <i64>millionths, 6, true);
  } else if (magnitude < 9_007_199_254_740_992 && floor(magnitude) === magnitude) {
    return writeUnsigned(at, <i64>magnitude);
  }
  const fraction = bits & 0x000f_ffff_ffff_ffff;
  const exponent = <i32>(bits >> 52) & 0x7ff;
  const digits =
    exponent === 0
      ? shortestOf(fraction, -1074, false)
      : shortestOf(
          fraction | 0x0010_0000_0000_0000,
          exponent - 1075,
          fraction === 0 && exponent > 1,
        );
  return writeDigitsAndExponent(at, digits, shortestExponent);
}

/**
 * Writes a finite single-precision float in the fewest digits that identify it, in ECMAScript's
 * format for doubles.
 */
export function writeFloat(to: usize, value: f32): usize {
  const bits = reinterpret<u32>(value);
  const magnitude = abs(value);
  store<u8>(to, 0x2d);
  const at = to + (bits >> 31);
  const thousandths = nearest(<f64>magnitude * 1e3);
  // Each decimal of six digits is a different float.
  if (thousandths < 1e6 && <f32>(thousandths / 1e3) === magnitude)
    return writeFixedPoint(at, <i64>thousandths, 3, true);
  if (magnitude < 16_777_216 && floor(magnitude) === magnitude)
    return writeUnsigned(at, <i64>magnitude);
  const fraction = bits & 0x007f_ffff;
  const exponent = (bits >> 23) & 0xff;
  const digits =
    exponent === 0
      ? shortestOfFloat(fraction, -149, false)
      : shortestOfFloat(fraction | 0x0080_0000, exponent - 150, fraction === 0 && exponent > 1);
  return writeDigitsAndExponent(at, digits, shortestExponent);
}

/** Writes `NaN`, `Infinity` or `-Infinity`. */
export function writeNotFinite(to: usize, value: f64): usize {
  if (value !== value) {
    store<u32>(to, 0x4e_61_4e);
    return to + 3;
  }
  store<u8>(to, 0x2d);
  const at = to + <usize>(value < 0);
  store<u64>(at, 0x7974_696e_6966_6e49);
  return at + 8;
}

/**
 * Writes `digits · 10^exponent`; the digits have no trailing zeros. Source:
 * https://tc39.es/ecma262/#sec-numeric-types-number-tostring
 */
function writeDigitsAndExponent(to: usize, digits: u64, exponent: i32): usize {
  // One byte to the right, so that digits before the point can move to the left.
  const end = writeSignificant(to + 1, digits);
  const digitCount = <i32>(end - to) - 1;
  const point = digitCount + exponent;
  if (point > 0 && point <= 21) {
    if (exponent >= 0) return writeWithZeros(to, digitCount, exponent);
    for (let index = 0; index < point; index += 1) store<u8>(to + index, load<u8>(to + index, 1));
    store<u8>(to + point, 0x2e);
    return end;
  }
  if (point <= 0 && point > -6) {
    store<u64>(to, 0x3030_3030_3030_2e30);
    return writeUnsigned(to + 2 - point, digits);
  }
  store<u8>(to, load<u8>(to, 1));
  store<u8>(to, 0x2e, 1);
  return writeExponent(digitCount === 1 ? to + 1 : end, point - 1);
}

/** Writes digits, mostly 16 or 17 of them: no branch depends on which. */
function writeSignificant(to: usize, digits: u64): usize {
  if (digits < 1_000_000_000_000_000) return writeUnsigned(to, digits);
  const high = digits / 100_000_000;
  const top = high / 100_000_000;
  store<u8>(to, 0x30 + <u8>top);
  const at = writeEight(to + <usize>(top !== 0), <u32>(high - top * 100_000_000));
  return writeEight(at, <u32>(digits - high * 100_000_000));
}

function writeWithZeros(to: usize, digitCount: i32, zeros: i32): usize {
  memory.copy(to, to + 1, digitCount);
  memory.fill(to + digitCount, 0x30, zeros);
  return to + digitCount + zeros;
}

function writeExponent(to: usize, exponent: i32): usize {
  store<u8>(to, 0x65);
  store<u8>(to, exponent < 0 ? 0x2d : 0x2b, 1);
  return writeUnsigned(to + 2, abs(exponent));
}
