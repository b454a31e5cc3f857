import { powerBytes, powerMax, powerMin } from './row-writer-layout.ts';

const mantissaBits = powerBytes * 8;

/**
 * The powers of ten of every exponent that a double needs, as Schubfach wants them: the 128 bits of `10^k · 2^n` with the highest bit
 * set, rounded up where they are not exact; each as two 64-bit integers, the lower half first.
 *
 * Computed at start, in a millisecond, for it would be ten kilobytes of digits to read.
 */
export function powersOfTen(): BigUint64Array {
  const words = new BigUint64Array((powerMax - powerMin + 1) * 2);
  for (let exponent = powerMin; exponent <= powerMax; exponent += 1) {
    const mantissa = exponent < 0 ? mantissaOfFraction(10n ** BigInt(-exponent)) : mantissaOfInteger(10n ** BigInt(exponent));
    const index = (exponent - powerMin) * 2;
    words[index] = BigInt.asUintN(64, mantissa);
    words[index + 1] = mantissa >> 64n;
  }
  return words;
}

function mantissaOfInteger(power: bigint): bigint {
  const excessBits = bitsOf(power) - mantissaBits;
  return excessBits <= 0 ? power << BigInt(-excessBits) : (power >> BigInt(excessBits)) + 1n;
}

/** The mantissa of `1 / power`, which is never exact. */
function mantissaOfFraction(power: bigint): bigint {
  return (1n << BigInt(bitsOf(power) + mantissaBits - 1)) / power + 1n;
}

function bitsOf(value: bigint): number {
  return value.toString(2).length;
}
