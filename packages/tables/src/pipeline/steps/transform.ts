import { compileExpression } from '../../expression/compile-expression.ts';
import type { EvaluationContext } from '../../expression/function-definition.ts';
import { attempt, type ErrorPolicy } from '../column-error.ts';
import type { Transform } from '../order-transforms.ts';
import type { Step, StepName } from '../step.ts';

/**
 * Makes columns by expressions, in the order given. A column that has a value keeps it: a transform fills what the source lacks.
 */
export function planTransforms(
  transforms: readonly Transform[],
  context: EvaluationContext,
  policy: ErrorPolicy,
  name: StepName = 'transform',
): Step | undefined {
  if (transforms.length === 0) return undefined;
  const compiled = transforms.map(({ column, expression }) => ({ column, evaluate: compileExpression(expression, context) }));
  return {
    name,
    apply(row, journal) {
      for (const { column, evaluate } of compiled) {
        if (row.get(column) !== null) continue;
        attempt(row, column, policy, journal, () => {
          const value = evaluate(row.fields);
          row.put(column, value);
          if (value !== null) journal.note('added', column, { sourceIndex: row.sourceIndex, after: value });
        });
      }
      return [row];
    },
  };
}
