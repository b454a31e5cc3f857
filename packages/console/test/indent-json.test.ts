import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson } from '../app/query/indent-json.ts';

test('JSON is indented as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      // JSON.stringify would write -0 as 0, and numbers and escapes in its own way.
      const same = JSON.stringify(JSON.parse(text));
      expect(indentJson(same)).toBe(JSON.stringify(JSON.parse(same), null, 2));
    }),
  );
});

test('indentation keeps digits, escapes, repeated names and the order of members', () => {
  expect(
    indentJson(
      String.raw`{"b":9223372036854775807, "a":[1.50,-0,1e400], "a":"\u00e9\"{,", "2":{},"1":[ ]}`,
    ),
  ).toBe(
    [
      '{',
      '  "b": 9223372036854775807,',
      '  "a": [',
      '    1.50,',
      '    -0,',
      '    1e400',
      '  ],',
      String.raw`  "a": "\u00e9\"{,",`,
      '  "2": {},',
      '  "1": []',
      '}',
    ].join('\n'),
  );
});

test('text that is not JSON is unchanged', () => {
  expect(indentJson('[NaN,]')).toBe('[NaN,]');
});

test('very long text is unchanged: the dialog of a cell must not fail', () => {
  const long = JSON.stringify(['\n'.repeat(5_000_000)]);
  expect(indentJson(long) === long).toBe(true);
});
