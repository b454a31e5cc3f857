import { writeDate, writeInfinity } from './date';
import { asciiZeros, digitsOf, trailingZerosOf } from './digits';

const secondsPerDay = 86_400;

// Writes `yyyy-MM-dd HH:mm:ss.f` with 1 to 9 fraction digits (CONTRACT.md section 2), and the ends
// of the 64-bit range as `infinity` and `-infinity`, which engines represent by them. There is a
// function for each unit, because dividing by a constant is a multiplication.

export function writeSeconds(to: usize, value: i64): usize {
  if (isInfinity(value)) return writeInfinity(to, value < 0);
  return writeFraction(writeWholeSeconds(to, value), 0);
}

export function writeMilliseconds(to: usize, value: i64): usize {
  if (isInfinity(value)) return writeInfinity(to, value < 0);
  const quotient = value / 1000;
  const rest = <i32>(value - quotient * 1000);
  const borrow = rest >> 31;
  return writeFraction(
    writeWholeSeconds(to, quotient + borrow),
    (rest + (borrow & 1000)) * 100_000,
  );
}

export function writeMicroseconds(to: usize, value: i64): usize {
  if (isInfinity(value)) return writeInfinity(to, value < 0);
  const quotient = value / 1_000_000;
  const rest = <i32>(value - quotient * 1_000_000);
  const borrow = rest >> 31;
  return writeFraction(
    writeWholeSeconds(to, quotient + borrow),
    (rest + (borrow & 1_000_000)) * 100,
  );
}

export function writeNanoseconds(to: usize, value: i64): usize {
  if (isInfinity(value)) return writeInfinity(to, value < 0);
  const quotient = value / 1_000_000_000;
  const rest = <i32>(value - quotient * 1_000_000_000);
  const borrow = rest >> 31;
  const nanoseconds = rest + (borrow & 1_000_000_000);
  const tens = nanoseconds / 10;
  const at = writeWholeSeconds(to, quotient + borrow);
  const last = nanoseconds - tens * 10;
  if (last === 0) return writeFraction(at, tens);
  writeFraction(at, tens);
  store<u8>(at, 0x30 + last, 9);
  return at + 10;
}

function isInfinity(value: i64): bool {
  return value === i64.MAX_VALUE || value <= -i64.MAX_VALUE;
}

/** Writes `yyyy-MM-dd HH:mm:ss`. */
function writeWholeSeconds(to: usize, value: i64): usize {
  const quotient = value / secondsPerDay;
  const rest = <i32>(value - quotient * secondsPerDay);
  const borrow = rest >> 31;
  const at = writeDate(to, quotient + borrow);
  return writeTimeOfDay(at, <u32>(rest + (borrow & secondsPerDay)));
}

/**
 * Writes ` HH:mm:ss`: the pairs of digits are split at once, as in `digitsOf`, at their positions
 * between the colons.
 */
function writeTimeOfDay(to: usize, secondOfDay: u32): usize {
  const minuteOfDay = secondOfDay / 60;
  const hour = minuteOfDay / 60;
  const pairs =
    <u64>hour |
    ((<u64>(minuteOfDay - hour * 60)) << 24) |
    ((<u64>(secondOfDay - minuteOfDay * 60)) << 48);
  const tens = ((pairs * 103) >> 10) & 0x000f_0000_0f00_000f;
  store<u8>(to, 0x20);
  store<u64>(to, (tens | ((pairs - tens * 10) << 8)) + 0x3030_3a30_303a_3030, 1);
  return to + 9;
}

/** Writes a point and eight digits without trailing zeros, but at least one digit. */
function writeFraction(to: usize, hundredMillionths: u32): usize {
  const digits = digitsOf(hundredMillionths);
  store<u8>(to, 0x2e);
  store<u64>(to, digits + asciiZeros, 1);
  return to + 9 - min(trailingZerosOf(digits), 7);
}
