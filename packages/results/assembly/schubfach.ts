import { powerBytes, powerMax, powerMin } from '../src/encode/row-writer-layout';

/**
 * 10^k for every k that a double needs, as 128-bit integers: the leading bits, rounded up unless
 * exact. The host sets them once.
 *
 * Each is `ceil(10^k · 2^(127 − floor(log2(10^k))))`, the lower half first.
 */
export const powersOfTen: usize = memory.data((powerMax - powerMin + 1) * powerBytes, 16);

/** The exponent of the digits that were found last. */
export let shortestExponent: i32 = 0;

function floorLog2OfPowerOfTen(exponent: i32): i32 {
  return (exponent * 1_741_647) >> 19;
}

function floorLog10OfPowerOfTwo(exponent: i32): i32 {
  return (exponent * 1_262_611) >> 22;
}

/** Does the same for 3/4 · 2^exponent. */
function floorLog10OfThreeQuarters(exponent: i32): i32 {
  return (exponent * 1_262_611 - 524_031) >> 22;
}

function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffff_ffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffff_ffff;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const other = aLow * bHigh + (middle & 0xffff_ffff);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

/**
 * Exceeds the difference between what the lower half of a power adds to the middle 64 bits at the
 * ends of an interval and what it adds at the center.
 */
const fewMore: u64 = 64;

/**
 * Finds the shortest decimal in the rounding interval of the finite double `c · 2^q` above zero
 * and, if there are several, the one closest to it: Number::toString of ECMAScript. Returns its
 * digits, and stores their power of ten in `shortestExponent`.
 *
 * The double and the ends of its interval are scaled by a power of ten so that at most two decimals
 * of the longer length are between the ends. The product is truncated, with its last bit set if
 * anything was cut off: comparisons do not distinguish that from the exact product. The ends are
 * half a unit from the double, so one multiplication and additions give all three products.
 *
 * Source: R. Giulietti, The Schubfach way to render doubles, 2021,
 * https://drive.google.com/file/d/1IEeATSVnEE6TkrHlCYNY2GjaraBjOT4f
 */
export function shortestOf(c: u64, q: i32, isLowerCloser: bool): u64 {
  const k = isLowerCloser ? floorLog10OfThreeQuarters(q) : floorLog10OfPowerOfTwo(q);
  const shift = <u64>(q + floorLog2OfPowerOfTen(-k) + 1);
  const power = powersOfTen + (-k - powerMin) * powerBytes;
  const powerHigh = load<u64>(power, 8);

  // Four times the double, so that the ends of the interval are integers as well: 192 bits, of
  // which the upper 64 are needed. The lower half of the power adds less than `scaled` to the
  // middle 64 bits, and slightly more at the ends, which rarely changes the upper bits.
  const scaled = c << (2 + shift);
  const middle = powerHigh * scaled;
  const high = multiplyHigh(powerHigh, scaled);
  const upShift = shift + 1;
  const upMiddle = powerHigh << upShift;
  const upHigh = powerHigh >> (64 - upShift);
  const downShift = isLowerCloser ? shift : upShift;
  const downMiddle = powerHigh << downShift;
  const downHigh = (powerHigh >> 1) >> (63 - downShift);
  const rightMiddle = middle + upMiddle;
  const leftMiddle = middle - downMiddle;
  const limit = 0 - scaled - 2 * fewMore;
  const isSure =
    (middle - fewMore < limit) & (rightMiddle - fewMore < limit) & (leftMiddle - fewMore < limit);
  if (!isSure) return shortestOfClose(c, k, shift, isLowerCloser);
  // The interval of an even double includes its ends. The truncated part is greater than zero.
  const isOdd = c & 1;
  return closestWithin(
    ((high - downHigh - <u64>(middle < downMiddle)) | 1) + isOdd,
    high | 1,
    ((high + upHigh + <u64>(rightMiddle < middle)) | 1) - isOdd,
    k,
  );
}

/** Does the same with all bits of the power, which one in some tens of doubles needs. */
function shortestOfClose(c: u64, k: i32, shift: u64, isLowerCloser: bool): u64 {
  const power = powersOfTen + (-k - powerMin) * powerBytes;
  const powerLow = load<u64>(power);
  const powerHigh = load<u64>(power, 8);

  // Four times the double, so that the ends of the interval are integers as well: 192 bits, of
  // which the upper 64 are needed.
  const scaled = c << (2 + shift);
  const low = powerLow * scaled;
  const carry = multiplyHigh(powerLow, scaled);
  const middle = powerHigh * scaled + carry;
  const high = multiplyHigh(powerHigh, scaled) + <u64>(middle < carry);

  const upShift = shift + 1;
  const upLow = powerLow << upShift;
  const upMiddle = (powerHigh << upShift) | (powerLow >> (64 - upShift));
  const upHigh = powerHigh >> (64 - upShift);
  const rightLow = low + upLow;
  const rightCarry = <u64>(rightLow < low);
  const rightMiddle = middle + upMiddle;
  const rightMiddleCarried = rightMiddle + rightCarry;
  const rightHigh =
    high + upHigh + <u64>(rightMiddle < middle) + <u64>(rightMiddleCarried < rightMiddle);

  const downShift = isLowerCloser ? shift : upShift;
  const downLow = powerLow << downShift;
  const downMiddle = (powerHigh << downShift) | ((powerLow >> 1) >> (63 - downShift));
  const downHigh = (powerHigh >> 1) >> (63 - downShift);
  const leftBorrow = <u64>(low < downLow);
  const leftMiddle = middle - downMiddle;
  const leftMiddleBorrowed = leftMiddle - leftBorrow;
  const leftHigh = high - downHigh - <u64>(middle < downMiddle) - <u64>(leftMiddle < leftBorrow);

  // The interval of an even double includes its ends.
  const isOdd = c & 1;
  return closestWithin(
    (leftHigh | <u64>(leftMiddleBorrowed > 1)) + isOdd,
    high | <u64>(middle > 1),
    (rightHigh | <u64>(rightMiddleCarried > 1)) - isOdd,
    k,
  );
}

/** Does the same for a single-precision float, for which the upper half of the power suffices. */
export function shortestOfFloat(c: u32, q: i32, isLowerCloser: bool): u64 {
  const k = isLowerCloser ? floorLog10OfThreeQuarters(q) : floorLog10OfPowerOfTwo(q);
  const shift = q + floorLog2OfPowerOfTen(-k) + 1;
  const power = powersOfTen + (-k - powerMin) * powerBytes;
  const rounded = load<u64>(power, 8) + <u64>(load<u64>(power) !== 0);
  const isOdd = <u64>(c & 1);
  return closestWithin(
    multiplyToOdd(rounded, ((c << 2) - 2 + <u32>isLowerCloser) << shift) + isOdd,
    multiplyToOdd(rounded, (c << 2) << shift),
    multiplyToOdd(rounded, ((c << 2) + 2) << shift) - isOdd,
    k,
  );
}

function multiplyToOdd(power: u64, factor: u32): u64 {
  const product = (power >> 32) * factor + (((power & 0xffff_ffff) * factor) >> 32);
  return (product >> 32) | <u64>((product & 0xffff_ffff) > 1);
}

/**
 * Chooses the digits for four times the scaled float, and the inclusive ends of its interval. If
 * one of the two nearest decimals with one digit less is within the interval, it is chosen,
 * otherwise the closer one with all digits that is within. No branch depends on the outcome, which
 * is as unpredictable as random.
 */
function closestWithin(left: u64, center: u64, right: u64, k: i32): u64 {
  const floor = center >> 2;
  const isFloorWithin = left <= 4 * floor;
  const isCeilingWithin = 4 * floor + 4 <= right;
  const half = 4 * floor + 2;
  const isCeilingCloser = center > half || (center === half && (floor & 1) !== 0);
  const digits =
    floor + <u64>(isFloorWithin !== isCeilingWithin ? isCeilingWithin : isCeilingCloser);

  const tens = floor / 10;
  const areFewerWithin = left <= 40 * tens;
  const areMoreWithin = 40 * tens + 40 <= right;
  const isShorter = floor >= 10 && areFewerWithin !== areMoreWithin;
  return withoutTrailingZeros(isShorter ? tens + <u64>areMoreWithin : digits, k + <i32>isShorter);
}

function withoutTrailingZeros(digits: u64, exponent: i32): u64 {
  let rest = digits;
  let zeros = 0;
  for (let tenth = rest / 10; tenth * 10 === rest; tenth = rest / 10) {
    rest = tenth;
    zeros += 1;
  }
  shortestExponent = exponent + zeros;
  return rest;
}
