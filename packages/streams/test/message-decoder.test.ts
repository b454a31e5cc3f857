import { decodeJson } from '@quire/streams';
import { describe, expect, test } from 'vitest';

const decode = (value: Uint8Array | null): ReturnType<typeof decodeJson> =>
  decodeJson({ offset: 0, key: null, value, timestampMs: null });

describe('decodeJson', () => {
  test('decodeJson keeps every digit of an integer', () => {
    expect(decode(Buffer.from('{"a":12345678901234567890,"b":[1.5,null]}'))).toEqual({
      row: { a: 12345678901234567890n, b: [1.5, null] },
    });
  });

  test.each([
    [null, 'has no value'],
    [`{"a":${'1'.repeat(1001)}}`, 'cannot be read: An integer has 1001 digits'],
    ['', 'is not JSON: '],
    ['{"a":', 'is not JSON: '],
    ['[1]', 'is not a JSON object, but a list'],
    ['12', 'is not a JSON object, but a number'],
    ['null', 'is not a JSON object, but null'],
    [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 'is nested more than 100 levels deep'],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'is nested more than 100 levels deep'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'is not text in UTF-8'],
  ])('decodeJson says what a message is that is not a row: %j', (value, problem) => {
    const decoded = decode(typeof value === 'string' ? Buffer.from(value) : value);
    expect('problem' in decoded && decoded.problem).toContain(problem);
  });
});
