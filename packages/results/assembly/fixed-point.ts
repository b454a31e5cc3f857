import { asciiZeros, digitsOf, leadingZerosOf, trailingZerosOf, writeUnsigned } from './digits';

/** The maximum number of fraction digits that `writeFixedPoint` supports. */
export const fixedPointScaleMax = 8;

/**
 * Writes `magnitude / 10^scale`, with all fraction digits or without trailing zeros.
 *
 * The fraction is within the lowest eight digits, so those are split at once, and their bytes
 * stored on both sides of the point.
 */
export function writeFixedPoint(to: usize, magnitude: u64, scale: i32, areZerosCut: bool): usize {
  const high = magnitude / 100_000_000;
  const digits = digitsOf(<u32>(magnitude - high * 100_000_000));
  const text = digits + asciiZeros;
  const wholeDigits = fixedPointScaleMax - scale;
  let at = to;
  if (high !== 0) {
    at = writeUnsigned(at, high);
    store<u64>(at, text);
    at += wholeDigits;
  } else if (wholeDigits === 0) {
    store<u8>(at, 0x30);
    at += 1;
  } else {
    const zeros = min(leadingZerosOf(digits), wholeDigits - 1);
    store<u64>(at, text >> ((<u64>zeros) << 3));
    at += wholeDigits - zeros;
  }
  const fractionDigits = areZerosCut ? scale - trailingZerosOf(digits) : scale;
  if (fractionDigits <= 0) return at;
  store<u8>(at, 0x2e);
  store<u64>(at + 1, text >> ((<u64>wholeDigits) << 3));
  return at + 1 + fractionDigits;
}
