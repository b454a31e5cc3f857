import { describe, expect, test } from 'vitest';
import { columnsOf, printExpression } from '../../src/expressions/language/expression.ts';
import { parseExpression } from '../../src/expressions/language/parse-expression.ts';

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
    ['1 - 2 - 3', 'sub(sub(1, 2), 3)'],
    ['1 + 2 * -3 /* three */ -- less', 'plus(1, times(2, -3))'],
    ["a IS DISTINCT FROM 'b' AND c", "and(isDistinctFrom(a, 'b'), c)"],
    ['EXTRACT(year FROM a)', 'EXTRACT(YEAR FROM a)'],
    ['timestampadd(DAY, 1, a)', 'TIMESTAMPADD(DAY, 1, a)'],
    ["TRIM(LEADING '0' FROM a)", "TRIM(LEADING '0' FROM a)"],
    ['TRIM(a)', "TRIM(BOTH ' ' FROM a)"],
    ['SUBSTRING(a FROM 2 FOR 3)', 'substring(a, 2, 3)'],
    ['ARRAY[1, 2]', 'ARRAY[1, 2]'],
    ['a BETWEEN 1 AND 2 AND b', 'and(between(a, 1, 2), b)'],
    ["a NOT LIKE 'x%'", "not(like(a, 'x%'))"],
    ['a IS NOT NULL = TRUE', 'equals(isNotNull(a), true)'],
    ["CASE a WHEN 1 THEN 'x' END", "caseWhen(equals(a, 1), 'x', null)"],
    ['CAST(a AS BIGINT)', 'CAST(a AS BIGINT)'],
    ['JSON_FORMAT(a)', 'jsonFormat(a)'],
    ['"a b".c + "d"', 'plus("a b.c", d)'],
    ['user.name', 'user.name'],
    ["'it''s'", "'it''s'"],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1.5e-3', '0.0015'],
    ['2.0', '2.0'],
  ])('an expression: %s is %s', (text, tree) => {
    expect(printed(text)).toBe(tree);
  });

  test('an expression names each column that it reads once', () => {
    const { expression } = parseExpression('b + a * b + upper("x y")');
    expect(expression && columnsOf(expression)).toEqual(['b', 'a', 'x y']);
  });
});

describe('what is wrong is a finding', () => {
  test.each([
    [
      'uper(a)',
      'EXPRESSION_UNKNOWN_FUNCTION Column 1: there is no function uper; the nearest is upper, near ‘uper(a)’.',
    ],
    [
      'upper()',
      'EXPRESSION_ARITY Column 1: upper takes 1 argument, not 0: upper(String), near ‘upper()’.',
    ],
    ['now(1)', 'EXPRESSION_ARITY Column 1: now takes no arguments, not 1: now(), near ‘now(1)’.'],
    [
      'a +',
      'EXPRESSION_SYNTAX Column 4: the expression ends; expected a value, a column or a function, near ‘a +’.',
    ],
    [
      '',
      'EXPRESSION_SYNTAX Column 1: the expression ends; expected a value, a column or a function, near ‘’.',
    ],
    ['a b', 'EXPRESSION_SYNTAX Column 3: found b; expected the end or an operator, near ‘a b’.'],
    ["'abc", "EXPRESSION_SYNTAX Column 1: the quote ' is never closed, near ‘'abc’."],
    ['a # b', 'EXPRESSION_SYNTAX Column 3: unexpected #, near ‘a # b’.'],
    [
      '9223372036854775808',
      'EXPRESSION_SYNTAX Column 1: 9223372036854775808 does not fit 64 bits, near ‘9223372036854775808’.',
    ],
    [
      'a IN (1)',
      'EXPRESSION_SYNTAX Column 3: IN is not a function of ingestion: write a = 1 OR a = 2, near ‘a IN (1)’.',
    ],
    ["a || 'b'", "EXPRESSION_SYNTAX Column 3: unexpected |, near ‘a || 'b'’."],
    [
      '-a',
      'EXPRESSION_SYNTAX Column 2: found a; expected a number after - (negate(a) negates a column), near ‘-a’.',
    ],
    ['1e999', 'EXPRESSION_SYNTAX Column 1: 1e999 does not fit a double, near ‘1e999’.'],
  ])('what is wrong is a finding: %s', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  test('all faults of calls are found at once, with the place of the text in its config', () => {
    const { findings } = parseExpression(
      "uper(a) + lowr(b) + toDateTime(c, 'QQ') + jsonExtractKey(a, b)",
      '/x',
    );
    expect(findings?.map(({ path, code, severity }) => ({ path, code, severity }))).toEqual([
      { path: '/x', code: 'EXPRESSION_UNKNOWN_FUNCTION', severity: 'error' },
      { path: '/x', code: 'EXPRESSION_UNKNOWN_FUNCTION', severity: 'error' },
      { path: '/x', code: 'EXPRESSION_ARGUMENT', severity: 'error' },
      { path: '/x', code: 'EXPRESSION_NOT_LITERAL', severity: 'error' },
    ]);
  });

  test.each([
    ["toDateTime(a, 'yyyy')", 0],
    ["toDateTime(a, 'yyyy', 'Mars/Olympus')", 1],
    ["jsonPath(a, '$.[')", 1],
    ["regexpLike(a, '(?=x)')", 1],
    ["regexpLike(a, '(')", 1],
    ['CAST(a AS NUMBER)', 1],
    ["dateTrunc('fortnight', a)", 1],
    ["regexpLike(a, 'x{600}y{600}')", 1],
    [`regexpLike(a, '${'x'.repeat(1_001)}')`, 1],
    ["jsonPath(a, '$..a..b..c')", 1],
    ["jsonPath(a, '$[?search(@.b, ''(a+)+$'')]')", 1],
  ])('a literal that the function cannot take: %s has %i', (text, count) => {
    const { warnings = [], findings = [] } = parseExpression(text);
    expect([...warnings, ...findings].map(({ code }) => code)).toEqual(
      Array(count).fill('EXPRESSION_ARGUMENT'),
    );
  });

  test.each([
    'Groovy({a + b}, a, b)',
    ' GROOVY ( {x} )',
    "concat(Groovy({x}, a), 'b')",
    'groovy(a)',
  ])('what is wrong is a finding: %s is refused', (text) => {
    expect(parseExpression(text).findings?.map(({ code }) => code)).toEqual(['EXPRESSION_GROOVY']);
  });
});

describe('a bomb is a finding', () => {
  test.each([
    ['brackets', '('.repeat(5_000) + 'a' + ')'.repeat(4_999), 'EXPRESSION_TOO_DEEP'],
    ['calls', 'abs('.repeat(2_000) + 'a' + ')'.repeat(1_500), 'EXPRESSION_TOO_DEEP'],
    ['NOTs', `${'NOT '.repeat(2_000)}a`, 'EXPRESSION_TOO_DEEP'],
    ['a long chain of sums', `a${'+a'.repeat(4_000)}`, 'EXPRESSION_TOO_DEEP'],
    ['a long text', `'${'x'.repeat(10_000)}'`, 'EXPRESSION_TOO_LONG'],
  ])('a bomb is a finding: %s', (_name, text, code) => {
    expect(parseExpression(text).findings?.map((finding) => finding.code)).toEqual([code]);
  });

  test('a long list of alternatives is not taken for a bomb', () => {
    const text = Array.from({ length: 900 }, (_, index) => `a = ${index}`).join(' OR ');
    expect(parseExpression(text).findings).toBeUndefined();
  });
});
