import { RowWriter } from './row-writer.ts';
import { writeBytes } from './write-string.ts';

// Every writer here puts text into `bytes` from `position` on and returns the position behind it; its caller has made room.

const zero = 48;
const minus = 45;
const dot = 46;
const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Room that any 64-bit integer needs. */
export const integerWidthMax = 20;
/** Room that any double or float needs. */
export const doubleWidthMax = 25;
/** Room that a decimal of 256 bits needs, the fraction digits of its scale aside. */
export const decimalWidthMax = 80;

/** Writes text of ASCII characters only. */
export function writeAscii(bytes: Uint8Array, position: number, text: string): number {
  const { length } = text;
  for (let index = 0; index < length; index += 1) bytes[position + index] = text.charCodeAt(index);
  return position + length;
}

/** Writes a safe integer in decimal. */
export function writeInteger(bytes: Uint8Array, position: number, value: number): number {
  let rest = value;
  let start = position;
  if (rest < 0) {
    bytes[start] = minus;
    start += 1;
    rest = -rest;
  }
  if (rest < 1_000_000_000) return writeDigits(bytes, start, rest, digitCountOf(rest));
  // At most 9,007,199 above nine digits, so that both halves fit 32 bits.
  const high = Math.floor(rest / 1_000_000_000);
  start = writeDigits(bytes, start, high, digitCountOf(high));
  return writeDigits(bytes, start, rest - high * 1_000_000_000, 9);
}

/** Writes `count` digits of an integer below 10^9, with leading zeros. */
export function writeDigits(bytes: Uint8Array, position: number, value: number, count: number): number {
  let rest = value | 0;
  let at = position + count - 1;
  for (; at > position; at -= 2) {
    const quotient = (rest / 100) | 0;
    writeTwoDigits(bytes, at - 1, rest - quotient * 100);
    rest = quotient;
  }
  if (at === position) bytes[at] = zero + (rest % 10);
  return position + count;
}

/** Writes an integer below 100 as two digits; computed, which costs less than a table. */
export function writeTwoDigits(bytes: Uint8Array, position: number, value: number): number {
  const tens = (value * 103) >> 10;
  bytes[position] = zero + tens;
  bytes[position + 1] = zero + value - tens * 10;
  return position + 2;
}

function digitCountOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  if (value < 10_000_000) return 7;
  return value < 100_000_000 ? 8 : 9;
}

/** Writes a 64-bit integer given as its halves; `high` is signed unless `isUnsigned`. */
export function writeInt64(bytes: Uint8Array, position: number, low: number, high: number, isUnsigned: boolean): number {
  const value = (isUnsigned ? high >>> 0 : high) * 4_294_967_296 + (low >>> 0);
  if (Number.isSafeInteger(value)) return writeInteger(bytes, position, value);
  return writeAscii(bytes, position, String((BigInt(isUnsigned ? high >>> 0 : high) << 32n) | BigInt(low >>> 0)));
}

/** Writes a finite double in the shortest form that reads back as the same double; the sign of zero is kept. */
export function writeDouble(bytes: Uint8Array, position: number, value: number): number {
  const text = RowWriter.shared.writeDouble(value);
  return writeBytes(bytes, position, text, 0, text.length);
}

/** Writes a finite single-precision float in the shortest form that reads back as the same float. */
export function writeFloat(bytes: Uint8Array, position: number, value: number): number {
  const text = RowWriter.shared.writeFloat(value);
  return writeBytes(bytes, position, text, 0, text.length);
}

/** Writes a decimal of `scale` fraction digits in plain digits, never with an exponent. */
export function writeDecimal(bytes: Uint8Array, position: number, unscaled: bigint, scale: number): number {
  const digits = String(unscaled < 0n ? -unscaled : unscaled);
  const sign = unscaled < 0n ? '-' : '';
  if (scale <= 0) return writeAscii(bytes, position, unscaled === 0n ? '0' : `${sign}${digits}${'0'.repeat(-scale)}`);
  const padded = digits.padStart(scale + 1, '0');
  return writeAscii(bytes, position, `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`);
}

/** The same for a safe integer and 0 to 9 fraction digits, without a BigInt. */
export function writeSmallDecimal(bytes: Uint8Array, position: number, unscaled: number, scale: number): number {
  const magnitude = Math.abs(unscaled);
  let end = position;
  if (unscaled < 0) {
    bytes[end] = minus;
    end += 1;
  }
  const unit = powersOfTen[scale] ?? 1;
  const whole = Math.floor(magnitude / unit);
  end = writeInteger(bytes, end, whole);
  if (scale === 0) return end;
  bytes[end] = dot;
  return writeDigits(bytes, end + 1, magnitude - whole * unit, scale);
}
