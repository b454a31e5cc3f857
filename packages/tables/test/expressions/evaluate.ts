import { ManualClock } from '@quire/core/testing';
import { compileExpression } from '../../src/expressions/language/compile-expression.ts';
import { parseExpression } from '../../src/expressions/language/parse-expression.ts';
import type { Fields, Value } from '../../src/expressions/values/value.ts';

/** Returns the value of an expression on a row; its findings as an Error if it is not valid. */
export function evaluate(text: string, row: Fields = {}): Value {
  const parsed = parseExpression(text);
  if (parsed.findings !== undefined) {
    throw new Error(parsed.findings.map(({ message }) => message).join('\n'));
  }
  return compileExpression(parsed.expression, { clock: new ManualClock() })(row);
}
