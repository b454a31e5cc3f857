import { isOdd, needsMore } from './value';

const minus: u8 = 0x2d;
const plus: u8 = 0x2b;
const point: u8 = 0x2e;
const zero: u8 = 0x30;
const nine: u8 = 0x39;

/** The number that was read last: its sign, its digits, and their power of ten. */
export let isNegative: bool = false;
export let mantissa: u64 = 0;
export let exponent: i32 = 0;
/** True if it was written with a fraction or an exponent. */
export let hasFraction: bool = false;

/** The number of digits that always fit 64 bits. */
const digitsMax = 19;
const exponentDigitsMax: usize = 4;

/**
 * Reads a number of at most 19 digits. Returns the address after it, or `isOdd` for anything else,
 * whose text the caller parses.
 */
export function readNumber(from: usize, end: usize): usize {
  let at = from;
  isNegative = load<u8>(at) === minus;
  if (isNegative) at += 1;
  let digits: u64 = 0;
  let count = 0;
  let decimals = 0;
  let byte: u8 = 0;
  let start = at;
  for (; at < end; at += 1) {
    byte = load<u8>(at) - zero;
    if (byte > 9) break;
    digits = digits * 10 + byte;
  }
  count = <i32>(at - start);
  if (at >= end) return needsMore;
  if (count === 0 || count > digitsMax) return isOdd;
  hasFraction = false;
  if (load<u8>(at) === point) {
    hasFraction = true;
    at += 1;
    start = at;
    for (; at < end; at += 1) {
      byte = load<u8>(at) - zero;
      if (byte > 9) break;
      digits = digits * 10 + byte;
    }
    decimals = <i32>(at - start);
    if (at >= end) return needsMore;
    if (decimals === 0 || count + decimals > digitsMax) return isOdd;
  }
  exponent = -decimals;
  if ((load<u8>(at) | 0x20) === 0x65) {
    hasFraction = true;
    at += 1;
    if (at >= end) return needsMore;
    const sign = load<u8>(at);
    if (sign === minus || sign === plus) at += 1;
    let power = 0;
    start = at;
    for (; at < end; at += 1) {
      byte = load<u8>(at) - zero;
      if (byte > 9) break;
      if (at - start < exponentDigitsMax) power = power * 10 + byte;
    }
    if (at >= end) return needsMore;
    if (at === start || at - start > exponentDigitsMax) return isOdd;
    exponent += sign === minus ? -power : power;
  }
  byte = load<u8>(at);
  if (byte === minus || byte === plus || byte === point || (byte | 0x20) === 0x65) return isOdd;
  mantissa = digits;
  return at;
}

/** The powers of ten that a double represents exactly. */
const powersOfTen: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
];
const exactPowerMax = 22;
const exactMantissaMax: u64 = 1 << 53;

/**
 * Returns the double nearest to the digits times a power of ten, if one multiplication or division
 * of exact doubles yields it (W. D. Clinger, How to read floating point numbers accurately, 1990);
 * otherwise NaN.
 */
export function scaled(digits: u64, power: i32): f64 {
  if (digits === 0) return 0;
  if (digits > exactMantissaMax || power > exactPowerMax || power < -exactPowerMax) return NaN;
  const value = <f64>digits;
  return power < 0 ? value / unchecked(powersOfTen[-power]) : value * unchecked(powersOfTen[power]);
}
