import { writeDate, writeInfinity } from './date';
import { asciiZeros, digitsOf, trailingZerosOf } from './digits';

const secondsPerDay = 86_400;

// A function for each unit, so that each divides by a constant, which is a multiplication.

export function writeSeconds(to: usize, value: i64): usize {
  return writeTimestamp(to, value, value, 0);
}

export function writeMilliseconds(to: usize, value: i64): usize {
  const seconds = value / 1000 - <i64>(value % 1000 < 0);
  return writeTimestamp(to, value, seconds, <u32>(value - seconds * 1000) * 1_000_000);
}

export function writeMicroseconds(to: usize, value: i64): usize {
  const seconds = value / 1_000_000 - <i64>(value % 1_000_000 < 0);
  return writeTimestamp(to, value, seconds, <u32>(value - seconds * 1_000_000) * 1000);
}

export function writeNanoseconds(to: usize, value: i64): usize {
  const seconds = value / 1_000_000_000 - <i64>(value % 1_000_000_000 < 0);
  return writeTimestamp(to, value, seconds, <u32>(value - seconds * 1_000_000_000));
}

/**
 * Writes `yyyy-MM-dd HH:mm:ss.f` with 1 to 9 fraction digits (contract section 2); the ends of the 64-bit range, which engines use
 * for it, as `infinity` and `-infinity`.
 */
function writeTimestamp(to: usize, value: i64, seconds: i64, nanoseconds: u32): usize {
  if (value === i64.MAX_VALUE) return writeInfinity(to, false);
  if (value <= -i64.MAX_VALUE) return writeInfinity(to, true);
  const days = seconds / secondsPerDay - <i64>(seconds % secondsPerDay < 0);
  const at = writeTimeOfDay(writeDate(to, days), <u32>(seconds - days * secondsPerDay));
  return writeFraction(at, nanoseconds);
}

/** Writes ` HH:mm:ss`. */
function writeTimeOfDay(to: usize, secondOfDay: u32): usize {
  const minuteOfDay = secondOfDay / 60;
  const hour = minuteOfDay / 60;
  const second = secondOfDay - minuteOfDay * 60;
  const text = digitsOf(hour * 10_000 + (minuteOfDay - hour * 60) * 100 + second) + asciiZeros;
  store<u8>(to, 0x20);
  store<u16>(to, <u16>(text >> 16), 1);
  store<u8>(to, 0x3a, 3);
  store<u16>(to, <u16>(text >> 32), 4);
  store<u8>(to, 0x3a, 6);
  store<u16>(to, <u16>(text >> 48), 7);
  return to + 9;
}

/** Writes a dot and nine digits without the zeros at their end, but one digit at least. */
function writeFraction(to: usize, nanoseconds: u32): usize {
  const tens = nanoseconds / 10;
  const last = nanoseconds - tens * 10;
  const digits = digitsOf(tens);
  store<u8>(to, 0x2e);
  store<u64>(to, digits + asciiZeros, 1);
  store<u8>(to, 0x30 + last, 9);
  return to + (last !== 0 ? 10 : 9 - min(trailingZerosOf(digits), 7));
}
