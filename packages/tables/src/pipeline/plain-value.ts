import type { Value } from '../expressions/index.ts';
import type { ColumnSpec } from './column-spec.ts';

/**
 * Reports whether a value already has the type of its column, and no step for special values,
 * defaults or lengths changes it. Detects only the common cases that are cheap to check.
 */
export function isPlain(value: Value, { type, isMultiValue, maxLength }: ColumnSpec): boolean {
  if (isMultiValue) return false;
  if (typeof value === 'string') {
    return (
      type === 'STRING' &&
      value.length <= maxLength &&
      !value.includes('\0') &&
      value.isWellFormed()
    );
  }
  if (typeof value !== 'number') return typeof value === 'boolean' && type === 'BOOLEAN';
  if (Object.is(value, -0) || Number.isNaN(value)) return false;
  if (type === 'LONG') return Number.isSafeInteger(value);
  return type === 'DOUBLE' || (type === 'INT' && value === (value | 0));
}
