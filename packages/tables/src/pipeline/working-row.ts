import type { Value } from '../expressions/index.ts';
import type { ColumnSpec } from './column-spec.ts';
import { copiedValue } from './column-type.ts';

/** What a value takes beside its content, in bytes. */
const valueBytes = 8;

/** Values are larger than they may be all together. */
export class SizeLimitReached extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`Values of more than ${bytesMax} bytes`);
    this.name = 'SizeLimitReached';
    this.bytesMax = bytesMax;
  }
}

/**
 * Counts what is made of rows, while it is made: what is thrown away again has taken time and
 * memory as well.
 */
export class SizeBudget {
  readonly #bytesMax: number;
  #left: number;

  constructor(bytesMax: number = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  /** @throws SizeLimitReached when more is taken than there is */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new SizeLimitReached(this.#bytesMax);
  }

  /** Takes the size of a value. @throws SizeLimitReached as `take` */
  takeValue(value: Value): void {
    this.take(sizeOf(value));
  }
}

/**
 * What a value takes, in bytes: a byte for a character, eight for whatever is in a list or an
 * object, and their content.
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

/** Why a row cannot go on. */
export interface RowFailure {
  readonly column: string;
  readonly reason: string;
}

/**
 * An object that inherits nothing. Its prototype is empty and has none: unlike objects without any
 * prototype, those of the same fields share one shape, and are read and written several times as
 * fast.
 */
export const Fields = class {} as unknown as new () => Record<string, Value>;
Reflect.deleteProperty(Fields.prototype as object, 'constructor');
Object.setPrototypeOf(Fields.prototype, null);

/** A row on its way through the pipeline. Steps change it in place; it is nobody else's. */
export class WorkingRow {
  /** Which row of the source it comes from, counted from 0. */
  readonly sourceIndex: number;
  /** Nothing of a name that a step may ask for is inherited. */
  readonly fields: Record<string, Value>;
  /** Columns whose value is the default, because there was none. */
  readonly nullFields: string[] = [];
  /** Whether a column became null because its value was wrong. */
  isIncomplete = false;
  /** Whether a value was cut or replaced because it was too long. */
  isSanitized = false;
  /**
   * By column of the schema, 1 where no step will change the value; undefined where every value has
   * to be looked at.
   */
  readonly settled: Uint8Array | undefined;
  /** Fields that the schema has no column for; undefined where that has to be looked up. */
  readonly others: readonly string[] | undefined;
  /**
   * Columns of the schema that special values, defaults and lengths may still change: most values
   * need none. Undefined for all of them.
   */
  unsettled: readonly ColumnSpec[] | undefined;
  #originals: Map<string, Value> | undefined;
  /** Set by a step that finds that the row must not be kept. */
  failure: RowFailure | undefined;
  /** The row alone: what most steps give back. */
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

  /** Columns to unnest as they were before nested values were taken apart. */
  get originals(): Map<string, Value> {
    return (this.#originals ??= new Map());
  }

  /** Another row of the same source row with the same fields. */
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
   * Gives a field a value that was made for it. @throws SizeLimitReached when all that was made is
   * too large
   */
  put(name: string, value: Value): void {
    this.count(name, value);
    this.fields[name] = value;
  }

  /** Counts a field that is about to be made. @throws SizeLimitReached as `put` */
  count(name: string, value: Value): void {
    this.#budget.take(name.length + sizeOf(value));
  }

  /** The value of a field; null when there is none. */
  get(name: string): Value {
    return this.fields[name] ?? null;
  }
}
