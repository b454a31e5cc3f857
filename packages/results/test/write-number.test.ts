import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeDecimal, writeDouble, writeFloat, writeInt64, writeInteger } from '../src/encode/write-number.ts';
import { obviousFloat } from './obvious-cells.ts';

function written(write: (bytes: Uint8Array, position: number) => number): string {
  // What stands before the position must be left alone.
  const bytes = new Uint8Array(1000).fill(63, 0, 1);
  return Buffer.from(bytes.subarray(0, write(bytes, 1)))
    .toString()
    .replace(/^\?/, '');
}

test('safe integers are written as JavaScript writes them', () => {
  for (const value of [
    0,
    -1,
    9,
    10,
    99,
    100,
    999_999_999,
    1_000_000_000,
    1_000_000_001,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
  ]) {
    expect(written((bytes, position) => writeInteger(bytes, position, value))).toBe(String(value));
  }
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      (value) => written((bytes, position) => writeInteger(bytes, position, value)) === String(value),
    ),
  );
});

test('64-bit integers keep all their digits', () => {
  const signed = (value: bigint) =>
    written((bytes, position) =>
      writeInt64(bytes, position, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)), false),
    );
  const unsigned = (value: bigint) =>
    written((bytes, position) =>
      writeInt64(bytes, position, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)), true),
    );
  expect(signed(9_223_372_036_854_775_807n)).toBe('9223372036854775807');
  expect(signed(-9_223_372_036_854_775_808n)).toBe('-9223372036854775808');
  expect(unsigned(18_446_744_073_709_551_615n)).toBe('18446744073709551615');
  fc.assert(fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => signed(value) === String(value)));
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => unsigned(value) === String(value)));
});

test('doubles read back as themselves, the sign of zero included', () => {
  expect(written((bytes, position) => writeDouble(bytes, position, -0))).toBe('-0');
  expect(written((bytes, position) => writeDouble(bytes, position, 1e21))).toBe('1e+21');
  expect(written((bytes, position) => writeDouble(bytes, position, 5e-324))).toBe('5e-324');
  const shortDecimals = fc.tuple(fc.maxSafeInteger(), fc.nat(9)).map(([digits, scale]) => Number(`${digits}e-${scale}`));
  for (const values of [fc.double({ noNaN: true, noDefaultInfinity: true }), shortDecimals]) {
    fc.assert(
      fc.property(values, (value) => {
        const expected = Object.is(value, -0) ? '-0' : String(value);
        expect(written((bytes, position) => writeDouble(bytes, position, value))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  }
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Number(written((bytes, position) => writeDouble(bytes, position, value))), value),
    ),
  );
});

test('single-precision floats are written in the fewest digits that name them', () => {
  expect(written((bytes, position) => writeFloat(bytes, position, Math.fround(0.1)))).toBe('0.1');
  expect(written((bytes, position) => writeFloat(bytes, position, Math.fround(1e-45)))).toBe('1e-45');
  expect(written((bytes, position) => writeFloat(bytes, position, Math.fround(16_777_216)))).toBe('16777216');
  expect(written((bytes, position) => writeFloat(bytes, position, Math.fround(3.4028234663852886e38)))).toBe('3.4028235e+38');
  const tenths = fc
    .tuple(fc.integer({ min: -(10 ** 8), max: 10 ** 8 }), fc.nat(6))
    .map(([digits, scale]) => Math.fround(digits / 10 ** scale));
  fc.assert(
    fc.property(tenths, (value) => written((bytes, position) => writeFloat(bytes, position, value)) === obviousFloat(value)),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Math.fround(Number(written((bytes, position) => writeFloat(bytes, position, value)))), value),
    ),
  );
});

test('decimals are plain digits at every scale', () => {
  const cases: [bigint, number, string][] = [
    [0n, 0, '0'],
    [0n, 2, '0.00'],
    [5n, 2, '0.05'],
    [-5n, 2, '-0.05'],
    [12_345n, 2, '123.45'],
    [-12_345n, 5, '-0.12345'],
    [7n, -3, '7000'],
    [10n ** 38n - 1n, 0, '9'.repeat(38)],
    [-(10n ** 38n - 1n), 38, `-0.${'9'.repeat(38)}`],
  ];
  for (const [unscaled, scale, text] of cases) {
    expect(written((bytes, position) => writeDecimal(bytes, position, unscaled, scale))).toBe(text);
  }
});
