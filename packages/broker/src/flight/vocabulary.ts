import type { SqlServerDescription, TypeEntry } from '@quire/flight';
import type { BrokerOptions } from '../broker-options.ts';

/** The one catalog and the one schema, which contain every table. */
export const catalogName = 'quire';
export const dbSchemaName = 'main';
export const tableType = 'TABLE';

/** A broker's description of itself, and of the SQL that its engine accepts. */
export function serverDescriptionOf({ version, dialects }: BrokerOptions): SqlServerDescription {
  return {
    name: 'Quire',
    version,
    arrowVersion: '21.0.0',
    ...(isPinotOnly(dialects) ? pinotWords : duckdbWords),
    extraNameCharacters: '',
    statementBytesMax: 1024 * 1024,
  };
}

/** Returns the types of columns, with their ODBC numbers. */
export function typeEntriesOf({ dialects }: BrokerOptions): readonly TypeEntry[] {
  return isPinotOnly(dialects) ? pinotTypes : duckdbTypes;
}

/** True if queries run on a cluster of Apache Pinot, which has one language. */
function isPinotOnly(dialects: BrokerOptions['dialects']): boolean {
  return dialects?.known.every((dialect) => dialect === 'pinot') ?? false;
}

type Words = Pick<SqlServerDescription, 'keywords' | 'functions'>;

const duckdbWords: Words = {
  keywords: ['ASOF', 'EXCLUDE', 'ILIKE', 'PIVOT', 'QUALIFY', 'SAMPLE', 'UNPIVOT'],
  functions: {
    numeric: [
      'ABS',
      'CEIL',
      'EXP',
      'FLOOR',
      'LN',
      'LOG10',
      'MOD',
      'POWER',
      'ROUND',
      'SIGN',
      'SQRT',
    ],
    text: ['CONCAT', 'LENGTH', 'LOWER', 'LTRIM', 'REPLACE', 'RTRIM', 'SUBSTRING', 'TRIM', 'UPPER'],
    system: ['COALESCE', 'IFNULL', 'NULLIF'],
    datetime: ['DATE_TRUNC', 'DAYOFMONTH', 'EXTRACT', 'HOUR', 'MINUTE', 'MONTH', 'SECOND', 'YEAR'],
  },
};

/** Functions that both engines of Apache Pinot have, single-stage and multi-stage. */
const pinotWords: Words = {
  keywords: ['DATETRUNC', 'LOOKUP', 'OPTION', 'TEXT_MATCH', 'JSON_MATCH', 'VECTOR_SIMILARITY'],
  functions: {
    numeric: ['ABS', 'CEIL', 'EXP', 'FLOOR', 'LN', 'LOG10', 'MOD', 'POWER', 'SIGN', 'SQRT'],
    text: ['CONCAT', 'LENGTH', 'LOWER', 'LTRIM', 'REPLACE', 'RTRIM', 'SUBSTR', 'TRIM', 'UPPER'],
    system: ['COALESCE', 'NULLIF'],
    datetime: ['DATETRUNC', 'DAYOFMONTH', 'HOUR', 'MINUTE', 'MONTH', 'NOW', 'SECOND', 'YEAR'],
  },
};

const number = (name: string, dataType: number, columnSize: number): TypeEntry => ({
  name,
  dataType,
  columnSize,
  literalQuote: null,
  isUnsigned: false,
});

const quoted = (name: string, dataType: number, columnSize: number | null): TypeEntry => ({
  name,
  dataType,
  columnSize,
  literalQuote: "'",
  isUnsigned: null,
});

const duckdbTypes: readonly TypeEntry[] = [
  { ...number('BOOLEAN', -7, 1), isUnsigned: null },
  number('TINYINT', -6, 3),
  number('BIGINT', -5, 19),
  quoted('BLOB', -3, null),
  { ...number('DECIMAL', 3, 38), createParameters: ['precision', 'scale'] },
  number('INTEGER', 4, 10),
  number('SMALLINT', 5, 5),
  number('REAL', 7, 7),
  number('DOUBLE', 8, 15),
  { ...quoted('VARCHAR', 12, null), isCaseSensitive: true },
  quoted('DATE', 91, 10),
  quoted('TIME', 92, 15),
  quoted('TIMESTAMP', 93, 29),
];

/** The types of columns of Apache Pinot; BIG_DECIMAL and JSON are read as text. */
const pinotTypes: readonly TypeEntry[] = [
  { ...number('BOOLEAN', -7, 1), isUnsigned: null },
  number('LONG', -5, 19),
  quoted('BYTES', -3, null),
  number('INT', 4, 10),
  number('FLOAT', 7, 7),
  number('DOUBLE', 8, 15),
  quoted('BIG_DECIMAL', 12, null),
  quoted('JSON', 12, null),
  { ...quoted('STRING', 12, null), isCaseSensitive: true },
  quoted('TIMESTAMP', 93, 23),
];
