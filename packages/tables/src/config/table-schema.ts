import type { Static } from 'typebox';
import { type Finding, sortFindings } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import {
  anything,
  flag,
  freeForm,
  integer,
  list,
  model,
  oneOf,
  optionalSection,
  text,
  texts,
  timeUnits,
} from '../model/member.ts';
import { completeModel, type ModelVerdict, readModel } from '../model/read-model.ts';

/** The types of columns with a single value or with several values of one type. */
export const plainDataTypes = [
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIG_DECIMAL',
  'BOOLEAN',
  'TIMESTAMP',
  'STRING',
  'JSON',
  'BYTES',
] as const;

/** The types of columns with composite values. */
const complexDataTypes = ['STRUCT', 'MAP', 'LIST'] as const;

/** Every type of a column (SPECIFICATION.md section 2.5; the values are those of Apache Pinot). */
const dataTypes = [...plainDataTypes, ...complexDataTypes, 'UNKNOWN'] as const;

/** The type of a column. */
export type DataType = (typeof dataTypes)[number];

const fieldTypes = ['DIMENSION', 'METRIC', 'TIME', 'DATE_TIME', 'COMPLEX'] as const;
const exceedStrategies = ['TRIM_LENGTH', 'ERROR', 'SUBSTITUTE_DEFAULT_VALUE', 'NO_ACTION'] as const;

/** The members of every column (SPECIFICATION.md section 2.5). */
const fieldMembers = {
  name: text('Name of the column. Required.'),
  dataType: oneOf(dataTypes, 'Type of the values.', 'STRING'),
  fieldType: oneOf(fieldTypes, 'Kind of the column; follows from the list that it is in.'),
  singleValueField: flag('Whether a row has a single value instead of a list.', true),
  notNull: flag('Whether every row has a value.'),
  maxLength: integer(
    'Maximum length of a value of a STRING, JSON or BYTES column, in characters or bytes.',
    512,
  ),
  maxLengthExceedStrategy: oneOf(
    exceedStrategies,
    'The treatment of longer values. Default: STRING is truncated, others are kept.',
  ),
  defaultNullValue: anything('The default value of the column. Default: the default of the type.'),
  defaultNullValueString: text('Not used: defaultNullValue sets the default.'),
  virtualColumnProvider: text('Class that computes the column. Default: the column is stored.'),
  transformFunction: text(
    'The expression that computes the value. Default: the field of the same name.',
  ),
  allowTrailingZeros: flag('Whether a BIG_DECIMAL keeps trailing zeros.'),
};

/** A column in a schema. */
const FieldSpec = model(fieldMembers, 'A column.');

/** A date-time column of a schema. */
const DateTimeFieldSpec = model(
  {
    ...fieldMembers,
    format: text(
      'The format of the times: TIMESTAMP, EPOCH|DAYS|1 or 1:DAYS:EPOCH, SIMPLE_DATE_FORMAT|yyyy-MM-dd. Required.',
    ),
    granularity: text(
      'Size of the steps between times: MINUTES|15 or 15:MINUTES. Required.',
      'MILLISECONDS|1',
    ),
    sampleValue: anything('An example value of the column, to check the format.'),
  },
  'A date-time column.',
);

const ComplexFieldSpec = model(
  { ...fieldMembers, childFieldSpecs: freeForm('Specifications of the parts, by name.') },
  'A column with composite values.',
);

const timeGranularity = (description: string) =>
  optionalSection(
    {
      timeType: oneOf(timeUnits, 'Unit of the times.', 'MILLISECONDS'),
      timeFormat: text('The format of the times: EPOCH or SIMPLE_DATE_FORMAT:<pattern>.', 'EPOCH'),
      timeUnitSize: integer('The number of units in one step.', 1),
      name: text('Name of the column.'),
      dataType: oneOf(dataTypes, 'Type of the values.', 'STRING'),
    },
    description,
  );

/** The schema of a table (SPECIFICATION.md section 2.5). */
export const TableSchema = model(
  {
    schemaName: text('Name of the schema, which is the name of the table.'),
    primaryKeyColumns: texts('Columns that together identify a row.'),
    enableColumnBasedNullHandling: flag(
      'Whether notNull decides for each column if it can be null.',
    ),
    dimensionFieldSpecs: list(FieldSpec, 'Columns to filter and group by.'),
    metricFieldSpecs: list(FieldSpec, 'Columns to aggregate.'),
    dateTimeFieldSpecs: list(DateTimeFieldSpec, 'Date-time columns.'),
    timeFieldSpec: optionalSection(
      {
        ...fieldMembers,
        incomingGranularitySpec: timeGranularity('The granularity of incoming times.'),
        outgoingGranularitySpec: timeGranularity('The granularity of stored times.'),
      },
      'The time column of old schemas. Deprecated: use dateTimeFieldSpecs.',
    ),
    complexFieldSpecs: list(ComplexFieldSpec, 'Columns with composite values.'),
  },
  'The schema of a table.',
);

export type TableSchema = Static<typeof TableSchema>;
export type FieldSpec = Static<typeof FieldSpec>;
export type DateTimeFieldSpec = Static<typeof DateTimeFieldSpec>;

/** A schema as provided by a user, parsed by its model. */
export interface ParsedTableSchema extends ModelVerdict {
  /** The members that fit the model. Unknown members are kept. */
  readonly schema: TableSchema;
}

/**
 * Parses a schema. Never throws, and reports all problems, not only the first one (SPECIFICATION.md
 * section 2.5).
 */
export function parseTableSchema(value: unknown): ParsedTableSchema {
  const { value: schema, findings, unrecognizedProperties } = readModel(TableSchema, value);
  return {
    schema: schema ?? {},
    findings: sortFindings([...findings, ...nullLists(value)]),
    unrecognizedProperties,
  };
}

const columnLists = [
  'dimensionFieldSpecs',
  'metricFieldSpecs',
  'dateTimeFieldSpecs',
  'complexFieldSpecs',
] as const;

/**
 * Returns findings for column lists that are null, which Apache Pinot does not treat as missing.
 */
function nullLists(value: unknown): readonly Finding[] {
  const nulls = columnLists.filter((list) => isRecord(value) && value[list] === null);
  return nulls.map((list) => {
    return {
      path: `/${list}`,
      code: 'WRONG_TYPE',
      severity: 'error',
      message: 'Expected a list, found null: leave it out.',
    };
  });
}

/**
 * A schema with every member of the specification's table; null for members with neither a value
 * nor a default.
 */
export type CompleteTableSchema = { readonly [Member in keyof TableSchema]-?: unknown };

/** Returns the same schema with its full set of members. Its meaning does not change. */
export function completeTableSchema(schema: TableSchema): CompleteTableSchema {
  const { timeFieldSpec } = schema;
  // Times are stored in their incoming granularity by default; Apache Pinot does not accept null
  // for it.
  const outgoingGranularitySpec =
    timeFieldSpec?.outgoingGranularitySpec ?? timeFieldSpec?.incomingGranularitySpec;
  const given =
    timeFieldSpec === undefined
      ? schema
      : { ...schema, timeFieldSpec: { ...timeFieldSpec, outgoingGranularitySpec } };
  return completeModel(TableSchema, given) as CompleteTableSchema;
}
