import type { SourceValue } from '../../row.ts';
import type { ErrorPolicy } from '../column-error.ts';
import { failColumn } from '../column-error.ts';
import type { ColumnSpec } from '../column-spec.ts';
import type { Step } from '../step.ts';

/** Keeps text and bytes within a column's length, by its strategy; text ends at a zero character. */
export function planSanitizing(columns: readonly ColumnSpec[], policy: ErrorPolicy): Step | undefined {
  const affected = columns.filter(({ type }) => type === 'STRING' || type === 'JSON' || type === 'BYTES');
  if (affected.length === 0) return undefined;
  return {
    name: 'sanitize',
    apply(row, journal) {
      for (const column of affected) {
        const before = row.get(column.name);
        const { value: after, reason, isRefused } = sanitize(before, column);
        if (reason === undefined) continue;
        if (isRefused) {
          failColumn(row, column.name, reason, policy, journal);
          continue;
        }
        row.fields[column.name] = after;
        row.isSanitized = true;
        journal.note('changed', column.name, { sourceIndex: row.sourceIndex, before, after, reason });
      }
      return [row];
    },
  };
}

/** A value as it is kept, and why it is not as it was. */
interface Sanitized {
  readonly value: SourceValue;
  readonly reason?: string;
  readonly isRefused?: boolean;
}

function sanitize(value: SourceValue, column: ColumnSpec): Sanitized {
  if (typeof value === 'string') return sanitizeText(value, column);
  if (value instanceof Uint8Array) return sanitizeLength(value, value.length, column);
  if (!Array.isArray(value)) return { value };
  const elements = (value as readonly SourceValue[]).map((element) => sanitize(element, column));
  const affected = elements.find(({ reason }) => reason !== undefined);
  return affected === undefined ? { value } : { ...affected, value: elements.map((element) => element.value) };
}

function sanitizeText(value: string, column: ColumnSpec): Sanitized {
  const end = value.indexOf('\0');
  const text = end < 0 ? value : value.slice(0, end);
  const sanitized = sanitizeLength(text, text.length, column);
  return end < 0 || sanitized.reason !== undefined ? sanitized : { value: text, reason: `cut at the zero character at ${end}` };
}

function sanitizeLength(value: string | Uint8Array, length: number, column: ColumnSpec): Sanitized {
  const { exceedStrategy, maxLength, defaultNullValue } = column;
  if (length <= maxLength || exceedStrategy === 'NO_ACTION') return { value };
  const reason = `${length} long, and at most ${maxLength} is kept`;
  if (exceedStrategy === 'FAIL_INGESTION') return { value, reason, isRefused: true };
  return { reason, value: exceedStrategy === 'TRIM_LENGTH' ? value.slice(0, maxLength) : defaultNullValue };
}
