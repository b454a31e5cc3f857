import { type Clock, isQuireError } from '@quire/core';
import {
  type DateTimeFormat,
  javaText,
  parseDateTimeFormat,
  readInFormat,
  type Value,
  writeInFormat,
} from '../../expressions/index.ts';
import type { SourceValue } from '../../row.ts';
import { type ErrorPolicy, failColumn, noStep, type PlannedStep, type Step } from '../step.ts';
import type { ColumnSpec } from '../column-spec.ts';
import { isInCalendar, toColumn } from '../column-type.ts';

/** The valid times, from 1971 to 2070; others are usually times in another unit. */
const validTimeRangeMs = { start: Date.UTC(1971, 0, 1), end: Date.UTC(2071, 0, 1) } as const;

/** Reports whether a table's time column may have an instant. */
function isValidTime(epochMs: number): boolean {
  return epochMs >= validTimeRangeMs.start && epochMs <= validTimeRangeMs.end;
}

/** Returns the format of the time column; undefined if the schema has none, or an invalid one. */
export function timeFormatOf(column: ColumnSpec | undefined): DateTimeFormat | undefined {
  if (column?.format === undefined) return undefined;
  try {
    return parseDateTimeFormat(column.format);
  } catch (error) {
    if (isQuireError(error, 'EXPRESSION_FAILED')) return undefined;
    throw error;
  }
}

/** Refuses values of the time column that are not times from 1971 to 2070. */
export function planTimeCheck(
  isEnabled: boolean,
  timeColumn: ColumnSpec | undefined,
  policy: ErrorPolicy,
  clock: Clock,
): PlannedStep {
  if (!isEnabled || timeColumn === undefined) return noStep;
  const format = timeFormatOf(timeColumn);
  const { name, path } = timeColumn;
  if (format === undefined) {
    const message = `Times cannot be checked: the column ${name} has no valid format.`;
    return {
      step: undefined,
      findings: [
        { path: `${path}/format`, code: 'PIPELINE_TIME_FORMAT', message, severity: 'error' },
      ],
    };
  }
  return {
    findings: [],
    step: {
      name: 'timeCheck',
      apply(row, journal) {
        const value = row.get(name);
        const reason =
          value === null
            ? undefined
            : whyInvalid(value, format, new Date(clock.nowMs()).getUTCFullYear());
        if (reason !== undefined) failColumn(row, name, reason, policy, journal);
        return row.alone;
      },
    },
  };
}

/**
 * Returns the instant of a value of a time column, in epoch milliseconds. @throws EXPRESSION_FAILED
 * when it does not match the format
 */
export function instantOfTime(value: SourceValue, format: DateTimeFormat): number {
  // Nearly all times are such numbers: formatting and parsing them as text would cost more than
  // decoding their row.
  const isInMs = format.kind === 'epoch' && format.unit === 'MILLISECONDS' && format.size === 1;
  if (isInMs && Number.isSafeInteger(value)) return value as number;
  // Without a clock, years of two digits are from 1950 to 2049.
  return readInFormat(javaText(value), format, 2030);
}

function whyInvalid(value: Value, format: DateTimeFormat, nowYear: number): string | undefined {
  try {
    const epochMs = readInFormat(javaText(value), format, nowYear);
    if (isValidTime(epochMs)) return undefined;
    const shown = isInCalendar(epochMs) ? new Date(epochMs).toISOString() : javaText(value);
    return `${shown} is outside the years 1971 to 2070.`;
  } catch (error) {
    if (isQuireError(error, 'EXPRESSION_FAILED')) return error.message;
    throw error;
  }
}

/**
 * Fills the schema's columns that are null with their default, and records their names. The time
 * column gets the current time if its default is not a valid time.
 */
export function planNullDefaults(
  columns: readonly ColumnSpec[],
  timeColumn: ColumnSpec | undefined,
  clock: Clock,
): Step {
  const timeDefault = timeColumn === undefined ? undefined : presentTime(timeColumn, clock);
  return {
    name: 'nullDefault',
    apply(row, journal) {
      for (const { name, defaultNullValue, isMultiValue } of row.unsettled ?? columns) {
        if (row.get(name) !== null) continue;
        row.nullFields.push(name);
        const single =
          timeDefault !== undefined && name === timeColumn?.name ? timeDefault() : defaultNullValue;
        const after = isMultiValue && single !== null ? [single] : single;
        row.put(name, after);
        journal.note('added', name, {
          sourceIndex: row.sourceIndex,
          after,
          reason: 'no value, so its default',
        });
      }
      return row.alone;
    },
  };
}

/**
 * Returns the current time in the format of the time column; undefined if its own default is valid.
 */
function presentTime(column: ColumnSpec, clock: Clock): (() => SourceValue) | undefined {
  const format = timeFormatOf(column);
  const { type, defaultNullValue } = column;
  if (
    format === undefined ||
    type === undefined ||
    (defaultNullValue !== null && isTime(defaultNullValue))
  ) {
    return undefined;
  }
  return () =>
    toColumn(
      writeInFormat(
        clock.nowMs(),
        type === 'TIMESTAMP' ? { kind: 'epoch', size: 1, unit: 'MILLISECONDS' } : format,
      ),
      type,
    );

  function isTime(value: SourceValue): boolean {
    if (format === undefined) return false;
    try {
      return isValidTime(
        readInFormat(javaText(value), format, new Date(clock.nowMs()).getUTCFullYear()),
      );
    } catch (error) {
      if (isQuireError(error, 'EXPRESSION_FAILED')) return false;
      throw error;
    }
  }
}
