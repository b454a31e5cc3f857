import type { Decimal } from './decimal.ts';

/**
 * A value of an expression or of a row in the pipeline, each of one type of the engine.
 *
 * Numbers that are whole and fit 32 bits are integers, other whole ones up to 2^53 and bigints are longs, and the rest are doubles. What
 * JavaScript cannot tell apart has a class: doubles that are whole, floats, decimals, timestamps.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | WholeDouble
  | Float
  | Decimal
  | Timestamp
  | readonly Value[]
  | { readonly [name: string]: Value };

/** A value that is there. */
export type PresentValue = Exclude<Value, null>;

/** Fields of a row by name. One that is missing is null. */
export type Fields = Readonly<Record<string, Value>>;

/** A double that is whole, such as 2.0. */
export class WholeDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A number of 32 bits with a fraction. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = Math.fround(value);
  }
}

/** An instant that knows that it is one. */
export class Timestamp {
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }
}

/** A double as a value. */
export function doubleValue(value: number): number | WholeDouble {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? new WholeDouble(value) : value;
}

/** A long as a value. */
export function longValue(value: number | bigint): bigint {
  return typeof value === 'bigint' ? value : BigInt(value);
}

export function isMap(value: Value): value is { readonly [name: string]: Value } {
  return typeOf(value) === 'MAP';
}

/** Types that values have. */
export type ValueType =
  | 'NULL'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIG_DECIMAL'
  | 'TIMESTAMP'
  | 'STRING'
  | 'BYTES'
  | 'MAP'
  | 'ARRAY';

export function typeOf(value: Value): ValueType {
  switch (typeof value) {
    case 'string':
      return 'STRING';
    case 'boolean':
      return 'BOOLEAN';
    case 'bigint':
      return 'LONG';
    case 'number':
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) return 'DOUBLE';
      return (value | 0) === value ? 'INTEGER' : 'LONG';
    default:
  }
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return 'ARRAY';
  if (value instanceof Uint8Array) return 'BYTES';
  if (value instanceof WholeDouble) return 'DOUBLE';
  if (value instanceof Float) return 'FLOAT';
  if (value instanceof Timestamp) return 'TIMESTAMP';
  return isDecimal(value) ? 'BIG_DECIMAL' : 'MAP';
}

function isDecimal(value: object): value is Decimal {
  return 'unscaled' in value && typeof value.unscaled === 'bigint';
}
