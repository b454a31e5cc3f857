import { describe, expect, it } from 'vitest';
import { parseQueryParameters } from '../src/index.ts';

describe('parseQueryParameters', () => {
  it('parseQueryParameters gives plain values the types that they have in SQL', () => {
    expect(parseQueryParameters([null, true, 1, -2_147_483_649, 0.5, 'x'])).toEqual([
      { type: 'NULL', value: null },
      { type: 'BOOLEAN', value: true },
      { type: 'INT', value: 1 },
      { type: 'LONG', value: '-2147483649' },
      { type: 'DOUBLE', value: 0.5 },
      { type: 'STRING', value: 'x' },
    ]);
  });

  it('parseQueryParameters keeps names as they are', () => {
    expect(parseQueryParameters(JSON.parse('{"Day": "x", "__proto__": 1}'))).toEqual(
      Object.fromEntries([
        ['Day', { type: 'STRING', value: 'x' }],
        ['__proto__', { type: 'INT', value: 1 }],
      ]),
    );
  });

  it.each([
    { type: 'NULL', value: null },
    { type: 'LONG', value: '-9223372036854775808' },
    { type: 'BIG_DECIMAL', value: `-${'9'.repeat(37)}.9` },
    { type: 'DOUBLE', value: 1e300 },
    { type: 'DOUBLE', value: 'NaN' },
    { type: 'DATE', value: '2024-02-29' },
    { type: 'TIMESTAMP', value: '0001-01-01 00:00:00' },
    { type: 'TIMESTAMP', value: '2024-02-29T23:59:59.123456789Z' },
    { type: 'BYTES', value: '' },
  ])('parseQueryParameters takes %j as it is', (parameter) => {
    expect(parseQueryParameters([parameter])).toEqual([parameter]);
  });

  it.each([
    ['INT', 2_147_483_648, 'expected an integer from -2147483648 to 2147483647.'],
    [
      'LONG',
      '9223372036854775808',
      'expected an integer of 64 bits, as text, or as a number up to 2^53 - 1.',
    ],
    [
      'BIG_DECIMAL',
      '1'.repeat(39),
      "expected a number of up to 38 digits, as text such as '-12.50'.",
    ],
    ['BIG_DECIMAL', 1.5, "expected a number of up to 38 digits, as text such as '-12.50'."],
    ['DOUBLE', '1', "expected a number, 'NaN', 'Infinity' or '-Infinity'."],
    ['STRING', 'a\0', 'expected text without a NUL character and without half of'],
    ['STRING', 'a\ud83d', 'expected text without a NUL character and without half of'],
    ['DATE', '2023-02-29', "expected a day of the years 1 to 9999, such as '2024-02-29'."],
    ['DATE', '0000-01-01', "expected a day of the years 1 to 9999, such as '2024-02-29'."],
    ['TIMESTAMP', '2024-01-01 24:00:00', 'expected a time in UTC'],
    ['TIMESTAMP', '1677-01-01 00:00:00.0000001', 'expected a time in UTC'],
    ['TIMESTAMP', '2024-01-01T00:00:00+01:00', 'expected a time in UTC'],
    ['BYTES', '0', "expected hexadecimal digits, two for a byte, such as '00ff'."],
    ['NULL', 0, 'expected null.'],
  ])('parseQueryParameters refuses a %s that is %j', (type, value, expected) => {
    const parse = (): unknown => parseQueryParameters({ x: { type, value } });
    expect(parse).toThrow(
      expect.objectContaining({ code: 'INVALID_BODY', message: expect.stringContaining(expected) }),
    );
    expect(parse).toThrow(`Parameter x of type ${type} is "`.slice(0, -1));
  });

  it('parseQueryParameters takes null for none', () => {
    expect(parseQueryParameters(null)).toEqual([]);
  });

  it('parseQueryParameters refuses integers that lost digits on their way, and says what to send', () => {
    expect(() => parseQueryParameters(JSON.parse('[9223372036854775807]'))).toThrow(
      'Parameter 1 is 9223372036854776000, which may have lost digits; expected an integer beyond 2^53 - 1 as ' +
        '{"type": "LONG", "value": "…"}, or another number with its type.',
    );
  });

  it('parseQueryParameters refuses numbers beyond those of 64 bits', () => {
    expect(() => parseQueryParameters(JSON.parse('[-1e400]'))).toThrow(
      "Parameter 1 of type DOUBLE is a number beyond the range of a double; expected a number, 'NaN', 'Infinity' or '-Infinity'.",
    );
  });

  it.each([
    ['x', 'parameters is "x"; expected a list of values, or an object with names.'],
    [
      [[1]],
      'Parameter 1 is [1]; expected null, a boolean, a number, text, or an object with type and value.',
    ],
    [
      [{ type: 'INTEGER', value: 1 }],
      'Parameter 1 has the type "INTEGER"; expected NULL, BOOLEAN, INT, LONG,',
    ],
    [[{ type: 'constructor', value: 1 }], 'Parameter 1 has the type "constructor"; expected NULL,'],
  ])('parseQueryParameters refuses %j', (parameters, message) => {
    expect(() => parseQueryParameters(parameters)).toThrow(message);
  });

  it('parseQueryParameters refuses a value that is nested deeper than it could be shown', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(() => parseQueryParameters([deep])).toThrow('Parameter 1 is ["…"]; expected null');
  });
});
