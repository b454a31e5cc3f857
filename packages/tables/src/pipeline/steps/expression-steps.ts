import { isQuireError } from '@quire/core';
import {
  compileExpression,
  type EvaluationContext,
  type Evaluator,
  type Fields,
  isMap,
  parseExpression,
  type Value,
} from '../../expressions/index.ts';
import { type ErrorPolicy, failColumn, noStep, type PlannedStep, type Step } from '../step.ts';
import type { ColumnSpec } from '../column-spec.ts';
import { isPlain } from '../plain-value.ts';
import type { Transform } from '../read-transforms.ts';
import type { WorkingRow } from '../working-row.ts';

/**
 * Computes columns by expressions, in the given order. A transform does not change a column that
 * already has a value, except for lists, maps and bytes if the result of the expression has another
 * form.
 */
export function planTransforms(
  transforms: readonly Transform[],
  columns: readonly ColumnSpec[],
  context: EvaluationContext,
  policy: ErrorPolicy,
): Step | undefined {
  if (transforms.length === 0) return undefined;
  const names = transforms.map(({ column }) => column);
  const compiled = transforms.map(
    ({ column, expression, evaluate = compileExpression(expression, context) }) => {
      const position = columns.findIndex(({ name }) => name === column);
      return { column, evaluate, position, spec: columns[position] };
    },
  );
  return {
    name: 'transform',
    apply(row, journal) {
      const { fields, settled, sourceIndex } = row;
      const added = journal.tallies('added', names);
      for (let index = 0; index < compiled.length; index += 1) {
        const transform = compiled[index];
        if (transform === undefined) continue;
        const { column, evaluate, position, spec } = transform;
        const before = fields[column] ?? null;
        if (before !== null && (typeof before !== 'object' || shapeOf(before) === 'single')) {
          continue;
        }
        if (before === null) {
          try {
            const value = evaluate(fields);
            row.put(column, value);
            if (value === null) continue;
            if (settled !== undefined && spec !== undefined && isPlain(value, spec)) {
              settled[position] = 1;
            }
            added[index]?.add(sourceIndex, undefined, value);
          } catch (error) {
            if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
            failColumn(row, column, error.message, policy, journal);
          }
          continue;
        }
        const after = evaluateQuietly(evaluate, fields);
        if (after === null || shapeOf(after) === shapeOf(before)) continue;
        row.put(column, after);
        journal.note('changed', column, { sourceIndex, before, after });
      }
      return row.alone;
    },
  };
}

function shapeOf(value: Value): 'single' | 'map' | 'list' {
  if (isMap(value)) return 'map';
  return Array.isArray(value) || value instanceof Uint8Array ? 'list' : 'single';
}

/**
 * Evaluates an expression for a column that already has a value, so that a failure has no effect.
 */
function evaluateQuietly(evaluate: Evaluator, fields: Fields): Value {
  try {
    return evaluate(fields);
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return null;
  }
}

/**
 * Drops the rows for which a condition is exactly the Boolean true. It reads the columns that
 * transforms computed.
 */
export function planFilter(
  filterFunction: string | undefined,
  context: EvaluationContext,
  policy: ErrorPolicy,
): PlannedStep {
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
          if (!isDropped(row)) return row.alone;
          journal.note('filtered', undefined, { sourceIndex, reason });
          return [];
        } catch (error) {
          if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
          journal.note('failed', undefined, { sourceIndex, reason: error.message });
          if (policy === 'fail') row.failure = { column: '', reason: error.message };
          row.isIncomplete = true;
          return row.alone;
        }
      },
    },
  };
}
