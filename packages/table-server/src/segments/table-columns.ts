import { isQuireError, writeLosslessJson } from '@quire/core';
import type {
  RelationColumn,
  RelationType,
  TableConfigDocument,
  TableSchemaDocument,
} from '@quire/core/table-engine';
import {
  type ColumnSpec,
  columnsOfSchema,
  type DateTimeFormat,
  instantOfTime,
  parseTableConfig,
  parseTableSchema,
  type SourceValue,
  timeFormatOf,
} from '@quire/tables';

/** A column of a table as its segments store it. */
export interface TableColumn extends Omit<RelationColumn, 'digits'> {
  readonly spec: ColumnSpec;
  /** True if rows without a value have null instead of the default. */
  readonly isNullable: boolean;
}

export interface TimeColumn {
  readonly name: string;
  readonly format: DateTimeFormat;
}

/** The shape of a table's rows: its columns, in the order of its schema, and its time column. */
export interface TableShape {
  readonly columns: readonly TableColumn[];
  readonly time: TimeColumn | undefined;
}

/** Reads the shape of a table from its config and schema, both of which must be valid. */
export function shapeOf(config: TableConfigDocument, schema: TableSchemaDocument): TableShape {
  const parsedConfig = parseTableConfig(config).config;
  const parsedSchema = parseTableSchema(schema).schema;
  const { columns } = columnsOfSchema(parsedSchema);
  const notNull = new Set(
    [
      ...(parsedSchema.dimensionFieldSpecs ?? []),
      ...(parsedSchema.metricFieldSpecs ?? []),
      ...(parsedSchema.dateTimeFieldSpecs ?? []),
    ].flatMap((spec) => (spec.notNull === true && spec.name !== undefined ? [spec.name] : [])),
  );
  const ofColumns = parsedSchema.enableColumnBasedNullHandling === true;
  const ofTable = parsedConfig.tableIndexConfig?.nullHandlingEnabled === true;
  const timeName = parsedConfig.segmentsConfig?.timeColumnName;
  return {
    columns: columns.map((spec) => {
      const isNullable = ofColumns ? !notNull.has(spec.name) : ofTable;
      return {
        spec,
        isNullable,
        name: spec.name,
        type: typeOf(spec, parsedSchema),
        isList: spec.isMultiValue,
        absentValue: isNullable ? null : textOfValue(spec.defaultNullValue),
      };
    }),
    time: timeColumnOf(columns.find(({ name }) => name === timeName)),
  };
}

/**
 * The last instant of the JavaScript calendar, in epoch milliseconds; the first is equally far
 * before 1970.
 */
const calendarEndMs = 8.64e15;

/**
 * Returns the instant of a value of the time column; null if it is unknown or outside the calendar,
 * for example because it is in another unit.
 */
export function instantOf(value: SourceValue | undefined, { format }: TimeColumn): number | null {
  if (value === null || value === undefined) return null;
  try {
    // Files return 64-bit integers as bigints.
    const instantMs = instantOfTime(typeof value === 'bigint' ? Number(value) : value, format);
    return Math.abs(instantMs) <= calendarEndMs ? instantMs : null;
  } catch (error) {
    // The row is stored in any case; only its time is unknown.
    if (isQuireError(error)) return null;
    throw error;
  }
}

function timeColumnOf(column: ColumnSpec | undefined): TimeColumn | undefined {
  const format =
    column?.type === 'TIMESTAMP' ? ({ kind: 'timestamp' } as const) : timeFormatOf(column);
  return column === undefined || format === undefined ? undefined : { name: column.name, format };
}

/** Returns the type under which the values of a field are stored; composite values are JSON. */
function typeOf(
  { name, type }: ColumnSpec,
  schema: ReturnType<typeof parseTableSchema>['schema'],
): RelationType {
  if (type !== undefined) return type;
  const complex = schema.complexFieldSpecs?.find((spec) => spec.name === name);
  return complex?.dataType === 'MAP' ? 'MAP' : 'JSON';
}

function textOfValue(value: SourceValue): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'object' ? writeLosslessJson(value) : String(value);
}
