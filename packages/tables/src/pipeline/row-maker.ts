import type { Value } from '../expressions/index.ts';
import type { ColumnSpec } from './column-spec.ts';
import { extractValue } from './column-type.ts';
import { isPlain } from './plain-value.ts';
import { Fields, type SizeBudget, WorkingRow } from './working-row.ts';

/**
 * What is known of all rows before any is, where no step makes or takes away fields by what is in a
 * row.
 */
export interface FlatRows {
  /** The columns of the schema, each name once. */
  readonly columns: readonly ColumnSpec[];
  /** Columns that every row has in the end, none named as what objects inherit. */
  readonly made: readonly string[];
}

/** What rows with the same fields in the same order have in common. */
interface RowShape {
  readonly names: readonly string[];
  /**
   * An object with everything that such a row has in the end; undefined where that is not known.
   */
  readonly template: Record<string, Value> | undefined;
  /** Which column of the schema each field is; -1 for none. */
  readonly positions: readonly number[];
  /** Those of them that the schema has no column for. */
  readonly others: readonly string[] | undefined;
}

const shapesMax = 8;

/**
 * Makes rows of those of a source. Rows mostly have the same fields in the same order: where the
 * columns that every row has in the end are known, those of a row begin as a copy of an object that
 * has all of them, which takes a fraction of what it takes to let an object grow. While values are
 * copied, those are marked that no step will change, so that none looks at them again.
 */
export class RowMaker {
  readonly #flat: FlatRows | undefined;
  readonly #budget: SizeBudget;
  readonly #columns: readonly ColumnSpec[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #settled: Uint8Array | undefined;
  #shapes: readonly RowShape[] = [];

  constructor(flat: FlatRows | undefined, budget: SizeBudget) {
    this.#flat = flat;
    this.#budget = budget;
    this.#columns = flat?.columns ?? [];
    this.#positions = new Map(this.#columns.map(({ name }, index) => [name, index]));
    this.#settled = flat && new Uint8Array(this.#columns.length);
  }

  /** Makes a row. The marks of the one before are gone then. */
  make(sourceIndex: number, source: Readonly<Record<string, Value>>): WorkingRow {
    const { names, template, positions, others } = this.#shapeOf(Object.keys(source));
    const fields: Record<string, Value> = template === undefined ? new Fields() : { ...template };
    const columns = this.#columns;
    const settled = this.#settled;
    settled?.fill(0);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const given = source[name] ?? null;
      const value =
        typeof given === 'boolean' || typeof given === 'object' ? extractValue(given) : given;
      fields[name] = value;
      const position = positions[index] ?? -1;
      const column = columns[position];
      if (settled !== undefined && column !== undefined && isPlain(value, column)) {
        settled[position] = 1;
      }
    }
    return new WorkingRow(sourceIndex, fields, this.#budget, settled, others);
  }

  #shapeOf(names: readonly string[]): RowShape {
    const [last] = this.#shapes;
    if (last !== undefined && isSameList(names, last.names)) return last;
    const shape =
      this.#shapes.find((each) => isSameList(names, each.names)) ?? this.#newShape(names);
    this.#shapes = [shape, ...this.#shapes.filter((each) => each !== shape)].slice(0, shapesMax);
    return shape;
  }

  #newShape(names: readonly string[]): RowShape {
    if (this.#flat === undefined) {
      return { names, template: undefined, positions: [], others: undefined };
    }
    const all = [...new Set([...names, ...this.#flat.made])];
    const others = all.filter((name) => !this.#positions.has(name));
    // The last fields of an object are taken away again for little, others only by making it a
    // table of hashes.
    const ordered = [...all.filter((name) => this.#positions.has(name)), ...others];
    return {
      names,
      // The runtime keeps what it parses as it keeps a literal; an object that grows becomes a
      // table of hashes as well.
      template: JSON.parse(
        JSON.stringify(Object.fromEntries(ordered.map((name) => [name, null]))),
      ) as Record<string, Value>,
      positions: names.map((name) => this.#positions.get(name) ?? -1),
      others,
    };
  }
}

/** Whether two lists have the same names in the same order. */
export function isSameList(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}
