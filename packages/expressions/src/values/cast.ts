import { expressionFailed } from '../language/expression-error.ts';
import {
  saturatedLong,
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toFloat,
  toInt,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from './convert.ts';
import { parseDouble, parseWhole } from './java-text.ts';
import { parseExactJson, writeJson } from './json.ts';
import { parseTimestamp } from './timestamp-text.ts';
import { doubleValue, Float, type PresentValue, type Value } from './value.ts';

const conversions: Readonly<Record<string, (value: PresentValue) => Value>> = {
  INTEGER: (value) => (typeof value === 'string' ? intOfText(value.trim()) : toInt(value)),
  LONG: (value) => (typeof value === 'string' ? longOfText(value.trim()) : toLong(value)),
  FLOAT: (value) => new Float(toFloat(value)),
  DOUBLE: (value) => doubleValue(toDouble(value)),
  BIG_DECIMAL: toDecimal,
  BOOLEAN: toBoolean,
  TIMESTAMP: toTimestamp,
  STRING: toText,
  JSON: toJson,
  BYTES: toBytes,
  MAP: toMap,
  OBJECT: (value) => value,
};

const aliases: Readonly<Record<string, string>> = {
  INT: 'INTEGER',
  BIGINT: 'LONG',
  DECIMAL: 'BIG_DECIMAL',
  VARBINARY: 'BYTES',
  VARCHAR: 'STRING',
};

/** How a value becomes one of a type. @throws EXPRESSION_FAILED when it cannot */
export type Cast = (value: PresentValue) => Value;

/** Finds a type by its name in the engine or in SQL. @throws EXPRESSION_FAILED when it is unknown */
export function parseCast(type: string): Cast {
  const upper = type.toUpperCase();
  const name = Object.hasOwn(aliases, upper) ? (aliases[upper] ?? upper) : upper;
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
  if (convert === undefined) {
    throw expressionFailed(`${type.slice(0, 40)} is not a type: expected ${Object.keys(conversions).join(', ')}.`);
  }
  return (value) => {
    if (Array.isArray(value)) throw expressionFailed(`A list cannot become ${upper}.`);
    return convert(value);
  };
}

/** JSON as a JSON column holds it: text that is JSON without blanks, other text and values written as JSON. */
export function toJson(value: PresentValue): string {
  if (typeof value !== 'string') return writeJson(value);
  if (value.trim() === '') return '';
  let parsed: Value;
  try {
    parsed = parseExactJson(value);
  } catch {
    return writeJson(value);
  }
  return writeJson(parsed);
}

function intOfText(text: string): number {
  return /^[+-]?\d+$/.test(text) && fits(text, 32)
    ? Number(text)
    : Math.trunc(Math.min(Math.max(parseDouble(text), -(2 ** 31)), 2 ** 31 - 1)) || 0;
}

function longOfText(text: string): bigint {
  try {
    return /^[+-]?\d+$/.test(text) ? parseWhole(text, 64) : BigInt(parseTimestamp(text));
  } catch {
    return saturatedLong(parseDouble(text));
  }
}

function fits(text: string, bits: number): boolean {
  const whole = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(bits, whole) === whole;
}
