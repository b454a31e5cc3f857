import { describe, expect, test } from 'vitest';
import { doubleValue } from '../../src/expressions/values/value.ts';
import { evaluate } from './evaluate.ts';

describe('a value that does not suit is an error of the row', () => {
  test.each([
    ["upper(jsonStringToMap('{}'))", 'A value of type MAP cannot be converted to STRING.'],
    ["upper('x') + 1", '‘X’ is not a number.'],
    ['fromEpochDays(1) / a', '‘many’ is not a number.'],
    [
      "lpad('x', 2000000, 'y')",
      'A text of 2000000 characters is too long; at most 1048576 are allowed.',
    ],
    ["CAST('x' AS INT)", '‘x’ is not a number.'],
    [
      "fromDateTime('2023-02-29', 'yyyy-MM-dd')",
      'The date ‘2023-02-29’ does not exist (pattern yyyy-MM-dd).',
    ],
    [
      "fromDateTime('2023-02', 'yyyy-MM-dd')",
      '‘2023-02’ does not match the date pattern yyyy-MM-dd at character 8.',
    ],
    [
      "fromDateTime('2024-03-31 02:30', 'yyyy-MM-dd HH:mm', 'Europe/Berlin')",
      '‘2024-03-31 02:30’ does not exist in Europe/Berlin, where clocks were set forward.',
    ],
    [
      'year(9000000000000000)',
      '9000000000000000 ms is outside the calendar, which ends in the year 275760.',
    ],
    ["hexToBytes('0g')", '‘0g’ is not hexadecimal: expected pairs of hex digits.'],
    ["decodeUrl('%zz')", '‘%zz’ has an escape that is not two hex digits.'],
    ["stAsText('00ff')", '2 bytes are not a geometry in Apache Pinot’s format.'],
    ["fromUuidBytes('00ff')", 'A UUID has 16 bytes, not 2.'],
    ["regexpReplace('a', 'a', '$2')", 'The pattern has no group $2.'],
    ['round(1, 0)', 'Division of integers by zero.'],
  ])('a value that does not suit is an error of the row: %s', (expression, message) => {
    expect(() => evaluate(expression, { a: 'many' })).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_FAILED', message }),
    );
  });

  test('a megabyte of digits that is not a number is refused without trying each part of it', () => {
    const digits = '1'.repeat(2 ** 20);
    expect(() => evaluate('a + 1', { a: `${digits}x` })).toThrow(' is not a number.');
    expect(evaluate('a + 1', { a: `${digits.slice(0, 5)}.` })).toEqual(doubleValue(11_112));
  });

  test('text that doubles with every call stops at the limit', () => {
    let doubled = 'a';
    for (let times = 0; times < 8; times += 1) doubled = `replace(${doubled}, 'x', 'xxxxxxxxxx')`;
    expect(() => evaluate(doubled, { a: 'x' })).toThrow(
      'A text of 10000000 characters is too long',
    );
  });

  test('a value nested beyond any use is refused, not a crash', () => {
    let nested: readonly unknown[] = [];
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    expect(() => evaluate('jsonFormat(a)', { a: nested as never })).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_FAILED' }),
    );
    expect(() => evaluate("jsonPath(a, '$..x')", { a: nested as never })).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_FAILED' }),
    );
  });

  test('JSON that is nested beyond any use is refused before it is a value', () => {
    for (const [opening, closing] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = (depth: number): string => `${opening.repeat(depth)}1${closing.repeat(depth)}`;
      expect(() =>
        evaluate('jsonFormat(jsonStringToListOrMap(a))', { a: text(1_000) }),
      ).not.toThrow();
      expect(evaluate('jsonStringToListOrMap(a)', { a: text(1_001) })).toBeNull();
      expect(() => evaluate("jsonPath(a, '$.x')", { a: text(20_000) })).toThrow(
        'JSON is nested more than 1000 levels deep.',
      );
      // Text after the first value is ignored.
      expect(evaluate('jsonStringToListOrMap(a)', { a: `[1] ${text(20_000)}` })).toEqual([1]);
    }
    expect(evaluate('jsonStringToListOrMap(a)', { a: `["${'[\\"'.repeat(2_000)}"]` })).toHaveLength(
      1,
    );
  });

  test.each([
    ["regexpLike(a, 'x{900}y')", 'is too long for the pattern'],
    ['roundDecimal(2.5, 2000000000)', 'has at most 65535 digits'],
    ['truncate(2.5, -2000000000)', 'has at most 65535 digits'],
    ["regexpReplace(repeat('x', 1000), 'x', a)", 'is too long; at most 1048576 are allowed.'],
    [
      "regexpReplace(repeat('x', 1000), '(x+)', repeat('$1', 2000))",
      'is too long; at most 1048576 are allowed.',
    ],
    ["regexpReplace(a, 'x.*y|x', '')", 'is too long for the pattern'],
    ['uniqueNgrams(a, 1000)', 'is too long; at most 1048576 are allowed.'],
    ['levenshteinDistance(a, substr(a, 0, 1000))', 'are too long to compare.'],
    ["jsonPath(b, '$.*')", 'finds more than 100000 values.'],
  ])('work without end is refused before it is begun: %s', (expression, message) => {
    const row = { a: 'x'.repeat(200_000), b: Array.from({ length: 100_001 }, () => 1) };
    expect(() => evaluate(expression, row)).toThrow(message);
  });

  test('a hostile pattern takes no more time than a kind one', () => {
    expect(evaluate("regexpLike(a, '^(a+)+$')", { a: `${'a'.repeat(50_000)}!` })).toBe(false);
  });
});

test('names of members that objects inherit are not fields', () => {
  expect(evaluate('constructor', {})).toBeNull();
  expect(evaluate('__proto__', {})).toBeNull();
  expect(evaluate("jsonPathString(a, '$.constructor')", { a: '{}' })).toBeNull();
});

test('an hour that clocks show twice is the first of the two', () => {
  const first = Date.UTC(2024, 9, 27, 0, 30);
  expect(evaluate("fromDateTime('2024-10-27 02:30', 'yyyy-MM-dd HH:mm', 'Europe/Berlin')")).toBe(
    first,
  );
});
