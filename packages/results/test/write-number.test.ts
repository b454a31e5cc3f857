import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  kindDecimal,
  kindFloat32,
  kindFloat64,
  kindInt64,
  kindUint64,
} from '../src/encode/row-writer-layout.ts';
import { cellText } from './cell-text.ts';
import { obviousFloat } from './obvious-cells.ts';

const signed = (value: bigint): string => cellText(kindInt64, BigInt64Array.of(value));
const unsigned = (value: bigint): string => cellText(kindUint64, BigUint64Array.of(value));
const double = (value: number): string => cellText(kindFloat64, Float64Array.of(value));
const float = (value: number): string => cellText(kindFloat32, Float32Array.of(value));
/** A decimal of 128 bits. */
const decimal = (unscaled: bigint, scale: number): string =>
  cellText(kindDecimal, BigInt64Array.of(BigInt.asIntN(64, unscaled), unscaled >> 64n), scale);

test('64-bit integers keep all their digits', () => {
  for (const value of [
    0,
    -1,
    9,
    10,
    99,
    100,
    999_999_999,
    1e9,
    1e9 + 1,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
  ]) {
    expect(signed(BigInt(value))).toBe(String(value));
  }
  expect(signed(9_223_372_036_854_775_807n)).toBe('9223372036854775807');
  expect(signed(-9_223_372_036_854_775_808n)).toBe('-9223372036854775808');
  expect(unsigned(18_446_744_073_709_551_615n)).toBe('18446744073709551615');
  fc.assert(
    fc.property(
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      (value) => signed(value) === String(value),
    ),
  );
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => unsigned(value) === String(value)),
  );
});

test('doubles read back as themselves, the sign of zero included', () => {
  expect(double(-0)).toBe('-0');
  expect(double(1e21)).toBe('1e+21');
  expect(double(5e-324)).toBe('5e-324');
  const shortDecimals = fc
    .tuple(fc.maxSafeInteger(), fc.nat(9))
    .map(([digits, scale]) => Number(`${digits}e-${scale}`));
  for (const values of [fc.double({ noNaN: true, noDefaultInfinity: true }), shortDecimals]) {
    fc.assert(
      fc.property(values, (value) => {
        const expected = Object.is(value, -0) ? '-0' : String(value);
        expect(double(value)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  }
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Number(double(value)), value),
    ),
  );
});

test('single-precision floats are written in the fewest digits that name them', () => {
  expect(float(Math.fround(0.1))).toBe('0.1');
  expect(float(Math.fround(1e-45))).toBe('1e-45');
  expect(float(Math.fround(16_777_216))).toBe('16777216');
  expect(float(Math.fround(3.4028234663852886e38))).toBe('3.4028235e+38');
  const tenths = fc
    .tuple(fc.integer({ min: -(10 ** 8), max: 10 ** 8 }), fc.nat(6))
    .map(([digits, scale]) => Math.fround(digits / 10 ** scale));
  fc.assert(
    fc.property(tenths, (value) => float(value) === obviousFloat(value)),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Math.fround(Number(float(value))), value),
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
    expect(decimal(unscaled, scale)).toBe(text);
  }
});
