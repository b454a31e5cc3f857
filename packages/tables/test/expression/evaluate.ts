import { ManualClock } from '@quire/core/testing';
import { compileExpression } from '../../src/expression/compile-expression.ts';
import { parseExpression } from '../../src/expression/parse-expression.ts';
import type { SourceRow, SourceValue } from '../../src/row.ts';

/** What an expression gives on a row; its findings as an Error where it is none. */
export function evaluate(text: string, row: SourceRow = {}): SourceValue {
  const parsed = parseExpression(text);
  if (parsed.findings !== undefined) throw new Error(parsed.findings.map(({ message }) => message).join('\n'));
  return compileExpression(parsed.expression, { clock: new ManualClock() })(row);
}
