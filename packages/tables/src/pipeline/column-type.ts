import {
  expressionFailed,
  isMap,
  javaText,
  type PresentValue,
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
} from '@quire/expressions';
import type { SourceValue } from '../row.ts';
import { plainValue } from './extract-value.ts';

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

/** A value as a column of single values holds it; null where there is none in it. @throws EXPRESSION_FAILED */
export function toColumn(value: PresentValue, type: ColumnType): SourceValue {
  if (type === 'JSON' || type === 'MAP') {
    if (Array.isArray(value) && value[0] === null) throw expressionFailed('A list that begins with null cannot become JSON.');
    return conversions[type](value);
  }
  const single = standardize(value, true);
  return single === null ? null : conversions[type](single);
}

/** A value as a column of several values holds it; null where there is none in it. @throws EXPRESSION_FAILED */
export function toMultiColumn(value: PresentValue, type: ColumnType): SourceValue {
  const standard = standardize(value, false);
  if (standard === null) return null;
  const elements = (Array.isArray(standard) ? standard : [standard]) as readonly PresentValue[];
  const [first] = elements;
  return elements.map((element) => conversions[type](likeFirst(element, first ?? '', type)));
}

/**
 * The elements of a list have the type of the first: behind a text all are read as text, and to BOOLEAN, TIMESTAMP and BYTES others fail.
 */
function likeFirst(element: PresentValue, first: PresentValue, type: ColumnType): PresentValue {
  if (typeof first === 'string' || type === 'STRING') {
    return typeof first === 'string' || Array.isArray(element) ? javaText(element) : element;
  }
  const isStrict = type === 'BOOLEAN' || type === 'TIMESTAMP' || type === 'BYTES';
  if (isStrict && typeOf(element) !== typeOf(first)) throw expressionFailed('The values of a list have several types.');
  return element;
}

/** The values in lists and maps: none is null, a single one itself, several a list where there may be one. */
function standardize(value: Value, isSingle: boolean): Value {
  if (!Array.isArray(value) && !isMap(value)) return value;
  const given: readonly Value[] = Array.isArray(value) ? (value as readonly Value[]) : Object.values(value);
  if (given.length === 1) return standardize(given[0] ?? null, isSingle);
  const standard = given.map((element) => standardize(element, true)).filter((element) => element !== null);
  if (standard.length === 0) return null;
  if (standard.length === 1) return standard[0] ?? null;
  if (isSingle) throw expressionFailed(`A collection of ${standard.length} values does not fit a single value.`);
  return standard;
}
