import { type ErrorPolicy, failColumn } from '../column-error.ts';
import { grownCapacity, hashMapOrder } from '../java-map.ts';
import type { ComplexTypePart } from '../pipeline-input.ts';
import type { Step } from '../step.ts';

/** The name of a column whose name begins with a prefix to rename, by the first that fits; undefined where none does. */
export function renamedByPrefix(name: string, prefixes: Readonly<Record<string, unknown>>): string | undefined {
  const prefix = Object.keys(prefixes).find((each) => name.startsWith(each));
  return prefix === undefined ? undefined : String(prefixes[prefix]) + name.slice(prefix.length);
}

/**
 * Gives columns whose name begins with a prefix another beginning, in the order in which the engine goes through them. A name that is
 * taken or empty fails the row, or leaves the rest of its columns as they are.
 */
export function planRenamePrefixes(config: ComplexTypePart | undefined, policy: ErrorPolicy): Step | undefined {
  const prefixes = config?.prefixesToRename ?? {};
  if (Object.keys(prefixes).length === 0) return undefined;
  return {
    name: 'renamePrefixes',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      const names = Object.keys(fields);
      for (const name of hashMapOrder(names, grownCapacity(names.length))) {
        const newName = renamedByPrefix(name, prefixes);
        if (newName === undefined || newName === name) continue;
        const after = row.get(name);
        delete fields[name];
        if (newName === '' || row.get(newName) !== null) {
          const reason = `${name} cannot be renamed: ‘${newName}’ is ${newName === '' ? 'not a name' : 'taken'}.`;
          failColumn(row, name, reason, policy, journal);
          return [row];
        }
        row.put(newName, after);
        journal.note('added', newName, { sourceIndex, after, reason: `renamed from ${name}` });
        journal.note('removed', name, { sourceIndex, before: after, reason: `renamed to ${newName}` });
      }
      return [row];
    },
  };
}
