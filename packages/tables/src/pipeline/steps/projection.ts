import type { ColumnSpec } from '../column-spec.ts';
import type { Step } from '../step.ts';

/** Leaves only the schema's columns: no other field is stored. Without a schema, all stay. */
export function planProjection(columns: readonly ColumnSpec[]): Step | undefined {
  if (columns.length === 0) return undefined;
  const known = new Set(columns.map(({ name }) => name));
  return {
    name: 'projection',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      const reason = 'not in the schema';
      // The fields have no prototype, so these are all of them and nothing else.
      for (const name in fields) {
        if (known.has(name)) continue;
        const before = row.get(name);
        delete fields[name];
        journal.note('removed', name, { sourceIndex, before, reason });
      }
      return [row];
    },
  };
}
