/** A whole number of up to 64 bits: a number where that is exact, else a bigint. */
export type Integer = number | bigint;

const longMin = -(2n ** 63n);
export const longMax = 2n ** 63n - 1n;

/** The one form of a whole number: a number up to ±(2^53 - 1), a bigint beyond. */
export function toInteger(value: bigint): Integer {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Tells whether a value is a whole number that is known to the last digit. */
export function isInteger(value: unknown): value is Integer {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** The 64-bit integer that digits write; undefined where it has more bits. Takes no longer for more digits than for twenty. */
export function parseLong(digits: string): bigint | undefined {
  const significant = digits.length > 20 ? digits.replace(/^(-?)0+(?=\d)/, '$1') : digits;
  if (significant.length > 20) return undefined;
  const value = BigInt(significant);
  return fitsLong(value) ? value : undefined;
}

export function fitsLong(value: bigint): boolean {
  return value >= longMin && value <= longMax;
}
