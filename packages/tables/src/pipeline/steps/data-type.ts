import { expressionFailed } from '../../expression/expression-error.ts';
import { type CastType, castValue } from '../../expression/values/cast.ts';
import { kindOf } from '../../expression/values/kind-of.ts';
import type { SourceValue } from '../../row.ts';
import { attempt, type ErrorPolicy } from '../column-error.ts';
import type { ColumnSpec } from '../column-spec.ts';
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
        if (before === null || isOfType(before, type, isMultiValue)) continue;
        attempt(row, name, policy, journal, () => {
          const after = isMultiValue ? convertMany(before, type) : convertOne(before, type);
          row.put(name, after);
          if (!isSame(before, after)) journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
        });
      }
      return [row];
    },
  };
}

/** The cheap cases, which are most: a value that is right already. */
function isOfType(value: SourceValue, type: CastType, isMultiValue: boolean): boolean {
  if (isMultiValue) return false;
  switch (typeof value) {
    case 'string':
      return type === 'STRING' || type === 'JSON';
    case 'number':
      return (
        type === 'DOUBLE' ||
        (type === 'INT'
          ? value === (value | 0) && !Object.is(value, -0)
          : type === 'LONG' && Number.isSafeInteger(value) && !Object.is(value, -0))
      );
    case 'boolean':
      return type === 'BOOLEAN';
    default:
      return false;
  }
}

function convertOne(value: Exclude<SourceValue, null>, type: CastType): SourceValue {
  if (!Array.isArray(value) || type === 'JSON') return castValue(value, type);
  const elements = value as readonly SourceValue[];
  if (elements.length > 1) {
    throw expressionFailed(`A collection of ${elements.length} values does not fit a column of single values of ${type}.`);
  }
  const [element = null] = elements;
  return element === null ? null : convertOne(element, type);
}

function convertMany(value: Exclude<SourceValue, null>, type: CastType): SourceValue {
  const elements = Array.isArray(value) ? (value as readonly SourceValue[]) : [value];
  const converted = elements.flatMap((element) => {
    if (element === null) return [];
    if (Array.isArray(element) && type !== 'JSON') {
      throw expressionFailed(`A column of values of ${type} cannot hold ${kindOf(element)}.`);
    }
    return [castValue(element, type)];
  });
  return converted.length === 0 ? null : converted;
}

function isSame(left: SourceValue, right: SourceValue): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return Object.is(left, right);
  return left.length === right.length && left.every((element, index) => Object.is(element, right[index]));
}
