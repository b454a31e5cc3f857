import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLosslessJson, TooManyDigitsError, writeLosslessJson } from '../src/index.ts';

test.each([
  ['9007199254740993', 9_007_199_254_740_993n],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
  ['9007199254740991', 9_007_199_254_740_991],
  ['[1,  12345678901234567890]', [1, 12_345_678_901_234_567_890n]],
  ['{"a":12345678901234567890}', { a: 12_345_678_901_234_567_890n }],
  ['[0.12345678901234568, 1.2345678901234567e30]', [0.12345678901234568, 1.2345678901234567e30]],
  ['[12345678901234567E3, 1E400]', [12345678901234567e3, Infinity]],
  ['"12345678901234567890"', '12345678901234567890'],
])('%s keeps its digits', (text, value) => {
  expect(parseLosslessJson(text)).toEqual(value);
});

test('every integer comes out as it went in, wherever it stands', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.bigInt(),
      fc.string(),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(value, (each) => {
      expect(write(parseLosslessJson(write(each)))).toBe(write(each));
    }),
  );
});

test('an integer of too many digits is refused, and told of', () => {
  expect(parseLosslessJson('1'.repeat(1_000))).toBe(BigInt('1'.repeat(1_000)));
  expect(() => parseLosslessJson(`[-${'1'.repeat(5_000_000)}]`)).toThrow(
    'An integer has 5000000 digits; the limit is 1000.',
  );
  expect(() => parseLosslessJson('[12345678901234567890]', { digitsMax: 19 })).toThrow(
    TooManyDigitsError,
  );
});

test('what is not JSON is refused', () => {
  expect(() => parseLosslessJson('{"a":')).toThrow(SyntaxError);
});

function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${write(member)}`)
    .join(',')}}`;
}

test('writes what JSON has no word for as text, and leaves out what is undefined', () => {
  const value = {
    long: 2n ** 64n,
    none: undefined,
    numbers: [NaN, -Infinity, 0.5],
    bytes: new Uint8Array([0, 255]),
    text: 'ü"',
  };
  expect(writeLosslessJson(value)).toBe(
    '{"long":18446744073709551616,"numbers":["NaN","-Infinity",0.5],"bytes":"00ff","text":"ü\\""}',
  );
});
