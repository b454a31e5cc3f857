import type { ByteSink } from './byte-sink.ts';

const zero = 48;
const minus = 45;
const dot = 46;
const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** The two digits of every number below 100, so that a division yields two characters. */
const digitPairs = Uint8Array.from(
  { length: 200 },
  (_, index) => zero + (index % 2 === 0 ? Math.floor(index / 20) : (index >> 1) % 10),
);

/** Writes a safe integer in decimal. */
export function writeInteger(sink: ByteSink, value: number): void {
  let rest = value;
  if (rest < 0) {
    sink.writeByte(minus);
    rest = -rest;
  }
  if (rest >= 1_000_000_000) {
    const high = Math.floor(rest / 1_000_000_000);
    writeInteger(sink, high);
    writeDigits(sink, rest - high * 1_000_000_000, 9);
  } else {
    writeDigits(sink, rest, digitCountOf(rest));
  }
}

/** Writes `count` digits of an integer below 10^9, with leading zeros. */
export function writeDigits(sink: ByteSink, value: number, count: number): void {
  const start = sink.reserve(count);
  const { bytes } = sink;
  let rest = value;
  let position = start + count;
  while (position - 2 >= start) {
    const quotient = (rest / 100) | 0;
    const pair = (rest - quotient * 100) * 2;
    position -= 2;
    bytes[position] = digitPairs[pair] ?? zero;
    bytes[position + 1] = digitPairs[pair + 1] ?? zero;
    rest = quotient;
  }
  if (position > start) bytes[start] = zero + (rest % 10);
  sink.length = start + count;
}

function digitCountOf(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  return value < 100_000_000 ? 8 : 9;
}

/** Writes a 64-bit integer given as its halves; `high` is signed unless `isUnsigned`. */
export function writeInt64(sink: ByteSink, low: number, high: number, isUnsigned: boolean): void {
  const value = (isUnsigned ? high >>> 0 : high) * 4_294_967_296 + (low >>> 0);
  if (Number.isSafeInteger(value)) writeInteger(sink, value);
  else sink.writeAscii(String((BigInt(isUnsigned ? high >>> 0 : high) << 32n) | BigInt(low >>> 0)));
}

/** Decimals of up to this many digits name one double each, so that one which reads back is the shortest. */
const doubleDigitsLimit = 1e15;
/** The same for single-precision floats. */
const floatDigitsLimit = 1e6;
const fractionScales = [
  [1, 10],
  [3, 1e3],
  [6, 1e6],
] as const;

/** Writes a finite double in the shortest form that reads back as the same double; the sign of zero is kept. */
export function writeDouble(sink: ByteSink, value: number): void {
  // Most doubles of tables are short decimals. An integer divided by a power of ten rounds as the decimal's text would, so when the
  // quotient is the double, the text is its name; what is no short decimal goes the platform's slower way.
  for (const [digits, scale] of fractionScales) {
    const scaled = Math.round(value * scale);
    if (scaled / scale === value && Math.abs(scaled) < doubleDigitsLimit && scaled !== 0) {
      return writeScaled(sink, scaled, digits, scale);
    }
  }
  sink.writeAscii(Object.is(value, -0) ? '-0' : String(value));
}

/** Writes a finite single-precision float in the shortest form that reads back as the same float. */
export function writeFloat(sink: ByteSink, value: number): void {
  for (const [digits, scale] of fractionScales) {
    const scaled = Math.round(value * scale);
    if (Math.abs(scaled) >= floatDigitsLimit || scaled === 0) break;
    if (Math.fround(scaled / scale) === value) return writeScaled(sink, scaled, digits, scale);
  }
  if (Number.isInteger(value) && Math.abs(value) < 16_777_216) return writeDouble(sink, value);
  // 9 significant digits identify every float; most need fewer.
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return sink.writeAscii(String(shorter));
  }
  sink.writeAscii(Object.is(value, -0) ? '-0' : String(Number(value.toPrecision(9))));
}

/** Writes `scaled / scale`, where `scale` is 10^digits, without trailing zeros. */
function writeScaled(sink: ByteSink, scaled: number, digits: number, scale: number): void {
  const magnitude = Math.abs(scaled);
  if (scaled < 0) sink.writeByte(minus);
  const whole = Math.floor(magnitude / scale);
  writeInteger(sink, whole);
  let fraction = magnitude - whole * scale;
  if (fraction === 0) return;
  let fractionDigits = digits;
  while (fraction % 10 === 0) {
    fraction /= 10;
    fractionDigits -= 1;
  }
  sink.writeByte(dot);
  writeDigits(sink, fraction, fractionDigits);
}

/** Writes a decimal of `scale` fraction digits in plain digits, never with an exponent. */
export function writeDecimal(sink: ByteSink, unscaled: bigint, scale: number): void {
  const negative = unscaled < 0n;
  const digits = String(negative ? -unscaled : unscaled);
  if (negative) sink.writeByte(minus);
  if (scale <= 0) {
    sink.writeAscii(unscaled === 0n ? '0' : digits + '0'.repeat(-scale));
  } else {
    const padded = digits.padStart(scale + 1, '0');
    sink.writeAscii(`${padded.slice(0, -scale)}.${padded.slice(-scale)}`);
  }
}

/** The same for a safe integer and 0 to 9 fraction digits, without a BigInt. */
export function writeSmallDecimal(sink: ByteSink, unscaled: number, scale: number): void {
  const magnitude = Math.abs(unscaled);
  if (unscaled < 0) sink.writeByte(minus);
  const unit = powersOfTen[scale] ?? 1;
  const whole = Math.floor(magnitude / unit);
  writeInteger(sink, whole);
  if (scale === 0) return;
  sink.writeByte(dot);
  writeDigits(sink, magnitude - whole * unit, scale);
}
