import { expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';

/** The values are those of Apache Pinot's own classes. */
test.each([
  ["plus(split(a, '|'), 1)", '42|7', 43],
  ["abs(split(a, '|'))", ' 4.5|x', 4.5],
  ["gcd(split(a, '|'), 4)", '42|7', 2n],
  ["bytesToHex(split(a, '|'))", '00ff|1', '00ff'],
  ["repeat('x', split(a, '|'))", '3|1', 'xxx'],
  ["arrayLength(split(a, '|'))", '3|1', 2],
])('texts that a function returns count as the first of them: %s of %j', (expression, a, value) => {
  const result = evaluate(expression, { a });
  expect(typeof result === 'object' ? result : { value: result }).toMatchObject({ value });
});

test('a list of texts of a row is not a number', () => {
  expect(() => evaluate('abs(a)', { a: ['42'] })).toThrow(
    expect.objectContaining({ code: 'EXPRESSION_FAILED' }),
  );
});

test('a literal has no negative zero', () => {
  for (const zero of ['-0.0', '-(0.0)', '- 0e5']) {
    expect(evaluate(`concat(${zero}, '')`)).toBe('0.0');
  }
  expect(evaluate("concat(a, '')", { a: -0 })).toBe('-0.0');
});

test('a decimal number with a negative scale is the same after it was written as bytes', () => {
  const decimal = "bytesToBigDecimal(bigDecimalToBytes(CAST('1.5E+20' AS DECIMAL)))";
  expect(evaluate(`concat(${decimal}, '')`)).toBe('150000000000000000000');
  expect(evaluate(`plus(${decimal}, 0)`)).toBe(1.5e20);
});
