import { expressionFailed } from '../../expression/expression-error.ts';
import { writeJson } from '../../expression/values/json.ts';
import type { SourceValue } from '../../row.ts';
import { attempt, type ErrorPolicy } from '../column-error.ts';
import { type ComplexTypePart, isMap } from '../pipeline-input.ts';
import type { Step } from '../step.ts';

/** Deepest nesting of maps that is taken apart. */
const flattenDepthMax = 100;

/** Which collections that are not unnested become JSON: none, those of maps and collections, or all. */
type CollectionMode = 'NONE' | 'NON_PRIMITIVE' | 'ALL';

interface Plan {
  readonly delimiter: string;
  readonly unnested: ReadonlySet<string>;
  readonly mode: CollectionMode;
}

type Emit = (name: string, value: SourceValue) => void;

/** How the values of one row are taken apart. */
interface RowPlan extends Plan {
  /** Told of every field before it is made: the names of deep ones are long. */
  readonly count: Emit;
}

/**
 * Takes maps apart: `{"user": {"name": "x"}}` becomes the column `user.name`. Collections to unnest are taken apart inside, other
 * collections become JSON by the mode.
 */
export function planFlatten(config: ComplexTypePart | undefined, policy: ErrorPolicy): Step | undefined {
  if (config === undefined) return undefined;
  const plan = {
    delimiter: config.delimiter ?? '.',
    unnested: new Set(config.fieldsToUnnest),
    mode: modeOf(config.collectionNotUnnestedToJson),
  };
  return {
    name: 'flatten',
    apply(row, journal) {
      const { fields, sourceIndex } = row;
      const rowPlan: RowPlan = { ...plan, count: (name, value) => row.count(name, value) };
      for (const [column, before] of Object.entries(fields)) {
        if (before === null || typeof before !== 'object' || before instanceof Uint8Array) continue;
        attempt(row, column, policy, journal, () => {
          const made = new Map<string, SourceValue>();
          flatten(column, column, before, rowPlan, 0, (name, value) => made.set(name, value));
          delete fields[column];
          for (const [name, after] of made) {
            fields[name] = after;
            if (name !== column) journal.note('added', name, { sourceIndex, after });
            else if (after !== before) journal.note('changed', name, { sourceIndex, before, after });
          }
          if (!made.has(column)) journal.note('removed', column, { sourceIndex, before });
        });
      }
      return [row];
    },
  };
}

/**
 * @param name of the value where it is put
 * @param path from the root, by which collections to unnest are named
 */
function flatten(name: string, path: string, value: SourceValue, plan: RowPlan, depth: number, emit: Emit): void {
  if (depth > flattenDepthMax) throw expressionFailed(`${name.slice(0, 60)}… is nested more than ${flattenDepthMax} deep.`);
  if (isMap(value)) {
    for (const [key, member] of Object.entries(value)) {
      flatten(name + plan.delimiter + key, path + plan.delimiter + key, member, plan, depth + 1, emit);
    }
  } else if (Array.isArray(value)) {
    const flattened = flattenCollection(path, value as readonly SourceValue[], plan, depth);
    plan.count(name, flattened);
    emit(name, flattened);
  } else {
    plan.count(name, value);
    emit(name, value);
  }
}

function flattenCollection(path: string, elements: readonly SourceValue[], plan: RowPlan, depth: number): SourceValue {
  if (plan.unnested.has(path)) {
    const flattened = elements.map((element) => flattenElement(path, element, plan, depth));
    return flattened.every((element, index) => element === elements[index]) ? elements : flattened;
  }
  const [first] = elements;
  const isPrimitive = first === undefined || first === null || typeof first !== 'object' || first instanceof Uint8Array;
  return plan.mode === 'ALL' || (plan.mode === 'NON_PRIMITIVE' && !isPrimitive) ? writeJson(elements) : elements;
}

/** The members of an element keep names without the path of their collection until it is unnested. */
function flattenElement(path: string, element: SourceValue, plan: RowPlan, depth: number): SourceValue {
  if (!isMap(element) || Object.values(element).every((member) => typeof member !== 'object' || member === null)) return element;
  const members = Object.create(null) as Record<string, SourceValue>;
  for (const [key, member] of Object.entries(element)) {
    flatten(key, path + plan.delimiter + key, member, plan, depth + 1, (name, value) => {
      members[name] = value;
    });
  }
  return members;
}

function modeOf(given: string | undefined): CollectionMode {
  const mode = given?.toUpperCase();
  return mode === 'NONE' || mode === 'ALL' ? mode : 'NON_PRIMITIVE';
}
