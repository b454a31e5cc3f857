import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockText, intervalText } from '../src/encode/scalar-writer.ts';
import {
  kindDate,
  kindTimestampMicroseconds,
  kindTimestampMilliseconds,
  kindTimestampNanoseconds,
  kindTimestampSeconds,
} from '../src/encode/row-writer-layout.ts';
import { cellText } from './cell-text.ts';
import { obviousTimestamp } from './obvious-cells.ts';

const timestampKinds = {
  0: kindTimestampSeconds,
  3: kindTimestampMilliseconds,
  6: kindTimestampMicroseconds,
  9: kindTimestampNanoseconds,
} as const;
const timestamp = (value: bigint, fractionDigits: 0 | 3 | 6 | 9): string =>
  cellText(timestampKinds[fractionDigits], BigInt64Array.of(value));
const date = (days: number): string => cellText(kindDate, Int32Array.of(days));

test('timestamps have 1 to 9 fraction digits, trailing zeros cut', () => {
  const cases: [bigint, 0 | 3 | 6 | 9, string][] = [
    [0n, 0, '1970-01-01 00:00:00.0'],
    [0n, 9, '1970-01-01 00:00:00.0'],
    [1_500n, 3, '1970-01-01 00:00:01.5'],
    [1_000_001n, 6, '1970-01-01 00:00:01.000001'],
    [1_700_000_000_123_456_789n, 9, '2023-11-14 22:13:20.123456789'],
    [-1n, 9, '1969-12-31 23:59:59.999999999'],
    [-1n, 0, '1969-12-31 23:59:59.0'],
    [253_402_300_800n, 0, '10000-01-01 00:00:00.0'],
    [-62_135_596_801n, 0, '0001-12-31 (BC) 23:59:59.0'],
    // Farther away than any date of 32 bits.
    [2n ** 31n * 86_400n, 0, '5881580-07-12 00:00:00.0'],
    [2n ** 63n - 1n, 6, 'infinity'],
    [-(2n ** 63n) + 1n, 6, '-infinity'],
  ];
  for (const [value, digits, text] of cases) expect(timestamp(value, digits)).toBe(text);
});

test('timestamps of four-digit years agree with the platform', () => {
  const milliseconds = fc.integer({ min: Date.UTC(1, 0, 1) + 2e12, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(milliseconds, (value) => {
      const expected = new Date(value)
        .toISOString()
        .replace('T', ' ')
        .replace('Z', '')
        .replace(/0{1,2}$/, '');
      expect(timestamp(BigInt(value), 3)).toBe(expected);
    }),
  );
});

test('timestamps of the whole range are exact, in every unit', () => {
  const value = fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.bigInt(-(2n ** 54n), 2n ** 54n),
  );
  fc.assert(
    fc.property(value, fc.constantFrom<0 | 3 | 6 | 9>(0, 3, 6, 9), (units, digits) => {
      expect(timestamp(units, digits)).toBe(obviousTimestamp(units, digits));
    }),
    { numRuns: 2000 },
  );
});

test('64-bit timestamps of every unit are split into seconds and fraction without loss', () => {
  const units = fc.tuple(
    fc.bigInt(-9n * 10n ** 18n, 9n * 10n ** 18n),
    fc.constantFrom<0 | 3 | 6 | 9>(3, 6, 9),
  );
  fc.assert(
    fc.property(units, ([value, digits]) => {
      const perSecond = 10n ** BigInt(digits);
      const fraction = ((value % perSecond) + perSecond) % perSecond;
      const secondOfDay = ((((value - fraction) / perSecond) % 86_400n) + 86_400n) % 86_400n;
      const text = timestamp(value, digits).replace(' (BC)', '');
      const [hours = '', minutes = '', seconds = '', rest = ''] = (text.split(' ')[1] ?? '').split(
        /[:.]/,
      );
      expect(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)).toBe(
        Number(secondOfDay),
      );
      expect(rest).toBe(
        fraction.toString().padStart(digits, '0').replace(/0+$/, '').padEnd(1, '0'),
      );
    }),
  );
});

test('dates agree with the platform over the whole calendar', () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (days) => {
      expect(date(days)).toBe(new Date(days * 86_400_000).toISOString().slice(0, 10));
    }),
  );
  expect(date(-719_163)).toBe('0001-12-31 (BC)');
});

test('times of day show a fraction only when there is one, and reach 24:00:00', () => {
  expect(clockText(0n)).toBe('00:00:00');
  expect(clockText(86_400_000_000_000n)).toBe('24:00:00');
  expect(clockText(45_296_789_000_001n)).toBe('12:34:56.789000001');
});

test('intervals are words and a clock time', () => {
  expect(intervalText(0, 0, 0n)).toBe('00:00:00');
  expect(intervalText(14, 3, 14_706_500_000_000n)).toBe('1 year 2 months 3 days 04:05:06.5');
  expect(intervalText(-1, 1, -1_000_000_000n)).toBe('-1 month 1 day -00:00:01');
});
