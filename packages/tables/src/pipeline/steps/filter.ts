import { isQuireError } from '@quire/core';
import { compileExpression, parseExpression } from '@quire/expressions';
import type { EvaluationContext } from '@quire/expressions';
import type { ErrorPolicy } from '../column-error.ts';
import { noStep, type PlannedStep } from '../step.ts';
import type { WorkingRow } from '../working-row.ts';

/** Drops the rows for which a condition is the Boolean true, and nothing that looks like it; it sees the columns that transforms made. */
export function planFilter(filterFunction: string | undefined, context: EvaluationContext, policy: ErrorPolicy): PlannedStep {
  if (filterFunction === undefined || filterFunction.trim() === '') return noStep;
  const parsed = parseExpression(filterFunction, '/ingestionConfig/filterConfig/filterFunction');
  if (parsed.findings !== undefined) return { step: undefined, findings: parsed.findings };
  const evaluate = compileExpression(parsed.expression, context);
  const reason = `the filter is true: ${filterFunction}`;
  const isDropped = (row: WorkingRow): boolean => {
    const value = evaluate(row.fields);
    return value === true;
  };
  return {
    findings: parsed.warnings,
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
