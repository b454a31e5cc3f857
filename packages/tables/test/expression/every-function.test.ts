import { describe, expect, test } from 'vitest';
import type { Expression } from '../../src/expression/expression.ts';
import { functionGroups } from '../../src/expression/function-table.ts';
import { parseExpression } from '../../src/expression/parse-expression.ts';
import { evaluate } from './evaluate.ts';
import { exampleRow, examples } from './function-examples.ts';

const functions = functionGroups.flatMap((group) => group.functions);

describe('every function', () => {
  test.each(examples)('%s', (expression, value) => {
    expect(evaluate(expression, exampleRow)).toEqual(value);
  });

  test('has an example', () => {
    const shown = new Set(examples.flatMap(([text]) => namesIn(parseExpression(text).expression)));
    expect(functions.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  test('has names that no other function has, whatever their case and underscores', () => {
    const names = functions.flatMap(({ name, aliases = [] }) => [name, ...aliases]).map((name) => name.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !/^[a-z][a-z\d]*$/.test(name))).toEqual([]);
  });

  test('that is not a form gives null for null, unless its documentation says that it takes null', () => {
    const strict = functions.filter((each) => {
      return each.kind === 'scalar' && each.argCountMin > 0 && each.parameterAt(0)?.takesNull !== true;
    });
    const results = strict.map(({ name, argCountMin }) => evaluate(`${name}(${Array(argCountMin).fill('missing').join(', ')})`));
    expect(new Set(results)).toEqual(new Set([null]));
  });
});

function namesIn(expression: Expression | undefined): readonly string[] {
  return expression?.kind === 'call' ? [expression.name, ...expression.args.flatMap(namesIn)] : [];
}
