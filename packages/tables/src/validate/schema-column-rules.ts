import { isQuireError } from '@quire/core';
import { javaText, type Value } from '../expressions/index.ts';
import { type ColumnType, toColumn } from '../pipeline/column-type.ts';
import { type DataType, plainDataTypes } from '../config/table-schema.ts';
import { isRecord } from '../model/document.ts';
import {
  type CheckedSchema,
  type Column,
  type Fault,
  placed,
  repeated,
  rulesAbout,
  type SchemaRule,
} from './rule.ts';

const { error, warning } = rulesAbout<CheckedSchema>('schema');

const complexTypes: readonly DataType[] = ['MAP', 'LIST'];
const metricTypes: readonly DataType[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BYTES'];

/** The types whose default Apache Pinot reads with the white space around it. */
const trimless: readonly DataType[] = ['INT', 'LONG', 'BIG_DECIMAL', 'TIMESTAMP', 'BYTES'];

/** Rules about the columns of a schema and its primary key. */
export const schemaColumnRules = [
  error('SCHEMA_NAME_MISSING', 'A schema must have a name.', function* ({ schema }) {
    if ((schema.schemaName ?? '').trim() === '') {
      yield ['/schemaName', 'The schemaName is missing or empty.'];
    }
  }),
  warning(
    'SCHEMA_NAME_UNDERSCORES',
    'Schema names should not contain two consecutive underscores, since table names cannot.',
    function* ({ schema }) {
      if (schema.schemaName?.includes('__') !== true) return;
      yield [
        '/schemaName',
        `A table cannot be named ${schema.schemaName}, as ‘__’ separates parts of segment names.`,
      ];
    },
  ),
  warning('SCHEMA_EMPTY', 'A schema should have columns.', function* ({ columns }) {
    if (columns.length === 0) yield ['', 'The schema has no columns.'];
  }),
  ofColumn('COLUMN_NAME_MISSING', 'Every column must have a name.', ({ name }) =>
    name === '' ? ['/name', 'The column has no name.'] : undefined,
  ),
  ofColumn('COLUMN_NAME_WHITESPACE', 'Column names must not contain white space.', ({ name }) =>
    /\s/.test(name) ? ['/name', `The column name ‘${name}’ contains white space.`] : undefined,
  ),
  warning(
    'COLUMN_NAME_RESERVED',
    'Column names should not start with $, which is reserved for columns that the engine creates.',
    function* ({ columns }) {
      for (const { name, path } of columns) {
        if (!name.startsWith('$')) continue;
        yield [
          `${path}/name`,
          `The column name ${name} starts with $, which is reserved for columns that the engine creates.`,
        ];
      }
    },
  ),
  error('COLUMN_NAME_DUPLICATE', 'Column names must be unique.', ({ columns }) => {
    const names = columns.map(({ path, name }) => [`${path}/name`, name] as const);
    return repeated(names, (name) => `The column name ${name} is repeated.`);
  }),
  warning(
    'COLUMN_NAME_CASE',
    'Column names should not differ by case only: queries may not distinguish them.',
    function* ({ columns }) {
      const names = new Map<string, string>();
      for (const { name, path } of columns) {
        const other = names.get(name.toLowerCase());
        if (other !== undefined && other !== name) {
          yield [`${path}/name`, `${name} and ${other} differ by case only.`];
        }
        names.set(name.toLowerCase(), name);
      }
    },
  ),
  ofColumn('COLUMN_TYPE_MISSING', 'Every column must have a dataType.', ({ name, dataType }) =>
    dataType === undefined ? ['/dataType', `The column ${name} has no dataType.`] : undefined,
  ),
  ofColumn(
    'DIMENSION_TYPE',
    `The dataType of a dimension or date-time column must be one of ${plainDataTypes.join(', ')}.`,
    ({ kind, name, dataType }) => {
      const isWrong =
        (kind === 'dimension' || kind === 'dateTime') &&
        dataType !== undefined &&
        !isPlain(dataType);
      return isWrong
        ? [
            '/dataType',
            `${name} cannot have the dataType ${dataType} here: move it to complexFieldSpecs.`,
          ]
        : undefined;
    },
  ),
  ofColumn(
    'METRIC_TYPE',
    `The dataType of a metric must be one of ${metricTypes.join(', ')}.`,
    ({ kind, name, dataType }) => {
      const isWrong =
        kind === 'metric' && dataType !== undefined && !metricTypes.includes(dataType);
      return isWrong
        ? [
            '/dataType',
            `The metric ${name} cannot have the dataType ${dataType}: make it a dimension.`,
          ]
        : undefined;
    },
  ),
  ofColumn(
    'COMPLEX_TYPE',
    'The dataType of a complex column must be MAP or LIST.',
    ({ kind, name, dataType }) => {
      const isWrong =
        kind === 'complex' && dataType !== undefined && !complexTypes.includes(dataType);
      return isWrong
        ? [
            '/dataType',
            `The complex column ${name} cannot have the dataType ${dataType}; expected MAP or LIST.`,
          ]
        : undefined;
    },
  ),
  ofColumn(
    'FIELD_TYPE',
    'A fieldType must match the list that contains its column.',
    ({ kind, name, spec }) => {
      const expected = {
        dimension: 'DIMENSION',
        metric: 'METRIC',
        dateTime: 'DATE_TIME',
        complex: 'COMPLEX',
        time: 'TIME',
      }[kind];
      const { fieldType = expected } = spec;
      return fieldType === expected
        ? undefined
        : [
            '/fieldType',
            `The fieldType of ${name} is ${fieldType}; expected ${expected} in this list.`,
          ];
    },
  ),
  ofColumn(
    'DATE_TIME_MULTI_VALUE',
    'Date-time columns must be single-value columns.',
    ({ kind, name, isMultiValue }) =>
      kind === 'dateTime' && isMultiValue
        ? ['/singleValueField', `The date-time column ${name} cannot be a multi-value column.`]
        : undefined,
  ),
  ofColumn(
    'METRIC_MULTI_VALUE',
    'Metrics must be single-value columns.',
    ({ kind, name, isMultiValue }) =>
      kind === 'metric' && isMultiValue
        ? ['/singleValueField', `The metric ${name} cannot be a multi-value column.`]
        : undefined,
  ),
  ofColumn(
    'JSON_MULTI_VALUE',
    'JSON and BIG_DECIMAL columns must be single-value columns; a JSON value can itself be a list.',
    ({ name, dataType, isMultiValue }) =>
      (dataType === 'JSON' || dataType === 'BIG_DECIMAL') && isMultiValue
        ? ['/singleValueField', `The ${dataType} column ${name} cannot be a multi-value column.`]
        : undefined,
  ),
  ofColumn(
    'MAX_LENGTH',
    'maxLength should be at least 1.',
    ({ spec: { maxLength = 1 } }) =>
      maxLength < 1
        ? ['/maxLength', `The maxLength is ${maxLength}; expected at least 1.`]
        : undefined,
    warning,
  ),
  ofColumn(
    'DEFAULT_VALUE_NAN',
    'A defaultNullValue must not be NaN, which does not equal itself.',
    ({ spec }) =>
      String(spec.defaultNullValue) === 'NaN' &&
      (spec.dataType === 'FLOAT' || spec.dataType === 'DOUBLE')
        ? ['/defaultNullValue', 'The defaultNullValue cannot be NaN.']
        : undefined,
  ),
  ofColumn(
    'DEFAULT_VALUE_TYPE',
    'A defaultNullValue must be of the type of its column.',
    ({ spec, dataType }) => {
      const given = spec.defaultNullValue;
      if (given === undefined || given === null || dataType === undefined) return undefined;
      if (!isPlain(dataType)) {
        return isComplexValue(given, dataType)
          ? undefined
          : [
              '/defaultNullValue',
              `A column of the type ${dataType} cannot have this defaultNullValue.`,
            ];
      }
      const text = typeof given === 'object' ? JSON.stringify(given) : javaText(given as Value);
      if (/^\s|\s$/.test(text) && trimless.includes(dataType)) {
        return ['/defaultNullValue', `The defaultNullValue ‘${text}’ has white space around it.`];
      }
      try {
        toColumn(text, dataType);
        return undefined;
      } catch (error) {
        if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
        return [
          '/defaultNullValue',
          `The defaultNullValue is not a valid ${dataType}: ${error.message}`,
        ];
      }
    },
  ),
  error(
    'PRIMARY_KEY_COLUMN',
    'Columns of the primary key must be in the schema.',
    function* ({ schema, columns }) {
      for (const [path, key] of placed('/primaryKeyColumns', schema.primaryKeyColumns)) {
        if (columns.every(({ name }) => name !== key)) {
          yield [path, `The schema has no column ${key}.`];
        }
      }
    },
  ),
  warning('PRIMARY_KEY_TWICE', 'primaryKeyColumns should list each column once.', ({ schema }) =>
    repeated(
      placed('/primaryKeyColumns', schema.primaryKeyColumns),
      (name) => `${name} is listed more than once.`,
    ),
  ),
];

/** Creates a rule about each column alone; faults have paths relative to the column. */
function ofColumn(
  code: string,
  description: string,
  check: (column: Column) => Fault | undefined,
  makeRule = error,
): SchemaRule {
  return makeRule(code, description, function* ({ columns }) {
    for (const column of columns) {
      const fault = check(column);
      if (fault !== undefined) yield [`${column.path}${fault[0]}`, fault[1]];
    }
  });
}

/** Reports whether a value is an object or a list, as its type requires, or the text of one. */
function isComplexValue(value: unknown, dataType: DataType): boolean {
  if (dataType !== 'MAP' && dataType !== 'LIST') return false;
  if (typeof value !== 'string') return dataType === 'MAP' ? isRecord(value) : Array.isArray(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && isComplexValue(parsed, dataType);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

function isPlain(dataType: DataType): dataType is ColumnType {
  return (plainDataTypes as readonly DataType[]).includes(dataType);
}
