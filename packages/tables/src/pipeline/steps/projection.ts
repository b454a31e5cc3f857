import type { ColumnSpec } from '../column-spec.ts';
import type { Step } from '../step.ts';

/** Leaves only the schema's columns, in its order: no other field is stored. */
export function planProjection(columns: readonly ColumnSpec[]): Step | undefined {
  if (columns.length === 0) return undefined;
  const names = columns.map(({ name }) => name);
  const known = new Set(names);
  return {
    name: 'projection',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      const reason = 'not in the schema';
      for (const [name, before] of Object.entries(fields)) {
        if (known.has(name)) continue;
        delete fields[name];
        journal.note('removed', name, { sourceIndex, before, reason });
      }
      return [row];
    },
  };
}
