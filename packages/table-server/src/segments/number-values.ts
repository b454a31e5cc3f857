import type { RelationType } from '@quire/core/table-engine';
import type { EncodedValues } from './parquet-pages.ts';
import { grown, Levels } from './levels.ts';

/** The types whose values are stored as numbers. */
export type NumberType = Extract<RelationType, 'INT' | 'LONG' | 'FLOAT' | 'DOUBLE' | 'TIMESTAMP'>;

const longRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;

/** Collects the numbers of one column of a row group. */
export class NumberValues {
  readonly #type: NumberType;
  readonly #levels = new Levels();
  #numbers = new Float64Array(256);
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  /** 64-bit integers that a number cannot hold, by their index. */
  #large = new Map<number, bigint>();

  constructor(type: NumberType) {
    this.#type = type;
  }

  /** The approximate size of the values. */
  get sizeBytes(): number {
    return 8 * this.#count;
  }

  pushNull(): void {
    this.#levels.push(0);
  }

  /** Adds a number that is of the type already. */
  pushNumber(value: number): void {
    this.#levels.push(1);
    if (this.#count === this.#numbers.length) {
      this.#numbers = grown(this.#numbers, this.#count + 1, (length) => new Float64Array(length));
    }
    this.#numbers[this.#count] = value;
    this.#count += 1;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /**
   * Adds any value of the pipeline, in the type of the column. @throws RangeError or TypeError when
   * it is not of the type
   */
  push(value: unknown): void {
    if (typeof value === 'number' && isOfType(value, this.#type)) return this.pushNumber(value);
    if (this.#type === 'LONG' || this.#type === 'TIMESTAMP') {
      const exact =
        this.#type === 'LONG' ? BigInt(value as bigint) : BigInt(Math.trunc(Number(value)));
      if (exact < longRange.min || exact > longRange.max) {
        throw new RangeError(`${exact} is not a ${this.#type}: it has more than 64 bits.`);
      }
      const number = Number(exact);
      if (BigInt(number) !== exact) this.#large.set(this.#count, exact);
      return this.pushNumber(number);
    }
    throw new TypeError(
      `${typeof value === 'number' ? value : typeof value} is not a ${this.#type}.`,
    );
  }

  /** Returns the values since the last call. */
  take(): EncodedValues {
    const numbers = this.#numbers.subarray(0, this.#count);
    const bytes = encode(numbers, this.#type, this.#large);
    const { rowCount, levels } = this.#levels.take();
    const encoded = {
      rowCount,
      levels,
      dictionary: undefined,
      pages: [{ rowCount, bytes }],
      ...this.#bounds(),
    };
    this.#count = 0;
    this.#min = Infinity;
    this.#max = -Infinity;
    this.#large = new Map();
    return encoded;
  }

  #bounds(): Pick<EncodedValues, 'min' | 'max'> {
    // Bounds do not cover NaN, which DuckDB treats as the greatest number.
    const hasNaN = this.#numbers.subarray(0, this.#count).includes(Number.NaN);
    if (this.#count === 0 || hasNaN) return { min: undefined, max: undefined };
    if (this.#type !== 'LONG' && this.#type !== 'TIMESTAMP') {
      // As the format requires: readers may treat both zeros as equal.
      return { min: this.#min === 0 ? -0 : this.#min, max: this.#max === 0 ? 0 : this.#max };
    }
    let [min, max] = [BigInt(this.#min), BigInt(this.#max)];
    if (this.#large.size > 0) {
      // Rounded bounds may be inside of the exact ones, or outside of the range.
      [min, max] = [longRange.max, longRange.min];
      for (let index = 0; index < this.#count; index += 1) {
        const value = this.#large.get(index) ?? BigInt(this.#numbers[index] ?? 0);
        if (value < min) min = value;
        if (value > max) max = value;
      }
    }
    return { min, max };
  }
}

function isOfType(value: number, type: NumberType): boolean {
  if (type === 'INT') return value === (value | 0);
  return type === 'LONG' || type === 'TIMESTAMP' ? Number.isSafeInteger(value) : true;
}

/** Encodes numbers plainly: in little-endian order. */
function encode(
  numbers: Float64Array,
  type: NumberType,
  large: ReadonlyMap<number, bigint>,
): Uint8Array {
  const encoded = {
    INT: () => Int32Array.from(numbers),
    FLOAT: () => Float32Array.from(numbers),
    DOUBLE: () => numbers.slice(),
    LONG: () => encodeLongs(numbers, large),
    TIMESTAMP: () => encodeLongs(numbers, large),
  }[type]();
  return new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
}

/** Encodes 64-bit integers as two halves each, because a bigint would be garbage for each value. */
function encodeLongs(numbers: Float64Array, large: ReadonlyMap<number, bigint>): Int32Array {
  const halves = new Int32Array(2 * numbers.length);
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] ?? 0;
    halves[2 * index] = value;
    halves[2 * index + 1] = Math.floor(value / 2 ** 32);
  }
  for (const [index, value] of large) {
    halves[2 * index] = Number(BigInt.asIntN(32, value));
    halves[2 * index + 1] = Number(value >> 32n);
  }
  return halves;
}
