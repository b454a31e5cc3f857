import { expressionFailed, isMap, type Value, writeJson } from '../../expressions/index.ts';
import { attempt, type ErrorPolicy, failColumn, type Step } from '../step.ts';
import { copiedValue, grownCapacity, grownMapOrder, hashMapOrder } from '../column-type.ts';
import type { ComplexTypePart } from '../column-spec.ts';
import type { WorkingRow } from '../working-row.ts';

/** The maximum nesting depth of maps that are flattened. */
const flattenDepthMax = 100;

interface Plan {
  readonly delimiter: string;
  readonly unnested: ReadonlySet<string>;
  readonly mode: string;
}

/**
 * Flattens maps: `{"user": {"name": "x"}}` adds the column `user.name`. The map itself is kept, for
 * schemas that have a column for it. Collections to unnest are flattened inside; other collections
 * become JSON, depending on the mode.
 */
export function planFlatten(
  config: ComplexTypePart | undefined,
  policy: ErrorPolicy,
): Step | undefined {
  if (config === undefined) return undefined;
  const plan = {
    delimiter: config.delimiter ?? '.',
    unnested: new Set(config.fieldsToUnnest),
    mode: config.collectionNotUnnestedToJson ?? 'NON_PRIMITIVE',
  };
  return {
    name: 'flatten',
    apply(row, journal) {
      for (const column of plan.unnested) {
        row.originals.set(column, copiedValue(row.get(column)));
      }
      for (const column of Object.keys(row.fields)) {
        const before = row.get(column);
        if (before === null || typeof before !== 'object') continue;
        attempt(row, column, policy, journal, () => {
          flattenColumn(row, column, plan, 0, (name, after) => {
            if (name === column) {
              journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
            } else journal.note('added', name, { sourceIndex: row.sourceIndex, after });
          });
        });
      }
      return row.alone;
    },
  };
}

/**
 * Flattens a column and returns its new value: Apache Pinot changes elements of collections in
 * place, so that the map that contains them changes as well.
 */
function flattenColumn(
  row: WorkingRow,
  column: string,
  plan: Plan,
  depth: number,
  note: (name: string, value: Value) => void,
): Value {
  if (depth > flattenDepthMax) {
    throw expressionFailed(
      `${column.slice(0, 60)}… is nested more than ${flattenDepthMax} levels deep.`,
    );
  }
  const value = row.get(column);
  if (isMap(value)) {
    let changed: Record<string, Value> | undefined;
    for (const [key, member] of Object.entries(value)) {
      const name = column + plan.delimiter + key;
      row.put(name, member);
      if (member !== null && typeof member === 'object') {
        const after = flattenColumn(row, name, plan, depth + 1, note);
        if (after !== member) (changed ??= copyOf(value))[key] = after;
      }
      note(name, row.get(name));
    }
    if (changed !== undefined) row.fields[column] = changed;
    return changed ?? value;
  }
  if (!Array.isArray(value)) return value;
  const elements = value as readonly Value[];
  if (plan.unnested.has(column)) {
    if (!elements.some(isMap)) return elements;
    row.fields[column] = elements.map((element) =>
      isMap(element) ? flattenElement(column, element, plan, depth) : element,
    );
    return row.get(column);
  }
  if (becomesJson(elements, plan.mode)) {
    row.put(column, writeJson(elements));
    note(column, row.get(column));
  }
  return elements;
}

function copyOf(value: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.assign(Object.create(null) as Record<string, Value>, value);
}

/**
 * Flattens an element. Its members are named without the path of their collection until it is
 * unnested.
 */
function flattenElement(
  path: string,
  element: Readonly<Record<string, Value>>,
  plan: Plan,
  depth: number,
): Value {
  const members = Object.create(null) as Record<string, Value>;
  // Returns the new value, like `flattenColumn`.
  const put = (name: string, value: Value, level: number): Value => {
    if (level > flattenDepthMax) {
      throw expressionFailed(
        `${name.slice(0, 60)}… is nested more than ${flattenDepthMax} levels deep.`,
      );
    }
    members[name] = value;
    const full = path + plan.delimiter + name;
    if (isMap(value)) {
      let changed: Record<string, Value> | undefined;
      for (const [key, member] of Object.entries(value)) {
        const after = put(name + plan.delimiter + key, member, level + 1);
        if (after !== member) (changed ??= copyOf(value))[key] = after;
      }
      return (members[name] = changed ?? value);
    }
    if (!Array.isArray(value)) return value;
    const elements = value as readonly Value[];
    if (plan.unnested.has(full)) {
      if (!elements.some(isMap)) return elements;
      return (members[name] = elements.map((each) =>
        isMap(each) ? flattenElement(full, each, plan, level + 1) : each,
      ));
    }
    if (becomesJson(elements, plan.mode)) members[name] = writeJson(elements);
    return elements;
  };
  const given = Object.entries(element);
  for (const [key, member] of given) put(key, member, depth);
  const ordered = Object.create(null) as Record<string, Value>;
  for (const name of grownMapOrder(Object.keys(members), given.length)) {
    ordered[name] = members[name] ?? null;
  }
  return ordered;
}

function becomesJson(elements: readonly Value[], mode: string): boolean {
  const [first = null] = elements;
  return mode === 'ALL' || (mode === 'NON_PRIMITIVE' && (Array.isArray(first) || isMap(first)));
}

/** The maximum number of rows that one row of the source may become. */
const unnestedCountMax = 10_000;

/**
 * Creates a row for each element of a collection, outer collections first; several collections give
 * every combination. A row with an empty or missing collection continues unchanged. If a later step
 * reads the collection itself, it is added to each row again, unless it was part of another value.
 *
 * @param readLater the columns that later steps read
 */
export function planUnnest(
  config: ComplexTypePart | undefined,
  readLater: ReadonlySet<string>,
): Step | undefined {
  const names = [...new Set(config?.fieldsToUnnest)].toSorted();
  if (names.length === 0) return undefined;
  const delimiter = config?.delimiter ?? '.';
  const kept = names.filter((name) =>
    readLater.has(renamedByPrefix(name, config?.prefixesToRename ?? {}) ?? name),
  );
  return {
    name: 'unnest',
    apply(row, journal) {
      const originals = kept.flatMap((name) => {
        const value = row.originals.get(name) ?? null;
        return value === null ? [] : [[name, value] as const];
      });
      let rows: readonly WorkingRow[] = [row];
      for (const name of names) {
        const count = rows.reduce(
          (total, each) => total + Math.max(1, elementsOf(each, name)?.length ?? 1),
          0,
        );
        if (count > unnestedCountMax) {
          const reason = `Unnesting ${name} turns one row into ${count}; at most ${unnestedCountMax} are allowed.`;
          journal.note('failed', name, { sourceIndex: row.sourceIndex, reason });
          row.failure = { column: name, reason };
          return row.alone;
        }
        rows = rows.flatMap((each) => unnest(each, name, delimiter));
      }
      for (const each of rows) {
        for (const [name, value] of originals) if (each.get(name) === null) each.put(name, value);
      }
      if (rows.length > 1) {
        const reason = `${rows.length} rows of one, by ${names.join(', ')}`;
        journal.note('unnested', undefined, { sourceIndex: row.sourceIndex, reason });
      }
      return rows;
    },
  };
}

function elementsOf(row: WorkingRow, name: string): readonly Value[] | undefined {
  const value = row.get(name);
  return Array.isArray(value) ? (value as readonly Value[]) : undefined;
}

function unnest(row: WorkingRow, name: string, delimiter: string): readonly WorkingRow[] {
  const elements = elementsOf(row, name);
  if (elements === undefined || elements.length === 0) return row.alone;
  delete row.fields[name];
  return elements.map((element) => {
    const copy = row.copy();
    if (isMap(element)) {
      for (const [key, member] of Object.entries(element)) copy.put(name + delimiter + key, member);
    } else copy.put(name, element);
    return copy;
  });
}

/**
 * Returns the new name of a column whose name starts with a prefix to rename, using the first that
 * matches; undefined if none does.
 */
function renamedByPrefix(
  name: string,
  prefixes: Readonly<Record<string, unknown>>,
): string | undefined {
  const prefix = Object.keys(prefixes).find((each) => name.startsWith(each));
  return prefix === undefined ? undefined : String(prefixes[prefix]) + name.slice(prefix.length);
}

/**
 * Renames columns whose name starts with a prefix, in the order in which Apache Pinot visits them.
 * If the new name is empty or exists, the row fails, or its remaining columns stay unchanged.
 */
export function planRenamePrefixes(
  config: ComplexTypePart | undefined,
  policy: ErrorPolicy,
): Step | undefined {
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
          return row.alone;
        }
        row.put(newName, after);
        journal.note('added', newName, { sourceIndex, after, reason: `renamed from ${name}` });
        journal.note('removed', name, {
          sourceIndex,
          before: after,
          reason: `renamed to ${newName}`,
        });
      }
      return row.alone;
    },
  };
}
