import type { Clock } from '@quire/core';
import { isQuireError } from '@quire/core';
import { javaText, readInFormat, writeInFormat } from '@quire/expressions';
import type { SourceValue } from '../../row.ts';
import type { ColumnSpec } from '../column-spec.ts';
import { toColumn } from '../column-type.ts';
import type { Step } from '../step.ts';
import { isValidTime, timeFormatOf } from './time-check.ts';

/**
 * Fills the schema's columns that are null with their default, and remembers which they were. The time column gets the present time
 * where its default is not a time that a table may have.
 */
export function planNullDefaults(columns: readonly ColumnSpec[], timeColumn: ColumnSpec | undefined, clock: Clock): Step {
  const timeDefault = timeColumn === undefined ? undefined : presentTime(timeColumn, clock);
  return {
    name: 'nullDefault',
    apply(row, journal) {
      for (const { name, defaultNullValue, isMultiValue } of columns) {
        if (row.get(name) !== null) continue;
        row.nullFields.add(name);
        const single = timeDefault !== undefined && name === timeColumn?.name ? timeDefault() : defaultNullValue;
        const after = isMultiValue && single !== null ? [single] : single;
        row.put(name, after);
        journal.note('added', name, { sourceIndex: row.sourceIndex, after, reason: 'no value, so its default' });
      }
      return [row];
    },
  };
}

/** Writes the present time as the time column has it; undefined where its own default will do. */
function presentTime(column: ColumnSpec, clock: Clock): (() => SourceValue) | undefined {
  const format = timeFormatOf(column);
  const { type, defaultNullValue } = column;
  if (format === undefined || type === undefined || (defaultNullValue !== null && isTime(defaultNullValue))) return undefined;
  return () =>
    toColumn(
      writeInFormat(clock.nowMs(), type === 'TIMESTAMP' ? { kind: 'epoch', size: 1, unit: 'MILLISECONDS' } : format),
      type,
    );

  function isTime(value: SourceValue): boolean {
    if (format === undefined) return false;
    try {
      return isValidTime(readInFormat(javaText(value), format, new Date(clock.nowMs()).getUTCFullYear()));
    } catch (error) {
      if (isQuireError(error, 'EXPRESSION_FAILED')) return false;
      throw error;
    }
  }
}
