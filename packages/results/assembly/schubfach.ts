import { powerBytes, powerMax, powerMin } from '../src/encode/row-writer-layout';

/**
 * 10^k for every k that a double needs, as 128-bit integers: the leading bits, rounded up unless
 * exact. Set once, from outside.
 *
 * Each is `ceil(10^k · 2^(127 − floor(log2(10^k))))`; its lower half lies first.
 */
export const powersOfTen: usize = memory.data((powerMax - powerMin + 1) * powerBytes, 16);

/** The exponent that goes with the digits found last. */
export let shortestExponent: i32 = 0;

function floorLog2OfPowerOfTen(exponent: i32): i32 {
  return (exponent * 1_741_647) >> 19;
}

function floorLog10OfPowerOfTwo(exponent: i32): i32 {
  return (exponent * 1_262_611) >> 22;
}

/** The same of 3/4 · 2^exponent. */
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
 * More than what the lower half of a power adds to the middle 64 bits at the ends of an interval,
 * beside what it adds at its center.
 */
const fewMore: u64 = 64;

/**
 * Finds the shortest decimal in the rounding interval of the finite double `c · 2^q` above zero, of
 * several the one closest to it: what ECMAScript calls Number::toString. Returns its digits, and
 * leaves their power of ten in `shortestExponent`.
 *
 * The double and the ends of its interval are scaled by a power of ten, such that at most two
 * decimals of the longer length lie between the ends; the product is cut with its last bit set when
 * anything was cut off, which comparisons cannot tell from exact. The ends are half a unit of the
 * double away, so their products come from one product by addition.
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
  // which the upper 64 are wanted. The lower half of the power adds less than `scaled` to the
  // middle 64, and a few more at the ends: mostly, that changes none of the upper.
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
  // An even double owns the ends of its interval. All that is cut off is more than nothing.
  const isOdd = c & 1;
  return closestWithin(
    ((high - downHigh - <u64>(middle < downMiddle)) | 1) + isOdd,
    high | 1,
    ((high + upHigh + <u64>(rightMiddle < middle)) | 1) - isOdd,
    k,
  );
}

/** The same, with all bits of the power: one of some tens of doubles needs them. */
function shortestOfClose(c: u64, k: i32, shift: u64, isLowerCloser: bool): u64 {
  const power = powersOfTen + (-k - powerMin) * powerBytes;
  const powerLow = load<u64>(power);
  const powerHigh = load<u64>(power, 8);

  // Four times the double, so that the ends of the interval are integers as well: 192 bits, of
  // which the upper 64 are wanted.
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

  // An even double owns the ends of its interval.
  const isOdd = c & 1;
  return closestWithin(
    (leftHigh | <u64>(leftMiddleBorrowed > 1)) + isOdd,
    high | <u64>(middle > 1),
    (rightHigh | <u64>(rightMiddleCarried > 1)) - isOdd,
    k,
  );
}

/** The same for a single-precision float, for which the upper half of the power is exact enough. */
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
 * Chooses the digits, given four times the scaled float and the ends of its interval, both within
 * it: of the two decimals around it with a digit less the one that is within, else the closer of
 * the two with all digits that is. No branch hangs on the outcome, for it is as good as random.
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
