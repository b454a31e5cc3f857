import { expressionFailed } from './expression-error.ts';
import {
  Decimal,
  Float,
  isMap,
  type PresentValue,
  Timestamp,
  typeOf,
  type Value,
  WholeDouble,
} from './value.ts';
import {
  javaText,
  javaTrim,
  parseDouble,
  parseTimestamp,
  parseWhole,
  textOfDouble,
  textOfFloat,
} from './text.ts';
import { parseJson, writeJson } from './json.ts';

/**
 * Conversions of values to other types, equivalent to Apache Pinot's PinotDataType for arguments
 * and columns. A list is converted to a single value by its first element, which must be a number
 * if a number is required.
 *
 * @throws EXPRESSION_FAILED in each of them, when the value cannot be converted
 */
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/** Converts a value to an INT. @throws when it is not an integer of 32 bits */
export function toInt(value: PresentValue): number {
  if (typeof value === 'number' && (value | 0) === value) return value | 0;
  if (typeof value === 'string') return Number(parseWhole(javaTrim(value), 32));
  const number = numberOf(value, 'INT');
  if (typeof number === 'bigint') return Number(BigInt.asIntN(32, number));
  if (typeOf(value) === 'LONG') return number | 0;
  return Number.isNaN(number)
    ? 0
    : Math.trunc(Math.min(Math.max(number, -(2 ** 31)), 2 ** 31 - 1)) | 0;
}

/** Converts a value to a LONG. @throws when it is not an integer of 64 bits */
export function toLong(value: PresentValue): bigint {
  if (typeof value === 'bigint') {
    // JSON and unsigned columns of Parquet have larger ones.
    if (value >= longMin && value <= longMax) return value;
    throw expressionFailed(`${String(value).slice(0, 40)} is not an integer of 64 bits.`);
  }
  if (typeof value === 'string') return parseWhole(javaTrim(value), 64);
  if (value instanceof Timestamp) return saturatedLong(value.epochMs);
  const number = numberOf(value, 'LONG');
  return typeof number === 'bigint' ? BigInt.asIntN(64, number) : saturatedLong(number);
}

/** Converts a double to a long: truncated, clamped, and 0 for NaN. */
export function saturatedLong(number: number): bigint {
  if (Number.isNaN(number)) return 0n;
  if (number >= 2 ** 63) return longMax;
  return number <= -(2 ** 63) ? longMin : BigInt(Math.trunc(number));
}

/** Converts a value to a DOUBLE. @throws when it is not a number */
export function toDouble(value: PresentValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return parseDouble(value);
  if (value instanceof Timestamp) return value.epochMs;
  if (value instanceof Decimal) return value.toNumber();
  return Number(numberOf(value, 'DOUBLE'));
}

/** Converts a value to a FLOAT: the nearest number of 32 bits. @throws when it is not a number */
export function toFloat(value: PresentValue): number {
  if (value instanceof Timestamp) throw cannot(value, 'FLOAT');
  return Math.fround(toDouble(value));
}

/** Converts a value to a BIG_DECIMAL. @throws when it is not a number */
export function toDecimal(value: PresentValue): Decimal {
  if (value instanceof Decimal) return value;
  if (typeof value === 'string') return Decimal.parse(javaTrim(value));
  if (value instanceof Uint8Array) return Decimal.fromBytes(value);
  if (value instanceof Timestamp) return new Decimal(saturatedLong(value.epochMs), 0);
  if (Array.isArray(value)) {
    return Decimal.parse(textOfDouble(Number(numberOf(value, 'BIG_DECIMAL'))));
  }
  const number = numberOf(value, 'BIG_DECIMAL');
  const type = typeOf(value);
  if (type === 'FLOAT') return Decimal.parse(textOfFloat(Number(number)));
  return Decimal.parse(type === 'DOUBLE' ? textOfDouble(Number(number)) : String(number));
}

/** Converts a value to a BOOLEAN. @throws when it is neither true nor false */
export function toBoolean(value: PresentValue): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    const word = javaTrim(value);
    return word === '1' || word.toLowerCase() === 'true';
  }
  if (value instanceof Decimal) return value.unscaled !== 0n || value.scale !== 0;
  return Number(numberOf(value, 'BOOLEAN')) !== 0;
}

/** Converts a value to a timestamp. @throws when it is not a time */
export function toTimestamp(value: PresentValue): Timestamp {
  if (value instanceof Timestamp) return value;
  const type = typeOf(value);
  if (typeof value === 'string') return new Timestamp(parseTimestamp(javaTrim(value)));
  if (type === 'LONG' || type === 'DOUBLE' || type === 'BIG_DECIMAL' || type === 'ARRAY') {
    return new Timestamp(Number(toLong(value)));
  }
  throw cannot(value, 'TIMESTAMP');
}

/** Converts a value to text, as Apache Pinot does. */
export function toText(value: PresentValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Decimal) return value.toPlainString();
  if (Array.isArray(value)) return javaText(firstOf(value as readonly Value[]));
  if (isMap(value)) throw cannot(value, 'STRING');
  return javaText(value);
}

/**
 * Converts a value to BYTES; text is read as hexadecimal digits. @throws when it is something else
 */
export function toBytes(value: PresentValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return bytesOfHex(javaTrim(value));
  if (value instanceof Decimal) return value.toBytes();
  if (isMap(value)) return bytesOfMap(value);
  throw cannot(value, 'BYTES');
}

/** Converts a value to a MAP; text is read as JSON. @throws when it is not an object */
export function toMap(value: PresentValue): Readonly<Record<string, Value>> {
  if (isMap(value)) return value;
  const parsed = typeof value === 'string' ? parseJson(value) : null;
  if (parsed !== null && isMap(parsed)) return parsed;
  throw cannot(value, 'MAP');
}

/** Returns a list with each element converted; a single value becomes a list of one. */
export function toList<T>(
  value: PresentValue,
  convert: (element: PresentValue) => T,
): readonly T[] {
  if (!Array.isArray(value)) return [convert(value)];
  return (value as readonly Value[]).map((element) => convert(present(element)));
}

/** Returns an element of a list as text: the text form of its own type, even for a map. */
export function toElementText(element: PresentValue): string {
  return javaText(element);
}

/**
 * Returns a map as Apache Pinot stores it: the number of members, then for each its name and its
 * value as JSON, both preceded by their length; all lengths have 4 bytes.
 */
function bytesOfMap(map: Readonly<Record<string, Value>>): Uint8Array {
  const members = Object.entries(map);
  const texts = members.flatMap(([name, member]) => [
    Buffer.from(name),
    Buffer.from(writeJson(member)),
  ]);
  return Buffer.concat([
    length(members.length),
    ...texts.flatMap((text) => [length(text.length), text]),
  ]);
}

function length(bytes: number): Uint8Array {
  const written = Buffer.alloc(4);
  written.writeInt32BE(bytes);
  return written;
}

/** @throws EXPRESSION_FAILED when the text is not pairs of hex digits */
export function bytesOfHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[\da-f]*$/i.test(text)) {
    throw expressionFailed(
      `‘${text.slice(0, 40)}’ is not hexadecimal: expected pairs of hex digits.`,
    );
  }
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function numberOf(value: PresentValue, target: string): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof WholeDouble || value instanceof Float) return value.value;
  if (value instanceof Decimal) return value.toBigInt();
  if (Array.isArray(value)) {
    const first = firstOf(value as readonly Value[]);
    const type = typeOf(first);
    if (type !== 'STRING' && type !== 'BOOLEAN' && type !== 'ARRAY') return numberOf(first, target);
  }
  throw cannot(value, target);
}

function firstOf(list: readonly Value[]): PresentValue {
  return present(list[0] ?? null);
}

function present(element: Value): PresentValue {
  if (element === null) {
    throw expressionFailed('The list is empty, but a single value is expected.');
  }
  return element;
}

function cannot(value: Value, target: string): Error {
  return expressionFailed(`A value of type ${typeOf(value)} cannot be converted to ${target}.`);
}
