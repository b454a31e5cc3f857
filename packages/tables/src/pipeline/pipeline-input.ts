/**
 * What the pipeline reads of a table config: these members and no others. Any config that has them as the specification says
 * (2.4.3) will do.
 */
export interface PipelineConfig {
  readonly segmentsConfig?: { readonly timeColumnName?: string | undefined } | undefined;
  readonly ingestionConfig?: IngestionConfigPart | undefined;
}

/** What the pipeline reads of an ingestion config. */
export interface IngestionConfigPart {
  readonly continueOnError?: boolean | undefined;
  readonly rowTimeValueCheck?: boolean | undefined;
  readonly filterConfig?: { readonly filterFunction?: string | undefined } | undefined;
  readonly enrichmentConfigs?: readonly EnrichmentPart[] | undefined;
  readonly transformConfigs?: readonly TransformPart[] | undefined;
  readonly complexTypeConfig?: ComplexTypePart | undefined;
  readonly schemaConformingTransformerConfig?: SchemaConformingPart | undefined;
}

/** One way in which columns are made before the transforms. */
export interface EnrichmentPart {
  readonly enricherType?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly preComplexTypeTransform?: boolean | undefined;
}

/** A column and the expression that makes it. */
export interface TransformPart {
  readonly columnName?: string | undefined;
  readonly transformFunction?: string | undefined;
}

/** How nested values become columns and rows. */
export interface ComplexTypePart {
  readonly fieldsToUnnest?: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly prefixesToRename?: Readonly<Record<string, unknown>> | undefined;
  readonly collectionNotUnnestedToJson?: string | undefined;
}

/** Where what the schema does not name goes. */
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
  readonly mergedTextIndexField?: string | undefined;
}

/** What the pipeline reads of a schema (2.5). */
export interface PipelineSchema {
  readonly dimensionFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly metricFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly dateTimeFieldSpecs?: readonly FieldSpecPart[] | undefined;
  readonly timeFieldSpec?: TimeFieldSpecPart | undefined;
  readonly complexFieldSpecs?: readonly FieldSpecPart[] | undefined;
}

/** The time column of schemas from before date-time columns. */
export interface TimeFieldSpecPart extends FieldSpecPart {
  readonly incomingGranularitySpec?: GranularityPart | undefined;
  readonly outgoingGranularitySpec?: GranularityPart | undefined;
}

/** How times are counted or written in it. */
export interface GranularityPart {
  readonly name?: string | undefined;
  readonly timeType?: string | undefined;
  readonly timeFormat?: string | undefined;
  readonly timeUnitSize?: number | undefined;
}

/** What the pipeline reads of a column's specification. */
export interface FieldSpecPart {
  readonly name?: string | undefined;
  readonly dataType?: string | undefined;
  readonly singleValueField?: boolean | undefined;
  readonly defaultNullValue?: unknown;
  readonly defaultNullValueString?: string | undefined;
  readonly transformFunction?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly maxLengthExceedStrategy?: string | undefined;
  readonly allowTrailingZeros?: boolean | undefined;
  readonly format?: string | undefined;
}
