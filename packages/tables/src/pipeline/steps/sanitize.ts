import { Decimal, type Value } from '@quire/expressions';
import type { ColumnSpec } from '../column-spec.ts';
import type { Step } from '../step.ts';

/** Keeps text and bytes within a column's length, by its strategy; text ends at a zero character. JSON and bytes have none by default. */
export function planSanitizing(columns: readonly ColumnSpec[]): Step | undefined {
  const affected = columns.filter(
    ({ type, exceedStrategy }) => type === 'STRING' || ((type === 'JSON' || type === 'BYTES') && exceedStrategy !== 'NO_ACTION'),
  );
  if (affected.length === 0) return undefined;
  return {
    name: 'sanitize',
    apply(row, journal) {
      const { sourceIndex } = row;
      for (const column of affected) {
        const before = row.get(column.name);
        const { value: after, reason, isRefused } = sanitize(before, column);
        if (reason === undefined) continue;
        if (isRefused === true) {
          // It fails the row, whether or not the table goes on past errors.
          journal.note('failed', column.name, { sourceIndex, before, reason });
          row.failure = { column: column.name, reason };
          return [row];
        }
        row.put(column.name, after);
        row.isSanitized = true;
        journal.note('changed', column.name, { sourceIndex, before, after, reason });
      }
      return [row];
    },
  };
}

/** A value as it is kept, and why it is not as it was. */
interface Sanitized {
  readonly value: Value;
  readonly reason?: string;
  readonly isRefused?: boolean;
}

function sanitize(value: Value, column: ColumnSpec): Sanitized {
  if (typeof value === 'string' || value instanceof Uint8Array) return sanitizeSingle(value, column);
  if (!Array.isArray(value)) return { value };
  const elements = (value as readonly Value[]).map((element) => sanitize(element, column));
  const affected = elements.find(({ reason }) => reason !== undefined);
  return affected === undefined ? { value } : { ...affected, value: elements.map((element) => element.value) };
}

function sanitizeSingle(value: string | Uint8Array, { exceedStrategy, maxLength, defaultNullValue }: ColumnSpec): Sanitized {
  const zero = typeof value === 'string' ? value.indexOf('\0') : -1;
  const end = Math.min(zero < 0 ? value.length : zero, maxLength);
  if (end === value.length) return { value };
  const reason = zero < 0 ? `${value.length} long, and at most ${maxLength} is kept` : `has a zero character at ${zero}`;
  if (exceedStrategy === 'FAIL_INGESTION') return { value, reason, isRefused: true };
  if (exceedStrategy === 'SUBSTITUTE_DEFAULT_VALUE') return { value: defaultNullValue, reason };
  if (exceedStrategy === 'NO_ACTION' && zero < 0) return { value };
  return { value: value.slice(0, end), reason };
}

/** Makes one value of those that are equal but look different: -0 becomes 0, NaN null, zeros at the end of decimals go. */
export function planSpecialValues(columns: readonly ColumnSpec[]): Step | undefined {
  const affected = columns.filter(({ type }) => type === 'FLOAT' || type === 'DOUBLE' || type === 'BIG_DECIMAL');
  if (affected.length === 0) return undefined;
  return {
    name: 'specialValue',
    apply(row, journal) {
      for (const { name, type, allowsTrailingZeros } of affected) {
        const before = row.get(name);
        if (before === null || (type === 'BIG_DECIMAL' && allowsTrailingZeros)) continue;
        const after = Array.isArray(before) ? settleAll(before as readonly Value[]) : settle(before);
        if (Object.is(before, after)) continue;
        row.put(name, after);
        journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
      }
      return [row];
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
