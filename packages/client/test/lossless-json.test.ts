import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLosslessJson } from '../src/lossless-json.ts';

describe('parseLosslessJson', () => {
  it('parseLosslessJson keeps every digit of a 64-bit integer', () => {
    expect(
      parseLosslessJson('[9223372036854775807, -9223372036854775808, 9007199254740993, 1]'),
    ).toEqual([9223372036854775807n, -9223372036854775808n, 9007199254740993n, 1]);
  });

  it('parseLosslessJson leaves the largest safe integers, floats of many digits and digits inside strings as they are', () => {
    expect(
      parseLosslessJson(
        '[9007199254740991, -9007199254740991, 0.12345678901234568, 1e300, "9223372036854775807"]',
      ),
    ).toEqual([
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      0.12345678901234568,
      1e300,
      '9223372036854775807',
    ]);
  });

  it('parseLosslessJson reads back any integer that is written out, at any depth', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        expect(
          String((parseLosslessJson(`{"a":[[${integer}]]}`) as { a: bigint[][] }).a[0]?.[0]),
        ).toBe(String(integer));
      }),
    );
  });

  it('parseLosslessJson names what it got when that is not JSON', () => {
    expect(() => parseLosslessJson('<html>')).toThrow(
      expect.objectContaining({
        code: 'UNEXPECTED_RESPONSE',
        message: 'The answer is not JSON: <html>',
      }),
    );
  });
});
