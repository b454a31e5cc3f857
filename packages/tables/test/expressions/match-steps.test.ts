import { describe, expect, test } from 'vitest';
import { compileRegex, matchSteps } from '../../src/expressions/functions/patterns.ts';
import { evaluate } from './evaluate.ts';

/** The maximum number of steps of one evaluation, each of at most about 100 ns. */
const stepsMax = 2 ** 19;

describe('the steps of one evaluation are limited, whatever the pattern and the text', () => {
  const pattern = '(a|ab|b)*c';
  const lengthMax = Math.floor(stepsMax / matchSteps(compileRegex(pattern), 0)) - 1;

  test('a search takes as many as are allowed', () => {
    expect(
      evaluate(`regexpLike(a, '${pattern}')`, { a: 'ab'.repeat(lengthMax).slice(0, lengthMax) }),
    ).toBe(false);
  });

  test.each(['regexpLike', 'regexpExtract'])(
    'the steps of one evaluation are limited, whatever the pattern and the text: %s takes none more',
    (name) => {
      expect(() => evaluate(`${name}(a, '${pattern}')`, { a: 'a'.repeat(lengthMax + 1) })).toThrow(
        'is too long for the pattern',
      );
    },
  );

  test('searches for all matches count together: each may go through the rest of the text', () => {
    const replace = "regexpReplace(a, 'a.*b|a', '')";
    expect(evaluate(replace, { a: 'a'.repeat(100) })).toBe('');
    expect(() => evaluate(replace, { a: 'a'.repeat(1_000) })).toThrow(
      'is too long for the pattern',
    );
  });

  test.each(['\\s+', '[^a-z]', '[*+]', ' ', '( )'])(
    'matches of a pattern that looks no farther than itself, %s, count once',
    (kind) => {
      const replaced = evaluate(`regexpReplace(a, '${kind}', '-')`, { a: 'ab c+d '.repeat(1_000) });
      expect(replaced).toMatch(/^(ab[- ]c[-+]d[- ]){1000}$/);
      expect(replaced).toContain('-');
    },
  );
});
