import { Decimal, type Value } from '@quire/expressions';
import type { ColumnSpec } from '../column-spec.ts';
import type { Step } from '../step.ts';

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
