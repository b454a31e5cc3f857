import type { Value } from '@quire/expressions';
import { attempt, type ErrorPolicy } from '../column-error.ts';
import type { ColumnSpec } from '../column-spec.ts';
import { type ColumnType, toColumn, toMultiColumn } from '../column-type.ts';
import { plainValue } from '../extract-value.ts';
import type { Step } from '../step.ts';

/**
 * Converts the values of the schema's columns to their types. An empty collection is null, one of one element is that element;
 * one of several does not fit a column of single values.
 */
export function planDataTypes(columns: readonly ColumnSpec[], policy: ErrorPolicy): Step | undefined {
  const typed = columns.flatMap(({ name, type, isMultiValue }) => (type === undefined ? [] : [{ name, type, isMultiValue }]));
  if (typed.length === 0) return undefined;
  return {
    name: 'dataType',
    apply(row, journal) {
      for (const { name, type, isMultiValue } of typed) {
        const before = row.get(name);
        if (before === null || (!isMultiValue && isOfType(before, type))) continue;
        attempt(row, name, policy, journal, () => {
          const after = isMultiValue ? toMultiColumn(before, type) : toColumn(before, type);
          row.put(name, after);
          if (!isSame(before, after)) journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
        });
      }
      return [row];
    },
  };
}

/** The cheap cases, which are most: a value that is right already. */
function isOfType(value: Value, type: ColumnType): boolean {
  if (typeof value === 'string') return type === 'STRING';
  if (typeof value !== 'number') return typeof value === 'boolean' && type === 'BOOLEAN';
  if (type === 'DOUBLE') return true;
  return type === 'INT'
    ? value === (value | 0) && !Object.is(value, -0)
    : type === 'LONG' && Number.isSafeInteger(value) && !Object.is(value, -0);
}

function isSame(left: Value, right: Value): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return Object.is(plainValue(left), right);
  return left.length === right.length && left.every((element: Value, index) => Object.is(plainValue(element), right[index]));
}
