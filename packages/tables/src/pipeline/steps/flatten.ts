import { expressionFailed, isMap, type Value, writeJson } from '@quire/expressions';
import { attempt, type ErrorPolicy } from '../column-error.ts';
import type { ComplexTypePart } from '../pipeline-input.ts';
import type { Step } from '../step.ts';
import type { WorkingRow } from '../working-row.ts';

/** Deepest nesting of maps that is taken apart. */
const flattenDepthMax = 100;

interface Plan {
  readonly delimiter: string;
  readonly unnested: ReadonlySet<string>;
  readonly mode: string;
}

/**
 * Takes maps apart: `{"user": {"name": "x"}}` gains the column `user.name`; the map itself stays, which counts where the schema has a
 * column for it. Collections to unnest are taken apart inside, other collections become JSON by the mode.
 */
export function planFlatten(config: ComplexTypePart | undefined, policy: ErrorPolicy): Step | undefined {
  if (config === undefined) return undefined;
  const plan = {
    delimiter: config.delimiter ?? '.',
    unnested: new Set(config.fieldsToUnnest),
    mode: config.collectionNotUnnestedToJson ?? 'NON_PRIMITIVE',
  };
  return {
    name: 'flatten',
    apply(row, journal) {
      for (const column of Object.keys(row.fields)) {
        const before = row.get(column);
        if (before === null || typeof before !== 'object') continue;
        attempt(row, column, policy, journal, () => {
          flattenColumn(row, column, plan, 0, (name, after) => {
            if (name === column) journal.note('changed', name, { sourceIndex: row.sourceIndex, before, after });
            else journal.note('added', name, { sourceIndex: row.sourceIndex, after });
          });
        });
      }
      return [row];
    },
  };
}

function flattenColumn(
  row: WorkingRow,
  column: string,
  plan: Plan,
  depth: number,
  note: (name: string, value: Value) => void,
): void {
  if (depth > flattenDepthMax) throw expressionFailed(`${column.slice(0, 60)}… is nested more than ${flattenDepthMax} deep.`);
  const value = row.get(column);
  if (isMap(value)) {
    for (const [key, member] of Object.entries(value)) {
      const name = column + plan.delimiter + key;
      row.put(name, member);
      if (member !== null && typeof member === 'object') flattenColumn(row, name, plan, depth + 1, note);
      note(name, row.get(name));
    }
    return;
  }
  if (!Array.isArray(value)) return;
  const elements = value as readonly Value[];
  if (plan.unnested.has(column)) {
    row.fields[column] = elements.map((element) => (isMap(element) ? flattenElement(column, element, plan, depth) : element));
  } else if (becomesJson(elements, plan.mode)) {
    row.put(column, writeJson(elements));
    note(column, row.get(column));
  }
}

/** The members of an element have names without the path of their collection until it is unnested. */
function flattenElement(path: string, element: Readonly<Record<string, Value>>, plan: Plan, depth: number): Value {
  const members = Object.create(null) as Record<string, Value>;
  const put = (name: string, value: Value, level: number): void => {
    if (level > flattenDepthMax) throw expressionFailed(`${name.slice(0, 60)}… is nested more than ${flattenDepthMax} deep.`);
    members[name] = value;
    const full = path + plan.delimiter + name;
    if (isMap(value)) for (const [key, member] of Object.entries(value)) put(name + plan.delimiter + key, member, level + 1);
    else if (Array.isArray(value)) {
      const elements = value as readonly Value[];
      if (plan.unnested.has(full)) {
        members[name] = elements.map((each) => (isMap(each) ? flattenElement(full, each, plan, level + 1) : each));
      } else if (becomesJson(elements, plan.mode)) members[name] = writeJson(elements);
    }
  };
  for (const [key, member] of Object.entries(element)) put(key, member, depth);
  return members;
}

function becomesJson(elements: readonly Value[], mode: string): boolean {
  const [first = null] = elements;
  return mode === 'ALL' || (mode === 'NON_PRIMITIVE' && (Array.isArray(first) || isMap(first)));
}
