import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';

const j = JSON.stringify({
  a: { b: 1, c: 'x', e: [1, 2, 3, 4, 5], f: { g: 2 } },
  l: [{ n: 1, m: 'p' }, { n: 2 }, { k: 3 }],
  s: 'text',
});

describe('JSON paths are those of the library that Apache Pinot looks into JSON with', () => {
  // Expected values, as computed by the judge of test/src/judge.
  test.each([
    ["jsonPath(j, '$.a.e.length()')", 5],
    ["jsonPathLong(j, '$.a.e.length()')", 5n],
    ["jsonPathExists(j, '$.a.e.length()')", true],
    ["jsonPathString(j, '$.s.length()', 'none')", 'none'],
    ["jsonPath(j, '$.a[''b'',''c'',''none'']')", { b: 1, c: 'x' }],
    ["jsonPath(j, '$.l[*][''n'',''m'']')", [{ n: 1, m: 'p' }, { n: 2 }, {}]],
    ["jsonPath(j, '$.a.e[0:4:2]')", [1, 2, 3, 4]],
    ["jsonPath(j, '$.a.e[1:-1]')", []],
    ["jsonPath(j, '$.a.e[-20:2]')", [1, 2, 3, 4, 5, 1, 2]],
    ["jsonPath(j, '$.a.b ')", 1],
    ["jsonPath(j, '$.a[?(@.g == 2)]')", []],
    ["jsonPath(j, '$.l[?(@.n > 1)]')", [{ n: 2 }]],
    ["jsonExtractKey(j, '$.l[-1]')", ["$['l'][-1]"]],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, { j })).toEqual(value);
  });

  test.each(['$ .a', '$.a .b', '$.a.e[::2]', '$.a.e[ 1 : 3 ]', '$.a.', '$[]', '$.l[?@.n]'])(
    'what it does not read is an error, or the default where it has one: %s',
    (path) => {
      expect(() => evaluate(`jsonPath(j, '${path}')`, { j })).toThrow(
        expect.objectContaining({ code: 'EXPRESSION_FAILED' }),
      );
      expect(evaluate(`jsonPathString(j, '${path}', 'none')`, { j })).toBe('none');
    },
  );

  test.each([
    "$.a.e.concat('x')",
    '$..n.length()',
    '$.a.keys()',
    '$.l[?(@.m == null)]',
    "$.l[?(@.n == '1')]",
    '$.l[?(@.length() > 1)]',
  ])('what only that library reads is an error, never a default: %s', (path) => {
    const literal = path.replaceAll("'", "''");
    for (const call of [
      "jsonPathString(j, ?, 'none')",
      'jsonPathLong(j, ?)',
      'jsonPathExists(j, ?)',
    ]) {
      expect(() =>
        evaluate(
          call.replace('?', () => `'${literal}'`),
          { j },
        ),
      ).toThrow(expect.objectContaining({ code: 'EXPRESSION_FAILED' }));
    }
  });
});
