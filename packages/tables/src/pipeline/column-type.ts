import { writeLosslessJson } from '@quire/core';
import {
  Decimal,
  expressionFailed,
  Float,
  isMap,
  javaText,
  type PresentValue,
  Timestamp,
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toFloat,
  toInt,
  toJson,
  toLong,
  toMap,
  toText,
  toTimestamp,
  typeOf,
  type Value,
  WholeDouble,
} from '../expressions/index.ts';
import type { SourceValue } from '../row.ts';

/** The types of columns that values are converted to. */
export type ColumnType =
  | 'INT'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIG_DECIMAL'
  | 'BOOLEAN'
  | 'TIMESTAMP'
  | 'STRING'
  | 'JSON'
  | 'BYTES'
  | 'MAP';

const conversions: Readonly<Record<ColumnType, (value: PresentValue) => SourceValue>> = {
  INT: toInt,
  LONG: (value) => plainValue(toLong(value)),
  FLOAT: toFloat,
  DOUBLE: toDouble,
  BIG_DECIMAL: (value) => toDecimal(value).toString(),
  BOOLEAN: toBoolean,
  TIMESTAMP: toInstant,
  STRING: (value) => wellFormed(toText(value)),
  JSON: (value) => wellFormedJson(toJson(value)),
  BYTES: toBytes,
  MAP: toWellFormedMap,
};

/** Converts a value to epoch milliseconds. @throws EXPRESSION_FAILED outside the calendar */
function toInstant(value: PresentValue): SourceValue {
  const { epochMs } = toTimestamp(value);
  // One such value in a file fails all queries that read it.
  if (!isInCalendar(epochMs)) {
    throw expressionFailed(
      `‘${javaText(value).slice(0, 60)}’ is outside the calendar, which ends in the year 275760; expected milliseconds since 1970.`,
    );
  }
  return plainValue(toLong(new Timestamp(epochMs)));
}

/** @throws EXPRESSION_FAILED when a text has no form in UTF-8: it would be stored with U+FFFD */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw notWellFormed();
}

function notWellFormed(): Error {
  return expressionFailed(
    'The text has half of a surrogate pair; expected Unicode text: it was cut in the middle of a character.',
  );
}

/** Matches the escape of half of a surrogate pair, in the JSON that the runtime writes. */
const halfInJson = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** Checks the texts in JSON: DuckDB reads JSON with half of a pair as null. */
function wellFormedJson(json: string): string {
  if (json.includes('\\ud') && halfInJson.test(json)) throw notWellFormed();
  return wellFormed(json);
}

function toWellFormedMap(value: PresentValue): SourceValue {
  const map = plainValue(toMap(value));
  wellFormedJson(writeLosslessJson(map));
  return map;
}

/**
 * The last instant of the runtime's calendar, in epoch milliseconds; the first is equally far
 * before 1970.
 */
const calendarEndMs = 8.64e15;

/** Reports whether an instant is in the runtime's calendar. */
export function isInCalendar(epochMs: number): boolean {
  return Math.abs(epochMs) <= calendarEndMs;
}

/**
 * Converts a value for a single-value column; null if it contains none. @throws EXPRESSION_FAILED
 */
export function toColumn(value: PresentValue, type: ColumnType): SourceValue {
  if (type === 'JSON' || type === 'MAP') {
    if (Array.isArray(value) && value[0] === null) {
      throw expressionFailed('A list that starts with null cannot be converted to JSON.');
    }
    return conversions[type](value);
  }
  const single = standardize(value, true);
  return single === null ? null : conversions[type](single);
}

/**
 * Converts a value for a multi-value column; null if it contains none. @throws EXPRESSION_FAILED
 */
export function toMultiColumn(value: PresentValue, type: ColumnType): SourceValue {
  const standard = standardize(value, false);
  if (standard === null) return null;
  const elements = (Array.isArray(standard) ? standard : [standard]) as readonly PresentValue[];
  const [first] = elements;
  return elements.map((element) => conversions[type](likeFirst(element, first ?? '', type)));
}

/**
 * Converts the elements of a list to the type of the first one: if that is a text, all become text;
 * in columns of BOOLEAN, TIMESTAMP and BYTES other types fail.
 */
function likeFirst(element: PresentValue, first: PresentValue, type: ColumnType): PresentValue {
  if (
    typeof first === 'string' &&
    element instanceof Uint8Array &&
    type !== 'STRING' &&
    type !== 'BOOLEAN'
  ) {
    throw expressionFailed('A list that starts with text contains bytes.');
  }
  if (typeof first === 'string' || type === 'STRING') {
    return typeof first === 'string' || Array.isArray(element) ? javaText(element) : element;
  }
  const isStrict = type === 'BOOLEAN' || type === 'TIMESTAMP' || type === 'BYTES';
  if (isStrict && typeOf(element) !== typeOf(first)) {
    throw expressionFailed('The values of a list have several types.');
  }
  return element;
}

/**
 * Returns the values in lists and maps without nulls: null if there are none, a single value as
 * itself, several as a list if the column may have one.
 */
function standardize(value: Value, isSingle: boolean): Value {
  if (!Array.isArray(value) && !isMap(value)) return value;
  const given: readonly Value[] = Array.isArray(value)
    ? (value as readonly Value[])
    : Object.values(value);
  if (given.length === 1) return standardize(given[0] ?? null, isSingle);
  const standard = given
    .map((element) => standardize(element, true))
    .filter((element) => element !== null);
  if (standard.length === 0) return null;
  if (standard.length === 1) return standard[0] ?? null;
  if (isSingle) {
    throw expressionFailed(
      `A collection of ${standard.length} values cannot be converted to a single value.`,
    );
  }
  return standard;
}

/**
 * Returns a value as Apache Pinot's extractors pass it to the pipeline: Booleans are texts, and
 * maps have the order of Java's HashMap.
 */
export function extractValue(value: Value): Value {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(extractValue);
  if (!isMap(value)) return value;
  const names = Object.keys(value);
  const members = Object.create(null) as Record<string, Value>;
  for (const name of hashMapOrder(names, expectedCapacity(names.length))) {
    members[name] = extractValue(value[name] ?? null);
  }
  return members;
}

/**
 * Returns a value as Apache Pinot copies it with its row: its maps have the order of copied maps.
 */
export function copiedValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(copiedValue);
  if (!isMap(value)) return value;
  const names = Object.keys(value);
  const copy = Object.create(null) as Record<string, Value>;
  for (const name of hashMapOrder(names, copiedCapacity(names.length))) {
    copy[name] = copiedValue(value[name] ?? null);
  }
  return copy;
}

/**
 * Returns a value of the pipeline as in displayed rows: numbers as numbers, decimals as text,
 * timestamps in epoch milliseconds.
 */
export function plainValue(value: Value): SourceValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (value instanceof WholeDouble || value instanceof Float) return value.value;
  if (value instanceof Decimal) return value.toPlainString();
  if (value instanceof Timestamp) return value.epochMs;
  if (Array.isArray(value)) return (value as readonly Value[]).map(plainValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, Value]) => [name, plainValue(member)]),
  );
}

/**
 * Returns names in the iteration order of Java's HashMap: maps of rows are written, and columns
 * renamed, in this order.
 */
export function hashMapOrder(names: readonly string[], capacity: number): readonly string[] {
  if (names.length < 2) return names;
  return names
    .map((name, index) => ({ name, index, bucket: (capacity - 1) & spreadHash(name) }))
    .toSorted((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ name }) => name);
}

/**
 * Returns the number of buckets of a map that was created for `count` entries (Guava's
 * newHashMapWithExpectedSize).
 */
function expectedCapacity(count: number): number {
  return powerOfTwo(count < 3 ? count + 1 : Math.ceil(count / 0.75));
}

/** Returns the number of buckets of a map that was copied from one of `count` entries. */
function copiedCapacity(count: number): number {
  return powerOfTwo(Math.trunc(count / 0.75 + 1));
}

/** Returns the number of buckets of a map that has grown to `count` entries. */
export function grownCapacity(count: number): number {
  return Math.max(16, powerOfTwo(Math.ceil(count / 0.75)));
}

/**
 * The order of a HashMap that is cleared and refilled for each row: its number of buckets never
 * shrinks.
 */
export class MapOrder {
  #capacity = 0;

  /** Grows to at least this many entries. */
  grow(count: number): void {
    this.#capacity = Math.max(this.#capacity, grownCapacity(count));
  }

  of(names: readonly string[]): readonly string[] {
    this.grow(names.length);
    return hashMapOrder(names, this.#capacity);
  }
}

/** Returns the order of a map of a row that had `before` names before the others were added. */
export function grownMapOrder(names: readonly string[], before: number): readonly string[] {
  const grown = powerOfTwo(Math.ceil(names.length / 0.75));
  return hashMapOrder(names, Math.max(expectedCapacity(before), grown));
}

function powerOfTwo(wanted: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, wanted)));
}

function spreadHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0;
  }
  return hash ^ (hash >>> 16);
}
