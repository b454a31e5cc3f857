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

/** Types of columns that values are converted to. */
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
  TIMESTAMP: (value) => plainValue(toLong(toTimestamp(value))),
  STRING: toText,
  JSON: toJson,
  BYTES: toBytes,
  MAP: (value) => plainValue(toMap(value)),
};

/**
 * A value as a column of single values holds it; null where there is none in it. @throws
 * EXPRESSION_FAILED
 */
export function toColumn(value: PresentValue, type: ColumnType): SourceValue {
  if (type === 'JSON' || type === 'MAP') {
    if (Array.isArray(value) && value[0] === null) {
      throw expressionFailed('A list that begins with null cannot become JSON.');
    }
    return conversions[type](value);
  }
  const single = standardize(value, true);
  return single === null ? null : conversions[type](single);
}

/**
 * A value as a column of several values holds it; null where there is none in it. @throws
 * EXPRESSION_FAILED
 */
export function toMultiColumn(value: PresentValue, type: ColumnType): SourceValue {
  const standard = standardize(value, false);
  if (standard === null) return null;
  const elements = (Array.isArray(standard) ? standard : [standard]) as readonly PresentValue[];
  const [first] = elements;
  return elements.map((element) => conversions[type](likeFirst(element, first ?? '', type)));
}

/**
 * The elements of a list have the type of the first: behind a text all are read as text, and to
 * BOOLEAN, TIMESTAMP and BYTES others fail.
 */
function likeFirst(element: PresentValue, first: PresentValue, type: ColumnType): PresentValue {
  if (
    typeof first === 'string' &&
    element instanceof Uint8Array &&
    type !== 'STRING' &&
    type !== 'BOOLEAN'
  ) {
    throw expressionFailed('A list that begins with text has bytes in it.');
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
 * The values in lists and maps: none is null, a single one itself, several a list where there may
 * be one.
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
      `A collection of ${standard.length} values does not fit a single value.`,
    );
  }
  return standard;
}

/**
 * A value of a source as the engine's extractors give it to the pipeline: Booleans are texts, maps
 * have the order of Java's.
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

/** A value as the engine copies it with its row: its maps have the order of copies. */
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
 * A value of the pipeline as rows show it: numbers as numbers, decimals as text, timestamps in
 * epoch milliseconds.
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
 * Names in the order in which a HashMap of Java has them: maps of rows are written so, and columns
 * are renamed so.
 */
export function hashMapOrder(names: readonly string[], capacity: number): readonly string[] {
  if (names.length < 2) return names;
  return names
    .map((name, index) => ({ name, index, bucket: (capacity - 1) & spreadHash(name) }))
    .toSorted((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ name }) => name);
}

/**
 * How many buckets a map has that was made for `count` entries (Guava's
 * newHashMapWithExpectedSize).
 */
function expectedCapacity(count: number): number {
  return powerOfTwo(count < 3 ? count + 1 : Math.ceil(count / 0.75));
}

/** Returns the number of buckets of a map that was copied from one of `count` entries. */
function copiedCapacity(count: number): number {
  return powerOfTwo(Math.trunc(count / 0.75 + 1));
}

/** How many buckets a map has that has grown to `count` entries. */
export function grownCapacity(count: number): number {
  return Math.max(16, powerOfTwo(Math.ceil(count / 0.75)));
}

/**
 * The order of a HashMap that is emptied and filled again, row after row: it keeps the buckets that
 * it has grown to.
 */
export class MapOrder {
  #capacity = 0;

  /** Grows to as many entries. */
  grow(count: number): void {
    this.#capacity = Math.max(this.#capacity, grownCapacity(count));
  }

  of(names: readonly string[]): readonly string[] {
    this.grow(names.length);
    return hashMapOrder(names, this.#capacity);
  }
}

/** The order of a map of `before` names of a row that the others were added to. */
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
