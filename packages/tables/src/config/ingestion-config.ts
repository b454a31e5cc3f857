import {
  flag,
  freeForm,
  freeForms,
  integer,
  list,
  model,
  oneOf,
  optionalSection,
  section,
  text,
  texts,
} from '../model/member.ts';

const BatchIngestionConfig = section(
  {
    batchConfigMaps: freeForms('Sources of files: input directory, patterns, format, file system.'),
    segmentIngestionType: text('What a push does: APPEND adds segments, REFRESH replaces all.', 'APPEND'),
    segmentIngestionFrequency: text('How often segments are pushed: HOURLY or DAILY.', 'DAILY'),
    consistentDataPush: flag('Whether queries see a REFRESH whole or not at all.'),
  },
  'How files become segments.',
);

const StreamIngestionConfig = section(
  {
    streamConfigMaps: freeForms('Streams: type, topic, decoder, when a segment is complete.'),
    columnMajorSegmentBuilderEnabled: flag('Whether segments are built column by column.', true),
    trackFilteredMessageOffsets: flag('Whether offsets of messages without rows count as consumed.'),
    pauselessConsumptionEnabled: flag('Whether consumption goes on while a segment is committed.'),
  },
  'How streams become segments.',
);

const SchemaConformingTransformerConfig = optionalSection(
  {
    enableIndexableExtras: flag('Whether fields that the schema does not name are kept.', true),
    enableUnindexableExtras: flag('Whether fields are kept that are not to be indexed.', true),
    useAnonymousDotInFieldNames: flag('Whether a dot in the name of a field is a part of it.', true),
    optimizeCaseInsensitiveSearch: flag('Whether the text index holds lower case.'),
    reverseTextIndexKeyValueOrder: flag('Whether values come before keys in the text index.', true),
    indexableExtrasField: text('Column of fields that the schema does not name.', 'json_data'),
    unindexableExtrasField: text('Column of fields that are not to be indexed.', 'json_data_no_idx'),
    unindexableFieldSuffix: text('Ending of the names of fields that are not to be indexed.', '_noindex'),
    mergedTextIndexField: text('Column of everything that is searched as text. Left out: none.'),
    jsonKeyValueSeparator: text('What stands between key and value in the text index.', '\u001e'),
    mergedTextIndexBeginOfDocAnchor: text('What stands before a document of the text index.', '\u0002'),
    mergedTextIndexEndOfDocAnchor: text('What stands after a document of the text index.', '\u0003'),
    mergedTextIndexDocumentMaxLength: integer('Longest document of the text index, in characters.', 32_766),
    mergedTextIndexBinaryDocumentDetectionMinLength: integer('Length from which documents are looked at for being binary.', 512),
    fieldPathsToDrop: texts('Fields that are dropped.'),
    fieldPathsToSkipStorage: texts('Fields that are searched but not kept.'),
    mergedTextIndexPathToExclude: texts('Fields that are not searched as text.'),
    fieldsToDoubleIngest: texts('Fields that are kept in their column and among the others.'),
    fieldPathsToPreserveInputWithIndex: texts('Fields that are kept as they came, and searched.'),
    fieldPathsToPreserveInput: texts('Fields that are kept as they came.'),
    columnNameToJsonKeyPathMap: freeForm('Path of a field by the name of the column that it goes to.'),
  },
  'Where fields go that the schema does not name.',
);

const EnrichmentConfig = model(
  {
    enricherType: text('What makes the columns: generateColumn or clpEnricher.'),
    properties: freeForm('Its options.'),
    preComplexTypeTransform: flag('Whether it runs before nested values are flattened.'),
  },
  'A way in which columns are made before the transforms.',
);

const TransformConfig = model(
  { columnName: text('The column that it makes.'), transformFunction: text('The expression that gives its value.') },
  'A column and the expression that makes it.',
);

const ComplexTypeConfig = optionalSection(
  {
    fieldsToUnnest: texts('Lists whose elements become rows of their own.'),
    delimiter: text('What joins the names of nested fields.', '.'),
    prefixesToRename: freeForm('New prefixes of columns by the old ones.'),
    collectionNotUnnestedToJson: oneOf(
      ['NONE', 'NON_PRIMITIVE', 'ALL'],
      'Which lists that are not unnested become JSON text.',
      'NON_PRIMITIVE',
    ),
  },
  'How nested values become columns and rows.',
);

const AggregationConfig = model(
  { columnName: text('The metric that it gives.'), aggregationFunction: text('The aggregation, such as SUM(price).') },
  'A metric that is added up while rows are consumed.',
);

/** How rows come into the table (SPECIFICATION.md section 2.4.3). */
export const IngestionConfig = section(
  {
    batchIngestionConfig: BatchIngestionConfig,
    streamIngestionConfig: StreamIngestionConfig,
    schemaConformingTransformerConfig: SchemaConformingTransformerConfig,
    segmentTimeValueCheck: flag('Whether segments are refused whose times are not between 1971 and 2071.', true),
    continueOnError: flag('Whether a value that cannot be converted becomes null instead of ending the ingestion.'),
    rowTimeValueCheck: flag('Whether times that are not between 1971 and 2071 become null.'),
    filterConfig: section(
      { filterFunction: text('Rows for which this expression is true are dropped.') },
      'Which rows are dropped.',
    ),
    enrichmentConfigs: list(EnrichmentConfig, 'Columns that are made before the transforms.'),
    transformConfigs: list(TransformConfig, 'Columns that are made by expressions.'),
    complexTypeConfig: ComplexTypeConfig,
    aggregationConfigs: list(AggregationConfig, 'Metrics that are added up while rows are consumed.'),
  },
  'How rows come into the table.',
);
