/** The digits '00000000'; added to digits that are numbers, they become text. */
export const asciiZeros: u64 = 0x3030_3030_3030_3030;

/** Set in the last of eight digits, so that counting leading zeros stops there. */
const lastDigitMark: u64 = 0x0100_0000_0000_0000;

/**
 * Returns the eight digits of a value below 10^8, one in each byte, the highest in the lowest byte:
 * splits it into two quads, four pairs and eight digits, each step by multiplication with a
 * reciprocal that is exact in its range.
 *
 * Source: P. Khuong, How to print integers really fast,
 * https://pvk.ca/Blog/2017/12/22/appnexus-common-framework-its-out-also-how-to-print-integers-faster/
 */
export function digitsOf(value: u32): u64 {
  const high = <u64>(value / 10_000);
  const quads = ((<u64>value) << 32) - high * ((10_000 << 32) - 1);
  const hundreds = ((quads * 10_486) >> 20) & 0x0000_007f_0000_007f;
  const pairs = (quads << 16) - hundreds * ((100 << 16) - 1);
  const tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
  return (pairs << 8) - tens * ((10 << 8) - 1);
}

/**
 * Returns the number of leading zeros of the eight digits; at most seven, so that 0 keeps a digit.
 */
export function leadingZerosOf(digits: u64): i32 {
  return <i32>(ctz(digits | lastDigitMark) >> 3);
}

/** Returns the number of trailing zeros of the eight digits. */
export function trailingZerosOf(digits: u64): i32 {
  return <i32>(clz(digits) >> 3);
}

/** Writes eight digits, leading zeros included. */
export function writeEight(to: usize, value: u32): usize {
  store<u64>(to, digitsOf(value) + asciiZeros);
  return to + 8;
}

/** Writes a value below 10^8 without leading zeros. */
function writeUpToEight(to: usize, value: u32): usize {
  const digits = digitsOf(value);
  const zeros = leadingZerosOf(digits);
  store<u64>(to, (digits + asciiZeros) >> ((<u64>zeros) << 3));
  return to + 8 - zeros;
}

export function writeUnsigned(to: usize, value: u64): usize {
  if (value < 100_000_000) return writeUpToEight(to, <u32>value);
  const high = value / 100_000_000;
  const low = <u32>(value - high * 100_000_000);
  if (high < 100_000_000) return writeEight(writeUpToEight(to, <u32>high), low);
  const top = high / 100_000_000;
  return writeEight(writeEight(writeUpToEight(to, <u32>top), <u32>(high - top * 100_000_000)), low);
}

export function writeSigned(to: usize, value: i64): usize {
  const at = writeSignOf(to, value);
  return writeUnsigned(at, value < 0 ? 0 - value : value);
}

/** Writes a minus sign if the value has one. */
export function writeSignOf(to: usize, value: i64): usize {
  store<u8>(to, 0x2d);
  return to + <usize>(value < 0);
}
