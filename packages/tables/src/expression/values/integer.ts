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

export function fitsLong(value: bigint): boolean {
  return value >= longMin && value <= longMax;
}
