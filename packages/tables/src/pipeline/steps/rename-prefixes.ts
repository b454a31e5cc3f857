import { type ErrorPolicy, failColumn } from '../column-error.ts';
import type { ComplexTypePart } from '../pipeline-input.ts';
import type { Step } from '../step.ts';

/** Gives columns whose name begins with a prefix another beginning; a name that is taken or empty is an error of the column. */
export function planRenamePrefixes(config: ComplexTypePart | undefined, policy: ErrorPolicy): Step | undefined {
  const renames = Object.entries(config?.prefixesToRename ?? {}).map(([prefix, to]) => [prefix, String(to)] as const);
  if (renames.length === 0) return undefined;
  return {
    name: 'renamePrefixes',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      for (const [prefix, replacement] of renames) {
        for (const name of Object.keys(fields)) {
          if (!name.startsWith(prefix)) continue;
          const newName = replacement + name.slice(prefix.length);
          if (newName === name) continue;
          if (newName === '' || row.get(newName) !== null) {
            failColumn(
              row,
              name,
              `The prefix ${prefix} cannot be renamed: ‘${newName}’ is ${newName === '' ? 'no name' : 'taken'}.`,
              policy,
              journal,
            );
            continue;
          }
          const after = row.get(name);
          delete fields[name];
          row.put(newName, after);
          journal.note('added', newName, { sourceIndex, after, reason: `renamed from ${name}` });
          journal.note('removed', name, { sourceIndex, before: after, reason: `renamed to ${newName}` });
        }
      }
      return [row];
    },
  };
}
