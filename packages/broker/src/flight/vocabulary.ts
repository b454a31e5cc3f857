import type { SqlServerDescription, TypeEntry } from '@quire/flight';
import type { BrokerOptions } from '../broker-options.ts';

/** The one catalog and the one schema, which every table is in. */
export const catalogName = 'quire';
export const dbSchemaName = 'main';
export const tableType = 'TABLE';

/** What a broker says of itself and of the SQL that it takes. */
export function serverDescriptionOf({ version }: BrokerOptions): SqlServerDescription {
  return {
    name: 'Quire',
    version,
    arrowVersion: '21.0.0',
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
      text: [
        'CONCAT',
        'LENGTH',
        'LOWER',
        'LTRIM',
        'REPLACE',
        'RTRIM',
        'SUBSTRING',
        'TRIM',
        'UPPER',
      ],
      system: ['COALESCE', 'IFNULL', 'NULLIF'],
      datetime: [
        'DATE_TRUNC',
        'DAYOFMONTH',
        'EXTRACT',
        'HOUR',
        'MINUTE',
        'MONTH',
        'SECOND',
        'YEAR',
      ],
    },
    extraNameCharacters: '',
    statementBytesMax: 1024 * 1024,
  };
}

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

/** The types of columns, by the numbers that ODBC has for them. */
export const typeEntries: readonly TypeEntry[] = [
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
