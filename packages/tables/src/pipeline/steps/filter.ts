import { isQuireError } from '@quire/core';
import { compileExpression } from '../../expression/compile-expression.ts';
import type { EvaluationContext } from '../../expression/function-definition.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import type { ErrorPolicy } from '../column-error.ts';
import { noStep, type PlannedStep } from '../step.ts';
import type { WorkingRow } from '../working-row.ts';

/** Drops the rows for which a condition is true; it sees the columns that transforms made. */
export function planFilter(filterFunction: string | undefined, context: EvaluationContext, policy: ErrorPolicy): PlannedStep {
  if (filterFunction === undefined || filterFunction.trim() === '') return noStep;
  const parsed = parseExpression(filterFunction, '/ingestionConfig/filterConfig/filterFunction');
  if (parsed.findings !== undefined) return { step: undefined, findings: parsed.findings };
  const evaluate = compileExpression(parsed.expression, context);
  const reason = `the filter is true: ${filterFunction}`;
  const isDropped = (row: WorkingRow): boolean => {
    const value = evaluate(row.fields);
    return value === true || value === 1 || (typeof value === 'string' && value.toLowerCase() === 'true');
  };
  return {
    findings: [],
    step: {
      name: 'filter',
      apply(row, journal) {
        const { sourceIndex } = row;
        try {
          if (!isDropped(row)) return [row];
          journal.note('filtered', undefined, { sourceIndex, reason });
          return [];
        } catch (error) {
          if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
          journal.note('failed', undefined, { sourceIndex, reason: error.message });
          if (policy === 'fail') row.failure = { column: '', reason: error.message };
          row.isIncomplete = true;
          return [row];
        }
      },
    },
  };
}
