import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { nativeRegexOf } from '../../src/expressions/functions/native-regex.ts';

const pieces = (
  'a b c z 0 _ - , . é 😀 " \\. \\d \\w \\s \\b \\t \\n \\] \\, \\\\ ^ $ * + ? *? +? ?? {2} {1,2} {1,} {0} {0,1}? ( ) (?: | ' +
  '[a-c] [^a-c] [^,] [-a] [a-] [\\w.] [^\\s] [\\d-] [\\]a] [^\\n] [a^]'
).split(' ');
const texts = fc.string({
  unit: fc.constantFrom(...'abczA09_- ,.\n\r\u2028é\\]^$"\t'.split(''), '😀', '\ud83d'),
  maxLength: 10,
});

test('the runtime’s own engine finds what RE2 finds, wherever it is asked', () => {
  let askedCount = 0;
  const patterns = fc
    .array(fc.constantFrom(...pieces, ' '), { minLength: 1, maxLength: 7 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(patterns, fc.array(texts, { minLength: 1, maxLength: 4 }), (pattern, given) => {
      const compiled = compiledOf(pattern);
      const native = compiled && nativeRegexOf(pattern);
      if (compiled === undefined || native === undefined) return;
      askedCount += 1;
      for (const text of given) {
        const matcher = compiled.matcher(text);
        const groups = matcher.find()
          ? Array.from(
              { length: matcher.groupCount() + 1 },
              (_, group) => matcher.group(group) ?? null,
            )
          : null;
        expect(
          native.regex.exec(text)?.map((group: string | undefined) => group ?? null) ?? null,
        ).toEqual(groups);
      }
    }),
    { numRuns: 3_000 },
  );
  expect(askedCount).toBeGreaterThan(500);
});

test.each([
  '(a+)+b',
  '(a|b)*c',
  '(?i)a',
  '(?P<n>a)',
  '[[:alpha:]]',
  '\\pL',
  'é',
  'a'.repeat(9) + '|b'.repeat(30),
])('%s is left to RE2', (pattern) => expect(nativeRegexOf(pattern)).toBeUndefined());

test('the more there is to choose, the shorter is the text that may be looked at', () => {
  const lengths = ['abc', 'a+', 'a+b+', 'a+b+c+', 'a+b+c+d+'].map(
    (pattern) => nativeRegexOf(pattern)?.lengthMax ?? 0,
  );
  expect(lengths).toEqual(lengths.toSorted((left, right) => right - left));
  expect(lengths.at(-1)).toBeLessThan(20);
});

function compiledOf(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
