import { isQuireError } from '@quire/core';
import { javaText, printExpression, type Value } from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import type { SourceValue } from '../row.ts';
import { type ColumnType, toColumn } from './column-type.ts';

/**
 * The members of a table config that the pipeline reads. Any config with these members of the
 * specification (2.4.3) is accepted.
 */
export interface PipelineConfig {
  readonly segmentsConfig?: { readonly timeColumnName?: string | undefined } | undefined;
  readonly ingestionConfig?: IngestionConfigPart | undefined;
}

/** The members of an ingestion config that the pipeline reads. */
export interface IngestionConfigPart {
  readonly continueOnError?: boolean | undefined;
  readonly rowTimeValueCheck?: boolean | undefined;
  readonly filterConfig?: { readonly filterFunction?: string | undefined } | undefined;
  readonly enrichmentConfigs?: readonly EnrichmentPart[] | undefined;
  readonly transformConfigs?: readonly TransformPart[] | undefined;
  readonly complexTypeConfig?: ComplexTypePart | undefined;
  readonly schemaConformingTransformerConfig?: SchemaConformingPart | undefined;
}

/** One enricher, which creates columns before the transforms. */
export interface EnrichmentPart {
  readonly enricherType?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly preComplexTypeTransform?: boolean | undefined;
}

/** A column and the expression of its value. */
export interface TransformPart {
  readonly columnName?: string | undefined;
  readonly transformFunction?: string | undefined;
}

/** The flattening of nested values into columns and rows. */
export interface ComplexTypePart {
  readonly fieldsToUnnest?: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly prefixesToRename?: Readonly<Record<string, unknown>> | undefined;
  readonly collectionNotUnnestedToJson?: string | undefined;
}

/** The columns of fields that the schema does not name. */
export interface SchemaConformingPart {
  readonly enableIndexableExtras?: boolean | undefined;
  readonly indexableExtrasField?: string | undefined;
  readonly enableUnindexableExtras?: boolean | undefined;
  readonly unindexableExtrasField?: string | undefined;
  readonly unindexableFieldSuffix?: string | undefined;
  readonly fieldPathsToDrop?: readonly string[] | undefined;
  readonly fieldPathsToSkipStorage?: readonly string[] | undefined;
  readonly fieldPathsToPreserveInput?: readonly string[] | undefined;
  readonly fieldsToDoubleIngest?: readonly string[] | undefined;
  readonly columnNameToJsonKeyPathMap?: Readonly<Record<string, unknown>> | undefined;
  readonly fieldPathsToPreserveInputWithIndex?: readonly string[] | undefined;
  readonly useAnonymousDotInFieldNames?: boolean | undefined;
  readonly mergedTextIndexField?: string | undefined;
  readonly mergedTextIndexPathToExclude?: readonly string[] | undefined;
  readonly mergedTextIndexPrefixToExclude?: readonly string[] | undefined;
  readonly mergedTextIndexDocumentMaxLength?: number | undefined;
  readonly mergedTextIndexBinaryDocumentDetectionMinLength?: number | undefined;
  readonly mergedTextIndexBeginOfDocAnchor?: string | undefined;
  readonly mergedTextIndexEndOfDocAnchor?: string | undefined;
  readonly jsonKeyValueSeparator?: string | undefined;
  readonly optimizeCaseInsensitiveSearch?: boolean | undefined;
  readonly reverseTextIndexKeyValueOrder?: boolean | undefined;
}

/** The members of a schema (2.5) that the pipeline reads. */
export interface PipelineSchema {
  readonly dimensionFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly metricFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly dateTimeFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly timeFieldSpec?: TimeFieldSpecPart | undefined;
  readonly complexFieldSpecs?: readonly FieldSpecPart[] | undefined;
}

/** The time column of old schemas, which have no date-time columns. */
export interface TimeFieldSpecPart extends FieldSpecPart {
  readonly incomingGranularitySpec?: GranularityPart | undefined;
  readonly outgoingGranularitySpec?: GranularityPart | undefined;
}

/** The unit or format of its times. */
export interface GranularityPart {
  readonly name?: string | undefined;
  readonly timeType?: string | undefined;
  readonly timeFormat?: string | undefined;
  readonly timeUnitSize?: number | undefined;
}

/** The members of a column's specification that the pipeline reads. */
export interface FieldSpecPart {
  readonly name?: string | undefined;
  readonly dataType?: string | undefined;
  readonly singleValueField?: boolean | undefined;
  readonly defaultNullValue?: unknown;
  readonly transformFunction?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly maxLengthExceedStrategy?: string | undefined;
  readonly allowTrailingZeros?: boolean | undefined;
  readonly format?: string | undefined;
}

/** A column of the schema, with the properties that the steps need. */
export interface ColumnSpec {
  readonly name: string;
  /** Undefined for types that values are not converted to: STRUCT, LIST, and unknown ones. */
  readonly type: ColumnType | undefined;
  readonly isMultiValue: boolean;
  /** The value of the column if a row has none. */
  readonly defaultNullValue: SourceValue;
  readonly maxLength: number;
  readonly exceedStrategy: ExceedStrategy;
  readonly allowsTrailingZeros: boolean;
  readonly transformFunction: string | undefined;
  /** The format of its times; undefined unless it is a date-time column. */
  readonly format: string | undefined;
  /** JSON pointer into the schema. */
  readonly path: string;
}

/** The treatment of a value that is too long. */
export type ExceedStrategy =
  | 'TRIM_LENGTH'
  | 'SUBSTITUTE_DEFAULT_VALUE'
  | 'FAIL_INGESTION'
  | 'NO_ACTION';

/** The member of a schema that contains a column. */
type FieldGroup = keyof PipelineSchema;

const maxLengthDefault = 512;

/** The defaults of dimensions and date-times; those of numeric metrics are 0. */
const defaults: Readonly<Record<ColumnType, SourceValue>> = {
  INT: -(2 ** 31),
  LONG: -(2n ** 63n),
  FLOAT: Number.NEGATIVE_INFINITY,
  DOUBLE: Number.NEGATIVE_INFINITY,
  BIG_DECIMAL: '0',
  BOOLEAN: false,
  TIMESTAMP: 0,
  STRING: 'null',
  JSON: 'null',
  BYTES: new Uint8Array(0),
  MAP: {},
};

/**
 * Returns the columns of a schema in its order, and findings about their defaults. Specifications
 * without a name are skipped.
 */
export function columnsOfSchema(schema: PipelineSchema): {
  readonly columns: readonly ColumnSpec[];
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const {
    dimensionFieldSpecs = [],
    metricFieldSpecs = [],
    dateTimeFieldSpecs = [],
    complexFieldSpecs = [],
  } = schema;
  const groups: readonly (readonly [FieldGroup, readonly FieldSpecPart[]])[] = [
    ['dimensionFieldSpecs', dimensionFieldSpecs],
    ['metricFieldSpecs', metricFieldSpecs],
    ['dateTimeFieldSpecs', dateTimeFieldSpecs],
    [
      'timeFieldSpec',
      schema.timeFieldSpec === undefined ? [] : [dateTimeSpecOf(schema.timeFieldSpec)],
    ],
    ['complexFieldSpecs', complexFieldSpecs],
  ];
  const columns = groups.flatMap(([group, specs]) =>
    specs.flatMap((spec, index) => {
      const path = group === 'timeFieldSpec' ? `/${group}` : `/${group}/${index}`;
      return spec.name === undefined || spec.name === ''
        ? []
        : [columnOf(spec.name, spec, group, path, findings)];
    }),
  );
  return { columns, findings };
}

function columnOf(
  name: string,
  spec: FieldSpecPart,
  group: FieldGroup,
  path: string,
  findings: Finding[],
): ColumnSpec {
  const type = typeOf(spec);
  return {
    name,
    type,
    path,
    isMultiValue: spec.singleValueField === false,
    defaultNullValue: defaultOf(spec, type, group, path, findings),
    maxLength: spec.maxLength ?? maxLengthDefault,
    exceedStrategy: strategyOf(spec, type),
    allowsTrailingZeros: spec.allowTrailingZeros ?? false,
    transformFunction: spec.transformFunction,
    format: group === 'dateTimeFieldSpecs' || group === 'timeFieldSpec' ? spec.format : undefined,
  };
}

/** Returns the type of a column; without a type, it is STRING. */
function typeOf(spec: FieldSpecPart): ColumnType | undefined {
  const name = (spec.dataType ?? 'STRING').toUpperCase();
  return Object.hasOwn(defaults, name) ? (name as ColumnType) : undefined;
}

function defaultOf(
  spec: FieldSpecPart,
  type: ColumnType | undefined,
  group: FieldGroup,
  path: string,
  findings: Finding[],
): SourceValue {
  if (type === undefined) return null;
  const given = spec.defaultNullValue;
  if (given !== undefined && given !== null) {
    try {
      // A default of any type is parsed from its JSON text.
      const text = typeof given === 'object' ? JSON.stringify(given) : javaText(given as Value);
      return type === 'STRING' || type === 'JSON' ? text : toColumn(text, type);
    } catch (error) {
      if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
      const message = `The default of a column of ${type} is not valid: ${error.message}`;
      findings.push({
        path: `${path}/defaultNullValue`,
        code: 'PIPELINE_DEFAULT_VALUE',
        message,
        severity: 'error',
      });
    }
  }
  const isNumber = type === 'INT' || type === 'LONG' || type === 'FLOAT' || type === 'DOUBLE';
  return group === 'metricFieldSpecs' && isNumber ? 0 : defaults[type];
}

/**
 * Returns the strategy for values that are too long: by default, text is truncated, but JSON and
 * bytes are not.
 */
function strategyOf(spec: FieldSpecPart, type: ColumnType | undefined): ExceedStrategy {
  const given = spec.maxLengthExceedStrategy?.toUpperCase();
  if (given === 'ERROR' || given === 'FAIL_INGESTION') return 'FAIL_INGESTION';
  if (given === 'TRIM_LENGTH' || given === 'SUBSTITUTE_DEFAULT_VALUE' || given === 'NO_ACTION') {
    return given;
  }
  return type === 'STRING' ? 'TRIM_LENGTH' : 'NO_ACTION';
}

/**
 * Converts the time column of an old schema to a date-time column. Its name and format are those of
 * the outgoing granularity; if the incoming one has another name, the column is computed from it.
 */
function dateTimeSpecOf(spec: TimeFieldSpecPart): FieldSpecPart {
  const { incomingGranularitySpec: incoming, outgoingGranularitySpec: outgoing, ...rest } = spec;
  const kept = outgoing ?? incoming ?? {};
  const name = kept.name ?? spec.name;
  const dateTime: FieldSpecPart = {
    ...rest,
    name,
    dataType: spec.dataType ?? 'LONG',
    format: formatOf(kept),
  };
  if (incoming?.name === undefined || name === undefined || incoming.name === name) return dateTime;
  const literals = [formatOf(incoming), formatOf(kept), '1:MILLISECONDS'];
  const transformFunction = printExpression({
    kind: 'call',
    name: 'dateTimeConvert',
    args: [
      { kind: 'column', name: incoming.name },
      ...literals.map((value) => ({ kind: 'literal', value }) as const),
    ],
  });
  return { ...dateTime, transformFunction: spec.transformFunction ?? transformFunction };
}

/** Returns `EPOCH` or `SIMPLE_DATE_FORMAT:<pattern>`, preceded by the size and unit. */
function formatOf({
  timeUnitSize = 1,
  timeType = 'MILLISECONDS',
  timeFormat = 'EPOCH',
}: GranularityPart): string {
  return `${timeUnitSize}:${timeType}:${timeFormat}`;
}
