import {
  Decimal,
  isMap,
  type PresentValue,
  type Value,
  WholeDouble,
} from '../../expressions/index.ts';
import { attempt, type ErrorPolicy, type Step } from '../step.ts';
import type { ColumnSpec } from '../column-spec.ts';
import { type ColumnType, plainValue, toColumn, toMultiColumn } from '../column-type.ts';
import type { StepJournal } from '../journal.ts';
import { isPlain } from '../plain-value.ts';
import type { WorkingRow } from '../working-row.ts';

/**
 * Converts the values of the schema's columns to their types. In a single-value column, an empty
 * collection becomes null, a collection of one element becomes that element, and a larger one is an
 * error.
 */
export function planDataTypes(
  columns: readonly ColumnSpec[],
  policy: ErrorPolicy,
): Step | undefined {
  if (columns.every(({ type }) => type === undefined)) return undefined;
  return {
    name: 'dataType',
    apply(row, journal) {
      const { fields, settled } = row;
      // One check of each value also decides whether the next steps have to check it again.
      const unsettled: ColumnSpec[] = [];
      for (let index = 0; index < columns.length; index += 1) {
        if (settled?.[index] === 1) continue;
        const column = columns[index];
        if (column === undefined) continue;
        const { name, type, isMultiValue } = column;
        const before = fields[name] ?? null;
        if (isPlain(before, column)) continue;
        const whole = isMultiValue ? undefined : wholeOf(before, type);
        if (whole !== undefined) {
          row.put(name, whole);
          continue;
        }
        if (before !== null && type !== undefined && (isMultiValue || !isOfType(before, type))) {
          convert(row, column, { before, type, policy, journal });
        }
        if (!isSettled(row.get(name), column)) unsettled.push(column);
      }
      row.unsettled = unsettled;
      return row.alone;
    },
  };
}

/**
 * Converts one value. This is a separate function because a closure within the loop would allocate
 * its scope for every column, even if there is nothing to convert.
 */
function convert(
  row: WorkingRow,
  { name, isMultiValue }: ColumnSpec,
  given: {
    readonly before: PresentValue;
    readonly type: ColumnType;
    readonly policy: ErrorPolicy;
    readonly journal: StepJournal;
  },
): void {
  const { before, type, policy, journal } = given;
  attempt(row, name, policy, journal, () => {
    const after = isMultiValue ? toMultiColumn(before, type) : toColumn(before, type);
    row.put(name, after);
    if (!isSame(before, after)) {
      journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
    }
  });
}

/**
 * Returns the whole number that an expression computed for a numeric column, if no other conversion
 * is needed.
 */
function wholeOf(value: Value, type: ColumnType | undefined): number | undefined {
  const isWhole =
    type === 'LONG'
      ? typeof value === 'bigint' || value instanceof WholeDouble
      : type === 'DOUBLE' && value instanceof WholeDouble;
  if (!isWhole) return undefined;
  const number = Number(value instanceof WholeDouble ? value.value : value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Reports whether special values, defaults and lengths leave a value of the column's type
 * unchanged. May return false for others that would qualify.
 */
function isSettled(value: Value, { type, maxLength }: ColumnSpec): boolean {
  if (typeof value === 'string') {
    return type === 'STRING' && value.length <= maxLength && !value.includes('\0');
  }
  if (typeof value === 'number') return !Number.isNaN(value) && !Object.is(value, -0);
  return typeof value === 'boolean' || typeof value === 'bigint';
}

/** Reports whether a value needs no conversion. May return false for others that would qualify. */
function isOfType(value: Value, type: ColumnType): boolean {
  if (typeof value === 'string') return type === 'STRING' && value.isWellFormed();
  if (typeof value !== 'number') return typeof value === 'boolean' && type === 'BOOLEAN';
  if (type === 'DOUBLE') return true;
  return type === 'INT'
    ? value === (value | 0) && !Object.is(value, -0)
    : type === 'LONG' && Number.isSafeInteger(value) && !Object.is(value, -0);
}

function isSame(left: Value, right: Value): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return Object.is(plainValue(left), right);
  return (
    left.length === right.length &&
    left.every((element: Value, index) => Object.is(plainValue(element), right[index]))
  );
}

/**
 * Limits text and bytes to a column's length, by its strategy; text ends at a zero character. JSON
 * and bytes have no strategy by default.
 */
export function planSanitizing(columns: readonly ColumnSpec[]): Step | undefined {
  const affected = new Set(columns.filter(isLimited));
  if (affected.size === 0) return undefined;
  return {
    name: 'sanitize',
    apply(row, journal) {
      const { sourceIndex } = row;
      for (const column of row.unsettled ?? affected) {
        if (!affected.has(column)) continue;
        const before = row.get(column.name);
        const { value: after, reason, isRefused } = sanitize(before, column);
        if (reason === undefined) continue;
        if (isRefused === true) {
          // This fails the row, even if the table continues on errors.
          journal.note('failed', column.name, { sourceIndex, before, reason });
          row.failure = { column: column.name, reason };
          return row.alone;
        }
        row.put(column.name, after);
        row.isSanitized = true;
        journal.note('changed', column.name, { sourceIndex, before, after, reason });
      }
      return row.alone;
    },
  };
}

function isLimited({ type, exceedStrategy }: ColumnSpec): boolean {
  return (
    type === 'STRING' || ((type === 'JSON' || type === 'BYTES') && exceedStrategy !== 'NO_ACTION')
  );
}

/** A value as it is stored, and the reason for its change. */
interface Sanitized {
  readonly value: Value;
  readonly reason?: string;
  readonly isRefused?: boolean;
}

function sanitize(value: Value, column: ColumnSpec): Sanitized {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return sanitizeSingle(value, column);
  }
  if (!Array.isArray(value)) return { value };
  const elements = (value as readonly Value[]).map((element) => sanitize(element, column));
  const affected = elements.find(({ reason }) => reason !== undefined);
  return affected === undefined
    ? { value }
    : { ...affected, value: elements.map((element) => element.value) };
}

function sanitizeSingle(
  value: string | Uint8Array,
  { exceedStrategy, maxLength, defaultNullValue }: ColumnSpec,
): Sanitized {
  const zero = typeof value === 'string' ? value.indexOf('\0') : -1;
  const end = Math.min(zero < 0 ? value.length : zero, maxLength);
  if (end === value.length) return { value };
  const reason =
    zero < 0
      ? `${value.length} long; at most ${maxLength} is stored`
      : `has a zero character at ${zero}`;
  if (exceedStrategy === 'FAIL_INGESTION') return { value, reason, isRefused: true };
  if (exceedStrategy === 'SUBSTITUTE_DEFAULT_VALUE') return { value: defaultNullValue, reason };
  if (exceedStrategy === 'NO_ACTION' && zero < 0) return { value };
  return { value: value.slice(0, end - (isInPair(value, end) ? 1 : 0)), reason };
}

/** Reports whether a position is in the middle of a character of two units of UTF-16. */
function isInPair(value: string | Uint8Array, at: number): boolean {
  return typeof value === 'string' && (value.codePointAt(at - 1) ?? 0) > 0xffff;
}

/**
 * Normalizes values that are equal but look different: -0 becomes 0, NaN becomes null, and trailing
 * zeros of decimals are removed.
 */
export function planSpecialValues(columns: readonly ColumnSpec[]): Step | undefined {
  const affected = new Set(
    columns.filter(({ type }) => type === 'FLOAT' || type === 'DOUBLE' || type === 'BIG_DECIMAL'),
  );
  if (affected.size === 0) return undefined;
  return {
    name: 'specialValue',
    apply(row, journal) {
      for (const column of row.unsettled ?? affected) {
        if (!affected.has(column)) continue;
        const { name, type, allowsTrailingZeros } = column;
        const before = row.get(name);
        if (before === null || (type === 'BIG_DECIMAL' && allowsTrailingZeros)) continue;
        const after = Array.isArray(before)
          ? settleAll(before as readonly Value[])
          : settle(before);
        if (Object.is(before, after)) continue;
        row.put(name, after);
        journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
      }
      return row.alone;
    },
  };
}

function settle(value: Value): Value {
  if (typeof value === 'number') return Number.isNaN(value) ? null : value === 0 ? 0 : value;
  if (typeof value === 'string') return Decimal.parse(value).withoutTrailingZeros().toPlainString();
  return value;
}

function settleAll(values: readonly Value[]): Value {
  const settled = values.map(settle);
  if (settled.every((value, index) => Object.is(value, values[index]))) return values;
  const present = settled.filter((value) => value !== null);
  return present.length === 0 ? null : present;
}

/**
 * Keeps only the schema's columns: other fields are not stored. Without a schema all fields are
 * kept, except maps that were flattened.
 */
export function planProjection(columns: readonly ColumnSpec[], isFlattened: boolean): Step {
  const known = new Set(columns.map(({ name }) => name));
  const untyped = columns.filter(({ type }) => type === undefined).map(({ name }) => name);
  return {
    name: 'projection',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      if (known.size === 0) {
        for (const name of Object.keys(fields)) {
          if (isFlattened && isMap(row.get(name))) delete fields[name];
          else fields[name] = plainValue(row.get(name));
        }
        return row.alone;
      }
      const others = row.others ?? Object.keys(fields).filter((name) => !known.has(name));
      const reason = 'not in the schema';
      for (const name of others) {
        journal.note('removed', name, { sourceIndex, before: row.get(name), reason });
      }
      // In reverse order: deleting the last field of an object is cheap, others are not.
      for (let index = others.length - 1; index >= 0; index -= 1) {
        delete fields[others[index] ?? ''];
      }
      for (const name of untyped) fields[name] = plainValue(row.get(name));
      return row.alone;
    },
  };
}
