import type { FieldSpec, TableSchema } from '../../src/index.ts';

/**
 * A case for a rule about schemas: a schema that satisfies it, one that violates it, and the
 * location of the violation.
 */
export interface SchemaCase {
  readonly keeps: TableSchema;
  readonly breaks: TableSchema;
  readonly at: readonly string[];
}

const dimensions = (...dimensionFieldSpecs: FieldSpec[]): TableSchema => ({
  schemaName: 's',
  dimensionFieldSpecs,
});
const metric = (spec: FieldSpec): TableSchema => ({
  schemaName: 's',
  metricFieldSpecs: [{ name: 'm', ...spec }],
});
const time = (format: string, more: object = {}): TableSchema => {
  return {
    schemaName: 's',
    dateTimeFieldSpecs: [{ name: 't', dataType: 'STRING', format, ...more }],
  };
};

export const schemaCases: Readonly<Record<string, SchemaCase>> = {
  SCHEMA_NAME_MISSING: {
    keeps: { schemaName: 's' },
    breaks: { schemaName: ' ' },
    at: ['/schemaName'],
  },
  SCHEMA_EMPTY: {
    keeps: dimensions({ name: 'a' }),
    breaks: { schemaName: 's', dimensionFieldSpecs: [] },
    at: [''],
  },
  COLUMN_NAME_MISSING: {
    keeps: dimensions({ name: 'a' }),
    breaks: dimensions({ name: 'a' }, { dataType: 'INT' }),
    at: ['/dimensionFieldSpecs/1/name'],
  },
  COLUMN_NAME_WHITESPACE: {
    keeps: dimensions({ name: 'a.b_c-d' }),
    breaks: dimensions({ name: 'a b' }, { name: 'a\t' }),
    at: ['/dimensionFieldSpecs/0/name', '/dimensionFieldSpecs/1/name'],
  },
  SCHEMA_NAME_UNDERSCORES: {
    keeps: { schemaName: 'a_b' },
    breaks: { schemaName: 'a__b' },
    at: ['/schemaName'],
  },
  COLUMN_NAME_RESERVED: {
    keeps: dimensions({ name: 'a$' }),
    breaks: dimensions({ name: '$docId' }),
    at: ['/dimensionFieldSpecs/0/name'],
  },
  COLUMN_NAME_DUPLICATE: {
    keeps: dimensions({ name: 'a' }, { name: 'b' }, {}, {}),
    breaks: { ...dimensions({ name: 'a' }), metricFieldSpecs: [{ name: 'a' }] },
    at: ['/metricFieldSpecs/0/name'],
  },
  COLUMN_NAME_CASE: {
    keeps: dimensions({ name: 'a' }, { name: 'a' }),
    breaks: dimensions({ name: 'city' }, { name: 'City' }),
    at: ['/dimensionFieldSpecs/1/name'],
  },
  COLUMN_TYPE_MISSING: {
    keeps: dimensions({ name: 'a', dataType: 'INT' }),
    breaks: dimensions({ name: 'a' }),
    at: ['/dimensionFieldSpecs/0/dataType'],
  },
  DIMENSION_TYPE: {
    keeps: { schemaName: 's', complexFieldSpecs: [{ name: 'a', dataType: 'MAP' }] },
    breaks: {
      ...dimensions({ name: 'a', dataType: 'MAP' }),
      dateTimeFieldSpecs: [{ name: 't', dataType: 'UNKNOWN' }],
    },
    at: ['/dateTimeFieldSpecs/0/dataType', '/dimensionFieldSpecs/0/dataType'],
  },
  METRIC_TYPE: {
    keeps: metric({ dataType: 'BYTES' }),
    breaks: metric({ dataType: 'STRING' }),
    at: ['/metricFieldSpecs/0/dataType'],
  },
  COMPLEX_TYPE: {
    keeps: { schemaName: 's', complexFieldSpecs: [{ name: 'a', dataType: 'MAP' }] },
    breaks: { schemaName: 's', complexFieldSpecs: [{ name: 'a', dataType: 'INT' }] },
    at: ['/complexFieldSpecs/0/dataType'],
  },
  METRIC_MULTI_VALUE: {
    keeps: metric({ singleValueField: true }),
    breaks: metric({ singleValueField: false }),
    at: ['/metricFieldSpecs/0/singleValueField'],
  },
  JSON_MULTI_VALUE: {
    keeps: dimensions({ name: 'a', dataType: 'STRING', singleValueField: false }),
    breaks: dimensions({ name: 'a', dataType: 'JSON', singleValueField: false }),
    at: ['/dimensionFieldSpecs/0/singleValueField'],
  },
  MAX_LENGTH: {
    keeps: dimensions({ name: 'a', maxLength: 1 }),
    breaks: dimensions({ name: 'a', maxLength: 0 }),
    at: ['/dimensionFieldSpecs/0/maxLength'],
  },
  DEFAULT_VALUE_NAN: {
    keeps: dimensions({ name: 'a', dataType: 'STRING', defaultNullValue: 'NaN' }),
    breaks: metric({ dataType: 'DOUBLE', defaultNullValue: 'NaN' }),
    at: ['/metricFieldSpecs/0/defaultNullValue'],
  },
  DEFAULT_VALUE_TYPE: {
    keeps: metric({ dataType: 'INT', defaultNullValue: '-1' }),
    breaks: metric({ dataType: 'INT', defaultNullValue: 'none' }),
    at: ['/metricFieldSpecs/0/defaultNullValue'],
  },
  PRIMARY_KEY_COLUMN: {
    keeps: { ...dimensions({ name: 'a' }, { name: 'b' }), primaryKeyColumns: ['b', 'a'] },
    breaks: { ...dimensions({ name: 'a' }), primaryKeyColumns: ['a', 'c', 'a'] },
    at: ['/primaryKeyColumns/1'],
  },
  PRIMARY_KEY_TWICE: {
    keeps: { ...dimensions({ name: 'a' }, { name: 'b' }), primaryKeyColumns: ['b', 'a'] },
    breaks: { ...dimensions({ name: 'a' }), primaryKeyColumns: ['a', 'a'] },
    at: ['/primaryKeyColumns/1'],
  },
  FIELD_TYPE: {
    keeps: dimensions({ name: 'a', dataType: 'INT', fieldType: 'DIMENSION' }),
    breaks: dimensions({ name: 'a', dataType: 'INT', fieldType: 'METRIC' }),
    at: ['/dimensionFieldSpecs/0/fieldType'],
  },
  DATE_TIME_MULTI_VALUE: {
    keeps: time('TIMESTAMP'),
    breaks: {
      schemaName: 's',
      dateTimeFieldSpecs: [
        { name: 't', dataType: 'LONG', format: 'EPOCH', singleValueField: false },
      ],
    },
    at: ['/dateTimeFieldSpecs/0/singleValueField'],
  },
  TIME_FIELD_GRANULARITY: {
    keeps: {
      schemaName: 's',
      timeFieldSpec: { incomingGranularitySpec: { name: 't', dataType: 'LONG' } },
    },
    breaks: {
      schemaName: 's',
      timeFieldSpec: {
        incomingGranularitySpec: { name: 't', timeType: 'DAYS' },
        outgoingGranularitySpec: { name: 't', timeType: 'HOURS' },
      },
    },
    at: ['/timeFieldSpec/incomingGranularitySpec'],
  },
  TIME_FIELD_SPEC: {
    keeps: time('TIMESTAMP'),
    breaks: { schemaName: 's', timeFieldSpec: { name: 't', dataType: 'LONG' } },
    at: ['/timeFieldSpec'],
  },
  DATE_TIME_FORMAT: {
    keeps: time('1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd'),
    breaks: {
      schemaName: 's',
      dateTimeFieldSpecs: [{ name: 't' }, { name: 'u', format: 'EPOCH|FORTNIGHTS' }],
    },
    at: ['/dateTimeFieldSpecs/0/format', '/dateTimeFieldSpecs/1/format'],
  },
  DATE_TIME_PATTERN_ORDER: {
    keeps: time("SIMPLE_DATE_FORMAT|yyyy-MM-dd'T'HH:mm:ss.SSS"),
    breaks: time('SIMPLE_DATE_FORMAT|dd/MM/yyyy'),
    at: ['/dateTimeFieldSpecs/0/format'],
  },
  DATE_TIME_GRANULARITY: {
    keeps: time('TIMESTAMP', { granularity: 'MINUTES|15' }),
    breaks: time('TIMESTAMP', { granularity: 'fifteen' }),
    at: ['/dateTimeFieldSpecs/0/granularity'],
  },
  DATE_TIME_SAMPLE: {
    keeps: time('EPOCH|DAYS|1', { sampleValue: 19_000 }),
    breaks: {
      schemaName: 's',
      dateTimeFieldSpecs: [
        { name: 't', format: 'EPOCH|SECONDS|1', sampleValue: 1_700_000_000_000 },
        { name: 'u', format: 'SIMPLE_DATE_FORMAT|yyyy-MM-dd', sampleValue: 'yesterday' },
      ],
    },
    at: ['/dateTimeFieldSpecs/0/sampleValue', '/dateTimeFieldSpecs/1/sampleValue'],
  },
  SCHEMA_TRANSFORM_SYNTAX: {
    keeps: dimensions({ name: 'a', transformFunction: 'lower(b)' }),
    breaks: dimensions(
      { name: 'a', transformFunction: 'lower(' },
      { name: 'c', transformFunction: 'Groovy({x + 1}, x)' },
    ),
    at: ['/dimensionFieldSpecs/0/transformFunction', '/dimensionFieldSpecs/1/transformFunction'],
  },
  SCHEMA_TRANSFORM_SELF: {
    keeps: dimensions({ name: 'a', transformFunction: 'lower(b)' }),
    breaks: dimensions({ name: 'a', transformFunction: 'lower(a)' }),
    at: ['/dimensionFieldSpecs/0/transformFunction'],
  },
  SCHEMA_TRANSFORM_CHAINED: {
    keeps: dimensions(
      { name: 'a', transformFunction: 'lower(c)' },
      { name: 'b', transformFunction: 'upper(c)' },
    ),
    breaks: dimensions(
      { name: 'a', transformFunction: 'lower(b)' },
      { name: 'b', transformFunction: 'upper(c)' },
    ),
    at: ['/dimensionFieldSpecs/0/transformFunction'],
  },
};
