import { QuireError } from '@quire/core';
import { quoteLiteral } from '../conversion/column-plan.ts';

/** The scalar types of Apache Pinot; a list of them has the suffix `_ARRAY`. */
export type ScalarType =
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
  | 'MAP'
  | 'NULL';
export type PinotType = ScalarType | `${ScalarType}_ARRAY`;

/** An expression in DuckDB's SQL that can be used as an operand, and its type. */
export interface Typed {
  readonly sql: string;
  readonly type: PinotType;
  /** The text of its value, if it is a constant number or text. */
  readonly constant?: string | undefined;
  /**
   * The column as it is stored, with its type of DuckDB, if that is not a type of Apache Pinot:
   * dates, UUIDs, unsigned integers.
   */
  readonly stored?: { readonly sql: string; readonly type: string } | undefined;
}

export function typed(type: PinotType, sql: string): Typed {
  return { sql, type };
}

export function textConstant(value: string): Typed {
  return { sql: quoteLiteral(value), type: 'STRING', constant: value };
}

/** Returns a number constant: integers of 32 and 64 bits; all others are DOUBLE. */
export function numberConstant(text: string): Typed {
  const isInteger = /^-?\d+$/.test(text);
  const value = isInteger ? BigInt(text) : 0n;
  if (isInteger && BigInt.asIntN(64, value) === value) {
    const sql = value < 0n ? `(${value})` : String(value);
    return { sql, type: BigInt.asIntN(32, value) === value ? 'INT' : 'LONG', constant: text };
  }
  const sql = doubleText(text);
  return { sql: text.startsWith('-') ? `(${sql})` : sql, type: 'DOUBLE', constant: text };
}

/** Writes a DOUBLE. DuckDB parses a number without an exponent as a decimal. */
function doubleText(text: string): string {
  return /e/i.test(text) ? text : `${text.endsWith('.') ? `${text}0` : text}e0`;
}

export const nullValue: Typed = { sql: 'NULL', type: 'NULL' };

export function isArray(type: PinotType): boolean {
  return type.endsWith('_ARRAY');
}

export function elementOf(type: PinotType): ScalarType {
  return type.replace(/_ARRAY$/, '') as ScalarType;
}

export function arrayOf(type: ScalarType): PinotType {
  return `${type}_ARRAY`;
}

const numericTypes: readonly PinotType[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];

export function isNumeric(type: PinotType): boolean {
  return numericTypes.includes(type);
}

export function isText(type: PinotType): boolean {
  return type === 'STRING' || type === 'JSON';
}

const sqlTypes: Readonly<Record<ScalarType, string>> = {
  INT: 'INTEGER',
  LONG: 'BIGINT',
  FLOAT: 'FLOAT',
  DOUBLE: 'DOUBLE',
  BIG_DECIMAL: 'DECIMAL(38, 10)',
  BOOLEAN: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMP',
  STRING: 'VARCHAR',
  JSON: 'JSON',
  BYTES: 'BLOB',
  MAP: 'MAP(VARCHAR, JSON)',
  NULL: 'INTEGER',
};

/** Returns the DuckDB type that holds values of a type. */
export function sqlTypeOf(type: PinotType): string {
  return `${sqlTypes[elementOf(type)]}${isArray(type) ? '[]' : ''}`;
}

const typeNames: Readonly<Record<string, ScalarType>> = {
  INT: 'INT',
  INTEGER: 'INT',
  TINYINT: 'INT',
  SMALLINT: 'INT',
  LONG: 'LONG',
  BIGINT: 'LONG',
  FLOAT: 'FLOAT',
  REAL: 'FLOAT',
  DOUBLE: 'DOUBLE',
  BIG_DECIMAL: 'BIG_DECIMAL',
  DECIMAL: 'BIG_DECIMAL',
  NUMERIC: 'BIG_DECIMAL',
  BOOLEAN: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMP',
  DATE: 'TIMESTAMP',
  STRING: 'STRING',
  VARCHAR: 'STRING',
  CHAR: 'STRING',
  JSON: 'JSON',
  BYTES: 'BYTES',
  VARBINARY: 'BYTES',
  BINARY: 'BYTES',
};

/** Returns the type of a name, such as `INT` or `STRING_ARRAY`. @throws QUERY_INVALID */
export function typeOfName(name: string): PinotType {
  const upper = name.toUpperCase();
  const element = typeNames[upper.replace(/_ARRAY$/, '')];
  if (element === undefined) {
    throw invalid(
      `‘${name}’ is not a type: expected ${[...new Set(Object.values(typeNames))].join(', ')}, or one of them with _ARRAY.`,
    );
  }
  return upper.endsWith('_ARRAY') ? arrayOf(element) : element;
}

/** Returns the type of Apache Pinot for a type of DuckDB; undefined if it is text there. */
export function typeOfSql(sqlType: string): PinotType | undefined {
  if (sqlType.endsWith('[]')) {
    const element = typeOfSql(sqlType.slice(0, -2));
    return element === undefined || isArray(element) ? undefined : arrayOf(elementOf(element));
  }
  if (/^(?:DECIMAL|UBIGINT|U?HUGEINT)/.test(sqlType)) return 'BIG_DECIMAL';
  if (sqlType.startsWith('TIMESTAMP')) return 'TIMESTAMP';
  if (sqlType.startsWith('MAP(VARCHAR')) return 'MAP';
  if (/^U(?:TINY|SMALL)INT$/.test(sqlType)) return 'INT';
  if (sqlType === 'UINTEGER') return 'LONG';
  if (sqlType === 'BLOB') return 'BYTES';
  return typeNames[sqlType === 'DATE' ? '' : sqlType];
}

/**
 * Builds an expression that uses a value several times and computes it once: a short expression is
 * repeated, a longer one becomes the parameter of a lambda, because the text would grow with every
 * level.
 */
export function once(value: string, use: (name: string) => string): string {
  if (value.length <= 60) return use(value);
  let name = 'v1';
  for (let level = 2; value.includes(name); level += 1) name = `v${level}`;
  return `list_transform([${value}], lambda ${name}: ${use(name)})[1]`;
}

export function invalid(message: string): QuireError {
  return new QuireError('QUERY_INVALID', message);
}
