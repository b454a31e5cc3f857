import { isMap } from '@quire/expressions';
import type { ColumnSpec } from '../column-spec.ts';
import { plainValue } from '../extract-value.ts';
import type { Step } from '../step.ts';

/** Leaves only the schema's columns: no other field is stored. Without a schema all stay, but for maps that were taken apart. */
export function planProjection(columns: readonly ColumnSpec[], isFlattened: boolean): Step {
  const known = new Set(columns.map(({ name }) => name));
  const untyped = columns.filter(({ type }) => type === undefined).map(({ name }) => name);
  return {
    name: 'projection',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      const reason = 'not in the schema';
      // The fields have no prototype, so these are all of them and nothing else.
      for (const name in fields) {
        if (known.size === 0) {
          if (isFlattened && isMap(row.get(name))) delete fields[name];
          else fields[name] = plainValue(row.get(name));
          continue;
        }
        if (known.has(name)) continue;
        const before = row.get(name);
        delete fields[name];
        journal.note('removed', name, { sourceIndex, before, reason });
      }
      for (const name of untyped) fields[name] = plainValue(row.get(name));
      return [row];
    },
  };
}
