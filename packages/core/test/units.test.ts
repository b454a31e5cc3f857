import { formatBytes, formatDurationMs, parseDurationMs } from '@quire/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('durations', () => {
  test.each([
    ['0s', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['4h30m', 16_200_000],
    ['1d', 86_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    [' 1h ', 3_600_000],
  ])('durations: %s is %i ms', (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });

  test.each([
    '',
    ' ',
    '5',
    '1w',
    '-1s',
    '1.5h',
    '1h 30m',
    '30m4h',
    '1H',
    's',
    '1e3s',
    '9007199254740993ms',
    '104249991375d',
  ])('durations: %j is not a duration', (text) => {
    expect(() => parseDurationMs(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });

  test.each([
    [0, '0s'],
    [1, '1ms'],
    [1500, '1s500ms'],
    [5_400_000, '1h30m'],
    [86_400_000, '1d'],
  ])('durations: %i ms is written %s', (durationMs, text) => {
    expect(formatDurationMs(durationMs)).toBe(text);
  });

  test('a duration that is written is read back', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (durationMs) => {
        expect(parseDurationMs(formatDurationMs(durationMs))).toBe(durationMs);
      }),
    );
  });
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [10_752, '10.5 KiB'],
  [1024 ** 2, '1 MiB'],
  [5.25 * 1024 ** 3, '5.25 GiB'],
  [3 * 1024 ** 5, '3 PiB'],
])('%i bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
