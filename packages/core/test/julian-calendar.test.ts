import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hybridToMs, julianDateOf } from '../src/index.ts';

test('the Gregorian calendar begins with 1582-10-15, on the day after 1582-10-04', () => {
  const startMs = Date.UTC(1582, 9, 15);
  expect(hybridToMs({ year: 1582, month: 10, day: 15 })).toBe(startMs);
  expect(hybridToMs({ year: 1582, month: 10, day: 4 })).toBe(startMs - 86_400_000);
  expect(julianDateOf(startMs)).toBeUndefined();
  expect(julianDateOf(startMs - 1)).toEqual({ year: 1582, month: 10, day: 4 });
});

test('an instant of the Julian calendar is that of its date, also before the year 1', () => {
  const startMs = Date.UTC(1582, 9, 15);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000 }), (days) => {
      const midnightMs = startMs - days * 86_400_000;
      const date = julianDateOf(midnightMs);
      expect(date && hybridToMs(date)).toBe(midnightMs);
    }),
  );
});
