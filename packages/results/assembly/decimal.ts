import { writeEight, writeSignOf, writeUnsigned } from './digits';
import { fixedPointScaleMax, writeFixedPoint } from './fixed-point';

/**
 * The maximum number of groups of eight digits of a decimal of 256 bits, and one group before them.
 */
const groupsMax = 10;
const limbs = memory.data(32, 8);
const digitsOfWide = memory.data(groupsMax * 8 + 8, 8);

/** Writes a decimal of 4, 8, 16 or 32 bytes as plain digits, `scale` of them after the point. */
export function writeDecimal(to: usize, value: usize, bytes: i32, scale: i32): usize {
  const low = bytes === 4 ? <i64>load<i32>(value) : load<i64>(value);
  if (!isOf64Bits(value, bytes, low)) return writeWideDecimal(to, value, bytes, scale);
  const at = writeSignOf(to, low);
  const magnitude = <u64>(low < 0 ? 0 - low : low);
  if (scale >= 0 && scale <= fixedPointScaleMax)
    return writeFixedPoint(at, magnitude, scale, false);
  return writePointed(
    at,
    digitsOfWide,
    <i32>(writeUnsigned(digitsOfWide, magnitude) - digitsOfWide),
    scale,
  );
}

function isOf64Bits(value: usize, bytes: i32, low: i64): bool {
  for (let at = 8; at < bytes; at += 8) if (load<i64>(value + at) !== low >> 63) return false;
  return true;
}

/**
 * Divides the magnitude by 10^8 repeatedly, in limbs of 32 bits, which yields its digits from the
 * last to the first.
 */
function writeWideDecimal(to: usize, value: usize, bytes: i32, scale: i32): usize {
  const isNegative = load<i8>(value + bytes - 1) < 0;
  let carry: u64 = <u64>isNegative;
  for (let at = 0; at < bytes; at += 4) {
    carry += <u64>(load<u32>(value + at) ^ (isNegative ? 0xffff_ffff : 0));
    store<u32>(limbs + at, <u32>carry);
    carry >>= 32;
  }
  let group = digitsOfWide + groupsMax * 8;
  let top = bytes;
  while (top > 0) {
    let rest: u64 = 0;
    for (let at = top - 4; at >= 0; at -= 4) {
      const dividend = (rest << 32) | <u64>load<u32>(limbs + at);
      const quotient = dividend / 100_000_000;
      store<u32>(limbs + at, <u32>quotient);
      rest = dividend - quotient * 100_000_000;
    }
    group -= 8;
    writeEight(group, <u32>rest);
    while (top > 0 && load<u32>(limbs + top - 4) === 0) top -= 4;
  }
  while (load<u8>(group) === 0x30) group += 1;
  const at = writeSignOf(to, isNegative ? -1 : 0);
  return writePointed(at, group, <i32>(digitsOfWide + groupsMax * 8 - group), scale);
}

function writePointed(to: usize, digits: usize, count: i32, scale: i32): usize {
  if (scale <= 0) {
    memory.copy(to, digits, count);
    if (load<u8>(digits) === 0x30) return to + 1;
    memory.fill(to + count, 0x30, -scale);
    return to + count - scale;
  }
  if (count <= scale) {
    store<u16>(to, 0x2e30);
    memory.fill(to + 2, 0x30, scale - count);
    memory.copy(to + 2 + scale - count, digits, count);
    return to + 2 + scale;
  }
  const whole = count - scale;
  memory.copy(to, digits, whole);
  store<u8>(to + whole, 0x2e);
  memory.copy(to + whole + 1, digits + whole, scale);
  return to + count + 1;
}
