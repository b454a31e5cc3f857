import type { Value } from '../expressions/index.ts';
import type { ColumnSpec } from './column-spec.ts';
import { extractValue } from './column-type.ts';
import { isPlain } from './plain-value.ts';
import { Fields, type SizeBudget, WorkingRow } from './working-row.ts';

/**
 * The columns that are known for all rows before any is read, if no step adds or removes fields by
 * the content of a row.
 */
export interface FlatRows {
  /** The columns of the schema, each name once. */
  readonly columns: readonly ColumnSpec[];
  /** Columns that every finished row has; none has the name of a member that objects inherit. */
  readonly made: readonly string[];
}

/** The common part of rows with the same fields in the same order. */
interface RowShape {
  readonly names: readonly string[];
  /** An object with all fields of a finished row of this shape; undefined if they are unknown. */
  readonly template: Record<string, Value> | undefined;
  /** The index of each field's column in the schema; -1 for none. */
  readonly positions: readonly number[];
  /** The names that are not columns of the schema. */
  readonly others: readonly string[] | undefined;
}

const shapesMax = 8;

/**
 * Creates rows from source rows, most of which have the same fields in the same order. If the
 * columns of finished rows are known, a row starts as a copy of an object that has all of them,
 * which takes a fraction of the time of growing an object. During the copy, values that no step
 * will change are marked, so that no step checks them again.
 */
export class RowMaker {
  readonly #flat: FlatRows | undefined;
  readonly #budget: SizeBudget;
  readonly #columns: readonly ColumnSpec[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #settled: Uint8Array | undefined;
  #shapes: readonly RowShape[] = [];
  /** The only row, if no step multiplies rows. */
  #row: WorkingRow | undefined;

  constructor(flat: FlatRows | undefined, budget: SizeBudget) {
    this.#flat = flat;
    this.#budget = budget;
    this.#columns = flat?.columns ?? [];
    this.#positions = new Map(this.#columns.map(({ name }, index) => [name, index]));
    this.#settled = flat && new Uint8Array(this.#columns.length);
  }

  /** Creates a row. If every row stays single, this ends the use of the previous one. */
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
    if (this.#row !== undefined) return this.#row.restart(sourceIndex, fields, others);
    const row = new WorkingRow(sourceIndex, fields, this.#budget, settled, others);
    if (this.#flat !== undefined) this.#row = row;
    return row;
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
    // Deleting the last fields of an object is cheap; deleting others turns it into a hash table.
    const ordered = [...all.filter((name) => this.#positions.has(name)), ...others];
    return {
      names,
      // JSON.parse creates an object with the layout of a literal; an object that grows becomes a
      // hash table as well.
      template: JSON.parse(
        JSON.stringify(Object.fromEntries(ordered.map((name) => [name, null]))),
      ) as Record<string, Value>,
      positions: names.map((name) => this.#positions.get(name) ?? -1),
      others,
    };
  }
}

/** Reports whether two lists have the same names in the same order. */
export function isSameList(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}
