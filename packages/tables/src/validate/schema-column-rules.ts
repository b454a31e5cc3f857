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

/** Rules about the columns of a schema and its primary key. */
export const schemaColumnRules = [
  error('SCHEMA_NAME_MISSING', 'A schema has a name.', function* ({ schema }) {
    if ((schema.schemaName ?? '').trim() === '') yield ['/schemaName', 'The schema has no name.'];
  }),
  warning(
    'SCHEMA_NAME_UNDERSCORES',
    'Names of schemas have no two underscores together: no table can be named so.',
    function* ({ schema }) {
      if (schema.schemaName?.includes('__') !== true) return;
      yield [
        '/schemaName',
        `A table cannot be named ${schema.schemaName}, as ‘__’ separates parts of segment names.`,
      ];
    },
  ),
  warning('SCHEMA_EMPTY', 'A schema has columns.', function* ({ columns }) {
    if (columns.length === 0) yield ['', 'The schema has no columns.'];
  }),
  ofColumn('COLUMN_NAME_MISSING', 'Every column has a name.', ({ name }) =>
    name === '' ? ['/name', 'The column has no name.'] : undefined,
  ),
  ofColumn('COLUMN_NAME_WHITESPACE', 'Names of columns have no white space.', ({ name }) =>
    /\s/.test(name) ? ['/name', `The name ‘${name}’ has white space in it.`] : undefined,
  ),
  warning(
    'COLUMN_NAME_RESERVED',
    'Names of columns do not start with $: the engine creates such columns itself.',
    function* ({ columns }) {
      for (const { name, path } of columns) {
        if (!name.startsWith('$')) continue;
        yield [
          `${path}/name`,
          `Names with $, such as ${name}, are reserved for columns that the engine creates itself.`,
        ];
      }
    },
  ),
  error('COLUMN_NAME_DUPLICATE', 'No two columns have the same name.', ({ columns }) => {
    const names = columns.map(({ path, name }) => [`${path}/name`, name] as const);
    return repeated(names, (name) => `There is another column ${name}.`);
  }),
  warning(
    'COLUMN_NAME_CASE',
    'No two names differ by upper and lower case only: queries may not distinguish them.',
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
  ofColumn('COLUMN_TYPE_MISSING', 'Every column has a dataType.', ({ name, dataType }) =>
    dataType === undefined ? ['/dataType', `The column ${name} has no dataType.`] : undefined,
  ),
  ofColumn(
    'DIMENSION_TYPE',
    `Dimensions and columns of times are ${plainDataTypes.join(', ')}.`,
    ({ kind, name, dataType }) => {
      const isWrong =
        (kind === 'dimension' || kind === 'dateTime') &&
        dataType !== undefined &&
        !isPlain(dataType);
      return isWrong
        ? ['/dataType', `${name} cannot be ${dataType}; only complexFieldSpecs can.`]
        : undefined;
    },
  ),
  ofColumn('METRIC_TYPE', `Metrics are ${metricTypes.join(', ')}.`, ({ kind, name, dataType }) => {
    const isWrong = kind === 'metric' && dataType !== undefined && !metricTypes.includes(dataType);
    return isWrong
      ? ['/dataType', `The metric ${name} cannot be ${dataType}; make it a dimension.`]
      : undefined;
  }),
  ofColumn('COMPLEX_TYPE', 'Complex columns are MAP or LIST.', ({ kind, name, dataType }) => {
    const isWrong =
      kind === 'complex' && dataType !== undefined && !complexTypes.includes(dataType);
    return isWrong ? ['/dataType', `The complex column ${name} cannot be ${dataType}.`] : undefined;
  }),
  ofColumn(
    'FIELD_TYPE',
    'A fieldType is that of the list that contains its column.',
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
        : ['/fieldType', `${name} is ${expected} here, not ${fieldType}.`];
    },
  ),
  ofColumn(
    'DATE_TIME_MULTI_VALUE',
    'Columns of times have one value in a row.',
    ({ kind, name, isMultiValue }) =>
      kind === 'dateTime' && isMultiValue
        ? ['/singleValueField', `The column of times ${name} cannot hold lists.`]
        : undefined,
  ),
  ofColumn(
    'METRIC_MULTI_VALUE',
    'Metrics have one value in a row.',
    ({ kind, name, isMultiValue }) =>
      kind === 'metric' && isMultiValue
        ? ['/singleValueField', `The metric ${name} cannot hold lists.`]
        : undefined,
  ),
  ofColumn(
    'JSON_MULTI_VALUE',
    'JSON columns have one value in a row, as lists are JSON already; so have BIG_DECIMAL columns.',
    ({ name, dataType, isMultiValue }) =>
      (dataType === 'JSON' || dataType === 'BIG_DECIMAL') && isMultiValue
        ? ['/singleValueField', `The ${dataType} column ${name} cannot hold lists.`]
        : undefined,
  ),
  ofColumn(
    'MAX_LENGTH',
    'maxLength is at least 1.',
    ({ spec: { maxLength = 1 } }) =>
      maxLength < 1 ? ['/maxLength', `${maxLength} is less than 1.`] : undefined,
    warning,
  ),
  ofColumn(
    'DEFAULT_VALUE_NAN',
    'No default is NaN: it equals nothing, not even itself.',
    ({ spec }) =>
      String(spec.defaultNullValue) === 'NaN' &&
      (spec.dataType === 'FLOAT' || spec.dataType === 'DOUBLE')
        ? ['/defaultNullValue', 'The default cannot be NaN.']
        : undefined,
  ),
  ofColumn(
    'DEFAULT_VALUE_TYPE',
    'A default is a value of the type of its column.',
    ({ spec, dataType }) => {
      const given = spec.defaultNullValue;
      if (given === undefined || given === null || dataType === undefined) return undefined;
      if (!isPlain(dataType)) {
        const isEmptyMap = complexTypes.includes(dataType) && isRecord(given);
        return isEmptyMap
          ? undefined
          : ['/defaultNullValue', `A column of type ${dataType} takes no such default.`];
      }
      try {
        toColumn(
          typeof given === 'object' ? JSON.stringify(given) : javaText(given as Value),
          dataType,
        );
        return undefined;
      } catch (error) {
        if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
        return ['/defaultNullValue', `The default is not a valid ${dataType}: ${error.message}`];
      }
    },
  ),
  error(
    'PRIMARY_KEY_COLUMN',
    'Columns of the primary key are in the schema.',
    function* ({ schema, columns }) {
      for (const [path, key] of placed('/primaryKeyColumns', schema.primaryKeyColumns)) {
        if (columns.every(({ name }) => name !== key)) yield [path, `There is no column ${key}.`];
      }
    },
  ),
  warning('PRIMARY_KEY_TWICE', 'Columns of the primary key are listed once.', ({ schema }) =>
    repeated(
      placed('/primaryKeyColumns', schema.primaryKeyColumns),
      (name) => `${name} is listed before.`,
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

function isPlain(dataType: DataType): dataType is ColumnType {
  return (plainDataTypes as readonly DataType[]).includes(dataType);
}
