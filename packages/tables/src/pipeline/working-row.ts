import type { Value } from '../expressions/index.ts';
import type { ColumnSpec } from './column-spec.ts';
import { copiedValue } from './column-type.ts';

/** The size of a value in addition to its content, in bytes. */
const valueBytes = 8;

/** Thrown when the values exceed their limit in total. */
export class SizeLimitReached extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`Values of more than ${bytesMax} bytes`);
    this.name = 'SizeLimitReached';
    this.bytesMax = bytesMax;
  }
}

/**
 * Counts the size of values when they are created: discarded values have taken time and memory as
 * well.
 */
export class SizeBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  /** @throws SizeLimitReached when the limit is exceeded */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new SizeLimitReached(this.#bytesMax);
  }

  /** Counts the size of a value. @throws SizeLimitReached as `take` */
  takeValue(value: Value): void {
    this.take(sizeOf(value));
  }
}

/**
 * Returns the size of a value in bytes: one for each character, eight for each element or member,
 * and their content.
 */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return valueBytes + value.length;
  if (typeof value === 'bigint') return sizeOfInteger(value);
  if (typeof value !== 'object' || value === null) return valueBytes;
  if (value instanceof Uint8Array) return valueBytes + value.byteLength;
  let size = valueBytes;
  if (Array.isArray(value)) {
    for (const element of value as readonly Value[]) size += sizeOf(element);
    return size;
  }
  const members = value as Readonly<Record<string, Value>>;
  for (const name of Object.keys(members)) size += name.length + sizeOf(members[name] ?? null);
  return size;
}

function sizeOfInteger(value: bigint): number {
  return BigInt.asIntN(64, value) === value
    ? valueBytes
    : valueBytes + value.toString(16).length / 2;
}

/** The reason why a row fails. */
export interface RowFailure {
  readonly column: string;
  readonly reason: string;
}

/**
 * An object that inherits nothing. Its prototype is empty and has none itself. Unlike objects
 * without any prototype, those with the same fields share one hidden class, and are read and
 * written several times as fast.
 */
export const Fields = class {} as unknown as new () => Record<string, Value>;
Reflect.deleteProperty(Fields.prototype as object, 'constructor');
Object.setPrototypeOf(Fields.prototype, null);

/** A row in the pipeline. Steps change it in place; no other reference to it exists. */
export class WorkingRow {
  /** The index of its source row, from 0. */
  sourceIndex: number;
  /** The fields. None is inherited, whatever its name. */
  fields: Record<string, Value>;
  /** Columns that have their default because they had no value. */
  nullFields: string[] = [];
  /** True if a column became null because its value was wrong. */
  isIncomplete = false;
  /** True if a value was truncated or replaced because it was too long. */
  isSanitized = false;
  /**
   * 1 for each column of the schema whose value no step will change; undefined if every value has
   * to be checked.
   */
  readonly settled: Uint8Array | undefined;
  /** Fields without a column in the schema; undefined if that has to be looked up. */
  others: readonly string[] | undefined;
  /**
   * Columns of the schema that special values, defaults and lengths may still change: most values
   * need none. Undefined: all of them.
   */
  unsettled: readonly ColumnSpec[] | undefined;
  #originals: Map<string, Value> | undefined;
  /** Set by a step that finds that the row must be dropped. */
  failure: RowFailure | undefined;
  /** A list that contains only this row, which most steps return. */
  readonly alone: readonly [WorkingRow] = [this];
  readonly #budget: SizeBudget;

  constructor(
    sourceIndex: number,
    fields: Record<string, Value>,
    budget: SizeBudget,
    settled: Uint8Array | undefined,
    others: readonly string[] | undefined,
  ) {
    this.sourceIndex = sourceIndex;
    this.fields = fields;
    this.settled = settled;
    this.others = others;
    this.#budget = budget;
  }

  /**
   * Makes this the next row, whose marks in `settled` are set already. Where no step multiplies
   * rows, one object serves all of them.
   */
  restart(
    sourceIndex: number,
    fields: Record<string, Value>,
    others: readonly string[] | undefined,
  ): this {
    this.sourceIndex = sourceIndex;
    this.fields = fields;
    this.others = others;
    // Finished rows keep lists with names.
    if (this.nullFields.length > 0) this.nullFields = [];
    this.isIncomplete = false;
    this.isSanitized = false;
    this.unsettled = undefined;
    this.failure = undefined;
    return this;
  }

  /** Columns to unnest as they were before nested values were flattened. */
  get originals(): Map<string, Value> {
    return (this.#originals ??= new Map());
  }

  /** Returns another row of the same source row with the same fields. */
  copy(): WorkingRow {
    this.#budget.take(sizeOf(this.fields));
    const fields: Record<string, Value> = new Fields();
    for (const name of Object.keys(this.fields)) {
      fields[name] = copiedValue(this.fields[name] ?? null);
    }
    const copy = new WorkingRow(this.sourceIndex, fields, this.#budget, undefined, undefined);
    copy.isIncomplete = this.isIncomplete;
    return copy;
  }

  /**
   * Sets a field to a newly created value. @throws SizeLimitReached when all created values
   * together are too large
   */
  put(name: string, value: Value): void {
    this.count(name, value);
    this.fields[name] = value;
  }

  /** Counts a field that is about to be created. @throws SizeLimitReached as `put` */
  count(name: string, value: Value): void {
    this.#budget.take(name.length + sizeOf(value));
  }

  /** Returns the value of a field; null if there is none. */
  get(name: string): Value {
    return this.fields[name] ?? null;
  }
}
