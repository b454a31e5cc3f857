import type { ByteSink } from './byte-sink.ts';

const zero = 48;
const minus = 45;
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

/** Writes a double in the shortest form that reads back as the same double; the sign of zero is kept. */
export function writeDouble(sink: ByteSink, value: number): void {
  if (Number.isInteger(value) && value > -1e15 && value < 1e15 && !Object.is(value, -0)) writeInteger(sink, value);
  else sink.writeAscii(Object.is(value, -0) ? '-0' : String(value));
}

/** Writes a single-precision float in the shortest form that reads back as the same float. */
export function writeFloat(sink: ByteSink, value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < 16_777_216) return writeDouble(sink, value);
  // 9 significant digits identify every float; most need fewer.
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return writeDouble(sink, shorter);
  }
  writeDouble(sink, Number(value.toPrecision(9)));
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
