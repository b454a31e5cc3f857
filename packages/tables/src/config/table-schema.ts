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

/** Types of columns that hold one value or several of a kind. */
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

/** Types of columns whose values have parts. */
const complexDataTypes = ['STRUCT', 'MAP', 'LIST'] as const;

/** Every type of a column (SPECIFICATION.md section 2.5; the values are those of the open peer). */
const dataTypes = [...plainDataTypes, ...complexDataTypes, 'UNKNOWN'] as const;

/** The type of a column. */
export type DataType = (typeof dataTypes)[number];

const fieldTypes = ['DIMENSION', 'METRIC', 'TIME', 'DATE_TIME', 'COMPLEX'] as const;
const exceedStrategies = ['TRIM_LENGTH', 'ERROR', 'SUBSTITUTE_DEFAULT_VALUE', 'NO_ACTION'] as const;

/** What every column has (SPECIFICATION.md section 2.5). */
const fieldMembers = {
  name: text('Name of the column. Required.'),
  dataType: oneOf(dataTypes, 'Type of its values.', 'STRING'),
  fieldType: oneOf(fieldTypes, 'Kind of the column; follows from the list that it is in.'),
  singleValueField: flag('Whether a row has one value, not a list of them.', true),
  notNull: flag('Whether every row has a value.'),
  maxLength: integer(
    'Longest value of a STRING, JSON or BYTES column, in characters or bytes.',
    512,
  ),
  maxLengthExceedStrategy: oneOf(
    exceedStrategies,
    'What happens to a longer value. Left out: STRING is cut, others are kept.',
  ),
  defaultNullValue: anything(
    'What stands where there is no value. Left out: the default of the type.',
  ),
  defaultNullValueString: text('Read by nothing: defaultNullValue gives the default.'),
  virtualColumnProvider: text('Class that makes the column up. Left out: the column is stored.'),
  transformFunction: text(
    'The expression that gives its value. Left out: the field of the same name.',
  ),
  allowTrailingZeros: flag('Whether a BIG_DECIMAL keeps zeros at its end.'),
};

/** A column, in a schema. */
const FieldSpec = model(fieldMembers, 'A column.');

/** A column of times, in a schema. */
const DateTimeFieldSpec = model(
  {
    ...fieldMembers,
    format: text(
      'How times are written: TIMESTAMP, EPOCH|DAYS|1 or 1:DAYS:EPOCH, SIMPLE_DATE_FORMAT|yyyy-MM-dd. Required.',
    ),
    granularity: text(
      'Size of the steps between times: MINUTES|15 or 15:MINUTES. Required.',
      'MILLISECONDS|1',
    ),
    sampleValue: anything('A value of the column, to check the format with.'),
  },
  'A column of times.',
);

const ComplexFieldSpec = model(
  { ...fieldMembers, childFieldSpecs: freeForm('Specifications of the parts, by name.') },
  'A column whose values have parts.',
);

const timeGranularity = (description: string) =>
  optionalSection(
    {
      timeType: oneOf(timeUnits, 'Unit of the times.', 'MILLISECONDS'),
      timeFormat: text('How they are written: EPOCH or SIMPLE_DATE_FORMAT:<pattern>.', 'EPOCH'),
      timeUnitSize: integer('How many units one step is.', 1),
      name: text('Name of the column.'),
      dataType: oneOf(dataTypes, 'Type of its values.', 'STRING'),
    },
    description,
  );

/** The schema of a table (SPECIFICATION.md section 2.5). */
export const TableSchema = model(
  {
    schemaName: text('Name of the schema, which is the name of the table.'),
    primaryKeyColumns: texts('Columns that together name a row.'),
    enableColumnBasedNullHandling: flag('Whether each column says by notNull if it can be null.'),
    dimensionFieldSpecs: list(FieldSpec, 'Columns to filter and group by.'),
    metricFieldSpecs: list(FieldSpec, 'Columns to add up.'),
    dateTimeFieldSpecs: list(DateTimeFieldSpec, 'Columns of times.'),
    timeFieldSpec: optionalSection(
      {
        ...fieldMembers,
        incomingGranularitySpec: timeGranularity('How times come.'),
        outgoingGranularitySpec: timeGranularity('How times are kept.'),
      },
      'The column of times of old schemas. Superseded by dateTimeFieldSpecs.',
    ),
    complexFieldSpecs: list(ComplexFieldSpec, 'Columns whose values have parts.'),
  },
  'The schema of a table.',
);

export type TableSchema = Static<typeof TableSchema>;
export type FieldSpec = Static<typeof FieldSpec>;
export type DateTimeFieldSpec = Static<typeof DateTimeFieldSpec>;

/** A schema as somebody wrote it, read by its model. */
export interface ParsedTableSchema extends ModelVerdict {
  /** What fits the model; members that it does not have are kept. */
  readonly schema: TableSchema;
}

/**
 * Reads a schema; never throws, and finds everything that does not fit, not only the first
 * (SPECIFICATION.md section 2.5).
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

/** Lists of columns that are null, which the engine does not take for left out. */
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
 * A schema with every member of the specification's table; null where there is neither a value nor
 * a default.
 */
export type CompleteTableSchema = { readonly [Member in keyof TableSchema]-?: unknown };

/** The same schema with its full set of members. The meaning stays. */
export function completeTableSchema(schema: TableSchema): CompleteTableSchema {
  const { timeFieldSpec } = schema;
  // Times are kept as they come where nothing else is said: the engine takes no null for that.
  const outgoingGranularitySpec =
    timeFieldSpec?.outgoingGranularitySpec ?? timeFieldSpec?.incomingGranularitySpec;
  const given =
    timeFieldSpec === undefined
      ? schema
      : { ...schema, timeFieldSpec: { ...timeFieldSpec, outgoingGranularitySpec } };
  return completeModel(TableSchema, given) as CompleteTableSchema;
}
