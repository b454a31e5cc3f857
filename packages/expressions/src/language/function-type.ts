import {
  saturatedLong,
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toElementText,
  toFloat,
  toInt,
  toList,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from '../values/convert.ts';
import type { Decimal } from '../values/decimal.ts';
import { doubleValue, Float, longValue, type PresentValue, type Timestamp, type Value } from '../values/value.ts';
import { expressionFailed } from './expression-error.ts';

/** Types of the engine's signatures, by their names there. */
export type TypeName =
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'BigDecimal'
  | 'boolean'
  | 'Timestamp'
  | 'String'
  | 'byte[]'
  | 'Map'
  | 'Object'
  | `${'int' | 'long' | 'float' | 'double' | 'String' | 'Timestamp'}[]`;

/** A type of arguments and results: what functions work on, and how that comes from a value and becomes one again. */
export interface Type<T> {
  readonly name: TypeName;
  /** @throws EXPRESSION_FAILED when the value cannot become one of this type */
  read(value: PresentValue): T;
  write(raw: T): Value;
}

const asIs = <T extends Value>(raw: T): Value => raw;

/** The integer of 32 bits. */
export const int: Type<number> = { name: 'int', read: toInt, write: asIs };
/** The integer of 64 bits, exact. */
export const long: Type<bigint> = { name: 'long', read: toLong, write: longValue };
/** The same integer where it is an instant or a span, as JavaScript counts. */
export const millis: Type<number> = {
  name: 'long',
  read: (value) => (typeof value === 'number' && Number.isInteger(value) ? value : Number(toLong(value))),
  // What 64 bits cannot hold is the largest that they can, as java.util.concurrent.TimeUnit has it.
  write: saturatedLong,
};
export const double: Type<number> = { name: 'double', read: toDouble, write: doubleValue };
export const float: Type<number> = { name: 'float', read: toFloat, write: (raw) => new Float(raw) };
export const decimal: Type<Decimal> = { name: 'BigDecimal', read: toDecimal, write: asIs };
export const boolean: Type<boolean> = { name: 'boolean', read: toBoolean, write: asIs };
export const timestamp: Type<Timestamp> = { name: 'Timestamp', read: toTimestamp, write: asIs };
export const text: Type<string> = { name: 'String', read: toText, write: asIs };
export const bytes: Type<Uint8Array> = { name: 'byte[]', read: toBytes, write: asIs };
export const map: Type<Readonly<Record<string, Value>>> = { name: 'Map', read: toMap, write: asIs };
/** Any value, as it is. */
export const object: Type<Value> = { name: 'Object', read: (value) => value, write: asIs };

export const ints = listOf(int);
export const longs = listOf(long);
export const instants = listOf(millis);
export const floats = listOf(float);
export const doubles = listOf(double);
export const texts: Type<readonly string[]> = {
  name: 'String[]',
  read: (value) => toList(value, Array.isArray(value) ? toElementText : toText),
  write: asIs,
};
/** Timestamps, which no other value becomes. */
export const timestamps: Type<readonly Timestamp[]> = {
  name: 'Timestamp[]',
  read: () => {
    throw expressionFailed('Expected a list of timestamps, as toTimestampMV gives it.');
  },
  write: asIs,
};

function listOf<T>(element: Type<T>): Type<readonly T[]> {
  return {
    name: `${element.name as 'int'}[]`,
    read: (value) => toList(value, (each) => element.read(each)),
    write: (raw) => raw.map((each) => element.write(each)),
  };
}
