import fc from 'fast-check';
import { complexes, dimensions, fields, metrics, plainFields, times } from './verdict-columns.ts';
import { assignment, kinds, partition, stream } from './verdict-sections.ts';
import { column, columns, count, expression, period, some, tag, words } from './verdict-words.ts';

/**
 * Values by the path of their member; `*` is an element, `key` the name of one. The first match
 * counts.
 */
const hints: readonly (readonly [RegExp, fc.Arbitrary<unknown>])[] = [
  [
    /^tableName$/,
    words(
      'orders',
      'orders_OFFLINE',
      'orders_REALTIME',
      'others',
      'a.orders',
      'a.b.orders',
      'or ders',
      '',
      5,
    ),
  ],
  [
    /^schemaName$|segmentsConfig\.schemaName$/,
    words('orders', 'others', 'Orders', 'x_OFFLINE', 'a.b', 'or ders', 5, ''),
  ],
  [/primaryKeyColumns$/, columns],
  [/dimensionFieldSpecs$/, fields(dimensions, ...plainFields)],
  [/metricFieldSpecs$/, fields(metrics, ...plainFields)],
  [
    /dateTimeFieldSpecs$/,
    fields(times, ...plainFields, 'format', 'format', 'sampleValue', 'granularity', 'sampleValue'),
  ],
  [/complexFieldSpecs$/, fields(complexes, ...plainFields, 'childFieldSpecs')],
  [
    /timeFieldSpec\.(incoming|outgoing)GranularitySpec$/,
    words(
      { name: 't', dataType: 'LONG', timeType: 'DAYS' },
      { name: 'u', dataType: 'LONG', timeType: 'HOURS' },
      { name: 't', dataType: 'INT', timeType: 'DAYS', timeFormat: 'SIMPLE_DATE_FORMAT:yyyy' },
    ),
  ],
  [
    /timeFieldSpec$/,
    words(
      { incomingGranularitySpec: { name: 't', dataType: 'LONG', timeType: 'DAYS' } },
      {
        incomingGranularitySpec: { name: 't', dataType: 'LONG', timeType: 'DAYS' },
        outgoingGranularitySpec: { name: 't', dataType: 'LONG', timeType: 'HOURS' },
      },
      {
        incomingGranularitySpec: { name: 't', dataType: 'LONG', timeType: 'DAYS' },
        outgoingGranularitySpec: { name: 'u', dataType: 'LONG', timeType: 'HOURS' },
      },
      {},
    ),
  ],
  [/timeColumnName$/, column],
  [/retentionTimeUnit$|timeType$/i, words('DAYS', 'days', 'HOURS', 'WEEKS', 'x', '')],
  [/retentionTimeValue$|replication$|replicasPerPartition$/, count],
  [/deletedSegmentsRetentionPeriod$|segmentAge$/, period],
  [/peerSegmentDownloadScheme$/, words('http', 'https', 'HTTP', 'ftp', '')],
  [/segmentPushType$|segmentIngestionType$/, words('APPEND', 'REFRESH', 'append', 'x', '')],
  [/PushFrequency$|segmentIngestionFrequency$/, words('DAILY', 'HOURLY', 'daily', 'x')],
  [/completionMode$/, words('DOWNLOAD', 'DEFAULT', 'download', 'x', '')],
  [/numInstancesPerPartition$/, words(0, 1, 2, -1)],
  [
    /quota\.storage$/,
    words('100G', '1.5T', '10M', '5', 'x', '', '0G', '-1G', '100 G', '1KB', '1GiB'),
  ],
  [/maxQueriesPerSecond$/, words('5', '0.5', '0', '-1', 'x', '', 10)],
  [
    /segmentPrunerTypes$/,
    fc.array(words('partition', 'time', 'empty', 'x', 'PARTITION', ''), { maxLength: 2 }),
  ],
  [
    /instanceSelectorType$/,
    words(
      'balanced',
      'replicaGroup',
      'strictReplicaGroup',
      'multiStageReplicaGroup',
      'x',
      'STRICTREPLICAGROUP',
    ),
  ],
  [/query\.\w+(Ms|Bytes)$/, words(1000, 1, 0, -1, '5', 'x')],
  [/instanceAssignmentConfigMap$/, some(kinds, assignment)],
  [/instancePartitionsMap$/, some(kinds, words('a', 'b', ''))],
  [
    /segmentAssignmentConfigMap$/,
    some(kinds, words({ assignmentStrategy: 'balanced' }, { assignmentStrategy: 'x' }, {})),
  ],
  [/realtimeConsuming$|realtimeCompleted$|serverTag$/, tag],
  [/tunerConfigs\.\*\.name$/, words('realtimeAutoIndexTuner', 'x', '')],
  [/segmentSelectorType$/, words('time', 'fixed', 'TIME', 'x', '')],
  [/storageType$/, words('pinot_server', 'PINOT_SERVER', 'x')],
  [/segmentList$/, words([], ['s1'])],
  [/streamConfigMaps$/, fc.array(stream, { minLength: 1, maxLength: 2 })],
  [/streamConfigs$/, stream],
  [
    /batchConfigMaps$/,
    fc.array(
      fc.record(
        {
          inputDirURI: words('/x', 's3://b/x'),
          inputFormat: words(
            'csv',
            'json',
            'parquet',
            'avro',
            'CSV',
            'xls',
            '',
            'GZIPPED_AVRO',
            'thrift',
            'orc',
            'proto',
            'arrow',
          ),
          'recordReader.prop.delimiter': words('|'),
          other: words('x', 5),
          outputDirURI: words('/y', ''),
        },
        { requiredKeys: ['inputDirURI'] },
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ],
  [/filterFunction$|transformFunction$/, expression],
  [
    /aggregationConfigs\.\*\.aggregationFunction$/,
    words(
      'SUM(x)',
      'sum(cost)',
      'COUNT(*)',
      'MAX(x)',
      'MIN(price)',
      'SUM',
      'AVG(x)',
      'DISTINCTCOUNTHLL(x)',
      'DISTINCT_COUNT_HLL(x, 12)',
      'SUMPRECISION(x, 10)',
      'NOTHING(x)',
      'SUM(x, y)',
      'SUM(x + 1)',
      '',
      'PERCENTILETDIGEST(x)',
      'MINMAXRANGE(x)',
      'DISTINCTCOUNTHLLPLUS(x)',
    ),
  ],
  [/enricherType$/, words('generateColumn', 'generateColumn', 'clpEnricher', 'x', '')],
  [
    /enrichmentConfigs\.\*\.properties$/,
    words(
      { fieldToFunctionMap: { n: 'upper(name)' } },
      { fieldToFunctionMap: { n: 'uper(name)' } },
      { fields: ['name'] },
      {},
      { fieldToFunctionMap: { n: 'Groovy({name}, name)' } },
      { x: 1 },
    ),
  ],
  [
    /prefixesToRename$/,
    words({ 'x.': '' }, { na: 'x' }, { 'x.': 'y.', 'z.': 'y.' }, {}, { '': 'x' }, { 'x.': null }),
  ],
  [
    /fieldsToUnnest$|fieldPaths\w+$|mergedTextIndexPathToExclude$|fieldsToDoubleIngest$/,
    words(['a'], ['a.b', 'c'], [], ['name']),
  ],
  [/collectionNotUnnestedToJson$/, words('NONE', 'NON_PRIMITIVE', 'ALL', 'none', 'SOME')],
  [/indexableExtrasField$|mergedTextIndexField$/i, words('doc', 'name', 'none', 'id', 'tags', '')],
  [/columnNameToJsonKeyPathMap$/, words({ name: 'a.b' }, {}, { none: 'a' })],
  [/(IndexColumns|DictionaryColumns|FilterColumns|sortedColumn)$/, columns],
  [/segmentPartitionConfig\.columnPartitionMap$/, some(column, partition)],
  [
    /segmentPartitionConfig$/,
    fc.oneof(
      words({}, { columnPartitionMap: {} }),
      some(column, partition).map((columnPartitionMap) => ({ columnPartitionMap })),
    ),
  ],
  [
    /bloomFilterConfigs$/,
    some(
      column,
      words(
        { fpp: 0.1 },
        { fpp: 0.5, maxSizeInBytes: 100 },
        { fpp: 2 },
        { fpp: 0 },
        {},
        { loadOnHeap: true },
        { fpp: 'x' },
        null,
      ),
    ),
  ],
  [
    /jsonIndexConfigs$/,
    some(
      column,
      words(
        {},
        { maxLevels: 2 },
        { maxLevels: -1 },
        { maxLevels: 0 },
        { excludeArray: true },
        { disableCrossArrayUnnest: true },
        { x: 1 },
        { includePaths: ['$.a'] },
        { includePaths: ['a'] },
        { includePaths: ['$.a'], excludePaths: ['$.b'] },
      ),
    ),
  ],
  [/mapIndexConfigs$/, some(column, words({}, { x: 1 }))],
  [
    /noDictionaryConfig$/,
    some(column, words('SNAPPY', 'PASS_THROUGH', 'LZ4', 'ZIP', 'snappy', '')),
  ],
  [
    /tierOverwrites$/,
    words(
      {},
      { cold: {} },
      { cold: { loadMode: 'HEAP' } },
      { cold: { encodingType: 'RAW' } },
      { cold: 'x' },
    ),
  ],
  [
    /loadMode$|segmentFormatVersion$|segmentNameGeneratorType$|columnMinMaxValueGeneratorMode$/,
    words('MMAP', 'HEAP', 'v3', 'v1', 'x', 'ALL', 'NONE', 'simple'),
  ],
  [
    /fieldConfigList\.\*\.name$|starTreeIndexConfigs\.\*\.dimensionsSplitOrder\.\*$|columnName$|Column$/,
    column,
  ],
  [/comparisonColumns$/, columns],
  [
    /fieldConfigList\.\*\.indexes$/,
    words(
      {},
      { inverted: {} },
      { inverted: { enabled: 'true' } },
      { bloom: { fpp: 0.5 } },
      { bloom: { fpp: 5 } },
      { json: {} },
      { range: {} },
      { text: {} },
      { fst: {} },
      { h3: { resolutions: [5] } },
      { h3: {} },
      { vector: { vectorIndexType: 'HNSW', vectorDimension: 4 } },
      { vector: {} },
      { dictionary: { onHeap: true } },
      { dictionary: { useVarLengthDictionary: true } },
      { forward: { disabled: true } },
      { forward: { compressionCodec: 'SNAPPY' } },
      { x: {} },
    ),
  ],
  [
    /fieldConfigList\.\*\.properties$/,
    words(
      {},
      { forwardIndexDisabled: 'true' },
      { resolutions: '5' },
      { vectorIndexType: 'HNSW', vectorDimension: '4' },
      { deriveNumDocsPerChunkForRawIndex: 'true' },
      { x: 'y' },
      { fstType: 'native' },
      { x: 1 },
    ),
  ],
  [
    /functionColumnPairs$/,
    fc.array(
      words(
        'SUM__price',
        'COUNT__*',
        'MAX__cost',
        'DISTINCTCOUNTHLL__id',
        'SUM__*',
        'SOME__price',
        'SUM__none',
        'price',
        'sum__price',
        'AVG__name',
        'DISTINCT_COUNT__id',
        'PERCENTILE__price',
        'sum_price',
        '',
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ],
  [
    /starTreeIndexConfigs\.\*\.(dimensionsSplitOrder)$/,
    fc.array(fc.oneof(fc.constantFrom('id', 'name', 'day'), column), {
      minLength: 1,
      maxLength: 3,
    }),
  ],
  [
    /skipStarNodeCreationForDimensions$/,
    fc.array(fc.constantFrom('id', 'name', 'day', 'none'), { maxLength: 2 }),
  ],
  [
    /starTreeIndexConfigs\.\*\.aggregationConfigs\.\*\.aggregationFunction$/,
    words('SUM', 'COUNT', 'max', 'SOME', '', 'DISTINCT_COUNT_HLL'),
  ],
  [/partialUpsertStrategies\.key$/, column],
  [/metadataTTL$|deletedKeysTTL$/, words(0, 1, 86_400, -1, 'x', 0.5)],
  [
    /taskTypeConfigsMap$/,
    words(
      {},
      { MergeRollupTask: {} },
      { UpsertCompactionTask: {}, UpsertCompactMergeTask: { minNumSegmentsPerTask: '1' } },
      { UpsertCompactionTask: {}, UpsertCompactMergeTask: {} },
      { X: { a: 'b' } },
      { X: null },
      { X: { a: 5 } },
      { X: { a: {} } },
    ),
  ],
  [/customConfigs$/, words({}, { a: 'b' }, { a: 5 }, { a: { b: 1 } })],
  [/expressionOverrideMap$/, words({}, { 'a + b': 'c' }, { x: 5 })],
  [
    /metadataManagerConfigs$|tunerProperties$|tierBackendProperties$|functionParameters$/,
    words({}, { a: 'b' }, { a: 5 }, { a: {} }),
  ],
];

/** Values for the member at a path; undefined if its kind suffices. */
export function hintFor(path: string): fc.Arbitrary<never> | undefined;
export function hintFor(path: string): fc.Arbitrary<unknown> | undefined {
  return hints.find(([pattern]) => pattern.test(path))?.[1];
}
