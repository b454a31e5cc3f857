import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/expression/expression.ts';
import { parseExpression } from '../../src/expression/parse-expression.ts';
import { printExpression } from '../../src/expression/print-expression.ts';

function printed(text: string): string {
  const { expression, findings } = parseExpression(text);
  return expression === undefined ? JSON.stringify(findings) : printExpression(expression);
}

function messages(text: string): readonly string[] {
  return (parseExpression(text).findings ?? []).map(({ code, message }) => `${code} ${message}`);
}

describe('an expression', () => {
  test.each([
    ['a OR b AND NOT c = 1', 'or(a, and(b, not(equals(c, 1))))'],
    ['(a OR b) AND c', 'and(or(a, b), c)'],
    ['a OR b OR c', 'or(a, b, c)'],
    ['1 - 2 - 3', 'minus(minus(1, 2), 3)'],
    ['1 + 2 * -x', 'plus(1, times(2, negate(x)))'],
    ["a || 'b' || c", "concat(concat(a, 'b'), c)"],
    ['a + 1 NOT IN (1, 2) AND b', 'and(not(in(plus(a, 1), 1, 2)), b)'],
    ['a BETWEEN 1 AND 2 AND b', 'and(between(a, 1, 2), b)'],
    ["a NOT LIKE 'x%'", "not(like(a, 'x%'))"],
    ['a IS NOT NULL = TRUE', 'equals(isNotNull(a), true)'],
    ["CASE a WHEN 1 THEN 'x' END", "caseWhen(equals(a, 1), 'x', null)"],
    ['CAST(a AS BIGINT)', "cast(a, 'BIGINT')"],
    ['JSON_FORMAT(a)', 'jsonFormat(a)'],
    ['"a b".c + `d`', 'plus("a b.c", d)'],
    ['user.name', 'user.name'],
    ["'it''s'", "'it''s'"],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1.5e-3', '0.0015'],
  ])('%s is %s', (text, tree) => {
    expect(printed(text)).toBe(tree);
  });

  test('names each column that it reads once', () => {
    const { expression } = parseExpression('b + a * b + upper("x y")');
    expect(expression && columnsOf(expression)).toEqual(['b', 'a', 'x y']);
  });
});

describe('what is wrong is a finding', () => {
  test.each([
    ['uper(a)', 'EXPRESSION_UNKNOWN_FUNCTION Column 1: there is no function uper; the nearest is upper, near ‘uper(a)’.'],
    ['upper()', 'EXPRESSION_ARITY Column 1: upper takes 1 argument, not 0: upper(text), near ‘upper()’.'],
    ['now(1)', 'EXPRESSION_ARITY Column 1: now takes no arguments, not 1: now(), near ‘now(1)’.'],
    ['a +', 'EXPRESSION_SYNTAX Column 4: the expression ends where a value, a column or a function should be, near ‘a +’.'],
    ['', 'EXPRESSION_SYNTAX Column 1: the expression ends where a value, a column or a function should be, near ‘’.'],
    ['a b', 'EXPRESSION_SYNTAX Column 3: found b where the end or an operator should be, near ‘a b’.'],
    ["'abc", "EXPRESSION_SYNTAX Column 1: the quote ' is never closed, near ‘'abc’."],
    ['a # b', 'EXPRESSION_SYNTAX Column 3: unexpected #, near ‘a # b’.'],
    [
      '9223372036854775808',
      'EXPRESSION_SYNTAX Column 1: 9223372036854775808 does not fit 64 bits, the largest is 9223372036854775807, near ‘9223372036854775808’.',
    ],
    ['1e999', 'EXPRESSION_SYNTAX Column 1: 1e999 does not fit a double, near ‘1e999’.'],
  ])('%s', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  test('all faults of calls are found at once, with the place of the text in its config', () => {
    const { findings } = parseExpression("uper(a) + lowr(b) + toDateTime(c, 'QQ')", '/x');
    expect(findings?.map(({ path, code, severity }) => ({ path, code, severity }))).toEqual([
      { path: '/x', code: 'EXPRESSION_UNKNOWN_FUNCTION', severity: 'error' },
      { path: '/x', code: 'EXPRESSION_UNKNOWN_FUNCTION', severity: 'error' },
      { path: '/x', code: 'EXPRESSION_ARGUMENT', severity: 'error' },
    ]);
  });

  test.each([
    ["toDateTime(a, 'yyyy')", 0],
    ["toDateTime(a, 'yyyy', 'Mars/Olympus')", 1],
    ["jsonPath(a, '$.[')", 1],
    ["regexpLike(a, '(?=x)')", 1],
    ["regexpLike(a, '(')", 1],
    ["cast(a, 'NUMBER')", 1],
    ["dateTrunc('fortnight', a)", 1],
    ["ago('1 hour')", 1],
    ["isSubnetOf('10.0.0.0', a)", 1],
    ["regexpLike(a, 'x{600}y{600}')", 1],
    [`regexpLike(a, '${'x'.repeat(1_001)}')`, 1],
    ["jsonPath(a, '$..a..b..c')", 1],
    ["jsonPath(a, '$[?search(@.b, ''(a+)+$'')]')", 1],
  ])('a literal that the function cannot take: %s has %i', (text, count) => {
    const codes = (parseExpression(text).findings ?? []).map(({ code }) => code);
    expect(codes).toEqual(Array(count).fill('EXPRESSION_ARGUMENT'));
  });

  test.each(['Groovy({a + b}, a, b)', ' GROOVY ( {x} )', "concat(Groovy({x}, a), 'b')", 'groovy(a)'])('%s is refused', (text) => {
    expect(parseExpression(text).findings?.map(({ code }) => code)).toEqual(['EXPRESSION_GROOVY']);
  });
});

describe('a bomb is a finding', () => {
  test.each([
    ['brackets', '('.repeat(5_000) + 'a' + ')'.repeat(4_999), 'EXPRESSION_TOO_DEEP'],
    ['calls', 'abs('.repeat(2_000) + 'a' + ')'.repeat(1_500), 'EXPRESSION_TOO_DEEP'],
    ['NOTs', `${'NOT '.repeat(2_000)}a`, 'EXPRESSION_TOO_DEEP'],
    ['signs', '-'.repeat(9_000) + 'a', 'EXPRESSION_TOO_DEEP'],
    ['a long chain of sums', `a${'+a'.repeat(4_000)}`, 'EXPRESSION_TOO_DEEP'],
    ['a long text', `'${'x'.repeat(10_000)}'`, 'EXPRESSION_TOO_LONG'],
  ])('%s', (_name, text, code) => {
    expect(parseExpression(text).findings?.map((finding) => finding.code)).toEqual([code]);
  });

  test('but a long list of alternatives is not', () => {
    const text = Array.from({ length: 900 }, (_, index) => `a = ${index}`).join(' OR ');
    expect(parseExpression(text).findings).toBeUndefined();
  });
});
