import fc from 'fast-check';

const column = fc.oneof(
  {
    arbitrary: fc.constantFrom('id', 'name', 'doc', 'price', 'cost', 'at', 'day', 'seen', 'tags', 'isGone', 'place'),
    weight: 12,
  },
  { arbitrary: fc.constantFrom('vector', 'weight', 'counts', 'sketch', 'attributes'), weight: 4 },
  { arbitrary: fc.constantFrom('none', '', 'Name', '$docId', 'a b', 'attributes__KEYS'), weight: 2 },
);
const columns = fc.array(column, { minLength: 1, maxLength: 2 });
const expression = fc.constantFrom(
  'upper(name)',
  'id',
  'now()',
  "jsonPathString(doc, '$.a')",
  'uper(name)',
  'price * 2',
  'cost + id',
  'concat(name, day)',
  "concat(name, '-', day)",
  'toEpochDays("at")',
  'Groovy({name + 1}, name)',
  'name ||',
  '',
  ' ',
  "fromDateTime(day, 'yyyy-MM-dd')",
  'split(name)',
  'arrayLength(tags)',
  "name IN ('x', 'y')",
  'CASE WHEN id > 5 THEN name ELSE day END',
  'CAST(id AS STRING)',
  'CAST(id AS X)',
  'id > 5 AND NOT isNull(name)',
  "'text'",
  '5',
  'other',
  'upper(other)',
  'name; DROP',
  '(name',
  'name)',
  "name LIKE 'x%'",
  'id BETWEEN 1 AND 5',
  'sum(id)',
  'lookup(name)',
  '-id',
  "jsonExtractScalar(doc, '$.a', 'INT')",
  "timeConvert(\"at\", 'MILLISECONDS', 'DAYS')",
);
const period = fc.constantFrom('7d', '1h', '4h30m', '30s', 'x', '7', '', '0d', '-1d', '1w', '7 d', 'P7D', '1.5d', '100ms', '1D');
const count = fc.constantFrom<unknown>('1', '2', '3', '10', 2, '0', '-1', 'x', '1.5', '', ' 2', '99999999999');
const tag = fc.constantFrom('DefaultTenant_OFFLINE', 'cold_REALTIME', 'cold', '_OFFLINE', 'cold_offline', '');
const words = (...some: readonly unknown[]) => fc.constantFrom<unknown>(...some);
const some = (key: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
  fc.dictionary(key, value, { minKeys: 1, maxKeys: 2 }) as fc.Arbitrary<unknown>;

const stream = fc
  .record(
    {
      streamType: words('kafka', 'kafka', 'kafka', 'kafka', 'pulsar', ''),
      'stream.kafka.topic.name': words('orders', 'orders', 'others', ''),
      'stream.kafka.broker.list': words('localhost:9092'),
      'stream.kafka.consumer.type': words('lowlevel', 'lowLevel', 'simple', 'highlevel', 'x'),
      'stream.kafka.decoder.class.name': words('x.JSONMessageDecoder', 'x.JSONMessageDecoder', ''),
      'stream.kafka.consumer.factory.class.name': words('x.Factory', ''),
      'stream.kafka.consumer.prop.auto.offset.reset': words('smallest', 'largest', 'now', '2024-01-01T00:00:00Z', 'PT1H'),
      'realtime.segment.flush.threshold.rows': words('0', '1000', '50000', 'x', '-1', 1000, '1.5'),
      'realtime.segment.flush.threshold.time': words('6h', '1d', '3600000', 'x', '0', '-1h', 3600000),
      'realtime.segment.flush.threshold.segment.rows': words('0', '1000', '-1', 'x'),
      'realtime.segment.flush.threshold.segment.size': words('200M', '1G', '0', 'x', '100', '-1'),
      'stream.kafka.fetch.timeout.millis': words('5000', 'x', '-1'),
      'realtime.segment.flush.autotune.initialRows': words('100000', 'x', '0'),
    },
    { requiredKeys: ['streamType'] },
  )
  .chain((drawn) =>
    // Mostly a whole stream with a few members of its own, now and then only what was drawn.
    fc.subarray(Object.keys(drawn).slice(1), { maxLength: 3 }).map((kept) => ({
      streamType: drawn.streamType,
      'stream.kafka.topic.name': 'orders',
      'stream.kafka.broker.list': 'localhost:9092',
      'stream.kafka.consumer.type': 'lowlevel',
      'stream.kafka.decoder.class.name': 'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
      ...Object.fromEntries(Object.entries(drawn).filter(([name]) => kept.includes(name))),
    })),
  )
  .chain((whole) =>
    fc.option(fc.constantFrom(...Object.keys(whole)), { nil: undefined, freq: 4 }).map((gone) => {
      return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== gone));
    }),
  ) as fc.Arbitrary<unknown>;

const partition = fc.record(
  {
    functionName: words('Murmur', 'Modulo', 'HashCode', 'ByteArray', 'Murmur3', 'murmur', 'BoundedColumnValue', 'X', ''),
    numPartitions: words(4, 8, '4', 0, -1, 'x'),
    functionConfig: words({}, { columnValues: 'a|b', columnValuesDelimiter: '|' }),
  },
  { requiredKeys: ['functionName', 'numPartitions'] },
) as fc.Arbitrary<unknown>;

const assignment = fc.record(
  {
    tagPoolConfig: fc.record(
      { tag, poolBased: words(true, false), numPools: words(0, 1, 'x'), pools: words([], [1]) },
      { requiredKeys: ['tag'] },
    ),
    replicaGroupPartitionConfig: fc.record(
      {
        replicaGroupBased: words(true, false),
        numInstances: words(0, 3, -1, 'x'),
        numReplicaGroups: words(0, 2, -1, '2'),
        numInstancesPerReplicaGroup: words(0, 1),
        numPartitions: words(0, 2),
        numInstancesPerPartition: words(0, 1, 2),
        minimizeDataMovement: words(true),
        partitionColumn: column,
      },
      { requiredKeys: ['replicaGroupBased'] },
    ),
    partitionSelector: words(
      'FD_AWARE_INSTANCE_PARTITION_SELECTOR',
      'INSTANCE_REPLICA_GROUP_PARTITION_SELECTOR',
      'MIRROR_SERVER_SET_PARTITION_SELECTOR',
      'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR',
      'x',
    ),
    minimizeDataMovement: words(true, false),
  },
  { requiredKeys: ['tagPoolConfig', 'replicaGroupPartitionConfig'] },
) as fc.Arbitrary<unknown>;

const kinds = fc.constantFrom('OFFLINE', 'CONSUMING', 'COMPLETED', 'cold', 'X');
const timeFormat = fc.constantFrom<unknown>(
  '1:MILLISECONDS:EPOCH',
  '1:DAYS:EPOCH',
  '15:MINUTES:EPOCH',
  'EPOCH|SECONDS|1',
  'EPOCH|HOURS',
  'EPOCH',
  'TIMESTAMP',
  '1:MILLISECONDS:TIMESTAMP',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd HH:mm:ss',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd|America/New_York',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd|Nowhere/X',
  'SIMPLE_DATE_FORMAT',
  'SIMPLE_DATE_FORMAT|dd/MM/yyyy',
  "SIMPLE_DATE_FORMAT|yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
  '1:SECONDS:SIMPLE_DATE_FORMAT:HH:mm:ss',
  '1:WEEKS:EPOCH',
  'x',
  '',
  'epoch|DAYS|1',
  '1:DAYS:EPOCH:x',
  'DAYS',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd EEE',
  'SIMPLE_DATE_FORMAT|MMM yyyy',
  'SIMPLE_DATE_FORMAT|yyyyQ',
  'SIMPLE_DATE_FORMAT|xxxx-ww',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd h:mm a',
  '-1:DAYS:EPOCH',
  'x:DAYS:EPOCH',
);
const granularity = fc.constantFrom<unknown>(
  '1:DAYS',
  '15:MINUTES',
  'DAYS|1',
  'HOURS',
  'MILLISECONDS',
  'MINUTES|30',
  '0:DAYS',
  '1:WEEKS',
  'x',
  '',
  '1:days',
  '1:DAYS:EPOCH',
  '-1:HOURS',
  'DAYS|x',
);
const types = fc.constantFrom<unknown>(
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
  'MAP',
  'STRUCT',
  'LIST',
  'UNKNOWN',
  'int',
  'VARCHAR',
);
const defaults = fc.constantFrom<unknown>(
  0,
  1,
  1.5,
  -1,
  'x',
  '',
  '7',
  'true',
  true,
  'NaN',
  '00ff',
  '{}',
  'null',
  '1e3',
  '2.5',
  3e9,
  {},
  [],
);
/** Sound columns of a list, each with one or two members that are drawn. */
const fields = (sound: readonly Readonly<Record<string, unknown>>[], ...members: readonly string[]) => {
  const drawn: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    name: fc.oneof(
      { arbitrary: fc.constantFrom('p', 'q', 'r', 's'), weight: 9 },
      { arbitrary: fc.constantFrom('id', 'a b', '', '$p', 'P', 'a.b', 'm__KEYS'), weight: 2 },
    ),
    dataType: types,
    singleValueField: words(true, false, true, 'false'),
    notNull: words(true, false),
    maxLength: words(5, 512, 0, -1, '7', 'x'),
    maxLengthExceedStrategy: words('TRIM_LENGTH', 'ERROR', 'SUBSTITUTE_DEFAULT_VALUE', 'NO_ACTION', 'trim_length', 'x'),
    defaultNullValue: defaults,
    defaultNullValueString: words('0', '1', 'x', ''),
    virtualColumnProvider: words('x.Provider', ''),
    transformFunction: expression,
    allowTrailingZeros: words(true, false),
    format: timeFormat,
    granularity,
    sampleValue: words(
      1_700_000_000_000,
      19_000,
      '2024-01-01',
      'x',
      0,
      -1,
      '',
      '20240229',
      3_187_296_000_000,
      3_187_296_000_001,
      31_536_000_000,
    ),
    fieldType: words('DIMENSION', 'METRIC', 'DATE_TIME', 'X'),
    childFieldSpecs: words(
      {},
      { x: { name: 'x', dataType: 'INT', fieldType: 'DIMENSION' } },
      {
        key: { name: 'key', dataType: 'STRING', fieldType: 'DIMENSION' },
        value: { name: 'value', dataType: 'INT', fieldType: 'DIMENSION' },
      },
    ),
  };
  const change = fc
    .constantFrom(...members)
    .chain((member) =>
      fc.tuple(
        fc.constant(member),
        fc.oneof(
          { arbitrary: drawn[member] ?? fc.constant(null), weight: 9 },
          { arbitrary: fc.constantFrom<unknown>(undefined, null, {}, ['x']), weight: 1 },
        ),
      ),
    );
  const one = fc
    .tuple(fc.constantFrom('p', 'q', 'r', 's'), fc.constantFrom(...sound), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([name, column, changes]) => withoutUndefined({ name, ...column, ...Object.fromEntries(changes) }));
  return fc.array(one, { minLength: 1, maxLength: 1 }) as fc.Arbitrary<unknown>;
};
const withoutUndefined = (value: object): unknown =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
const ofTypes = (...some: readonly string[]) => some.map((dataType) => ({ dataType }));
const dimensions = [
  ...ofTypes('INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BOOLEAN', 'TIMESTAMP', 'STRING', 'JSON', 'BYTES'),
  ...ofTypes('INT', 'STRING', 'BYTES', 'TIMESTAMP').map((column) => ({ ...column, singleValueField: false })),
];
const metrics = ofTypes('INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BYTES');
const times = [
  { dataType: 'LONG', format: '1:DAYS:EPOCH', granularity: '1:DAYS' },
  { dataType: 'STRING', format: 'SIMPLE_DATE_FORMAT|yyyy-MM-dd', granularity: 'DAYS|1' },
  { dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: '15:MINUTES' },
];
const complexes = [
  { dataType: 'MAP' },
  {
    dataType: 'MAP',
    childFieldSpecs: {
      key: { name: 'key', dataType: 'STRING', fieldType: 'DIMENSION' },
      value: { name: 'value', dataType: 'INT', fieldType: 'DIMENSION' },
    },
  },
];
const plainFields = [
  'name',
  'dataType',
  'singleValueField',
  'notNull',
  'maxLength',
  'maxLengthExceedStrategy',
  'defaultNullValue',
  'defaultNullValueString',
  'virtualColumnProvider',
  'transformFunction',
  'allowTrailingZeros',
  'fieldType',
];

/** Values by the path of their member; `*` stands for an element, `key` for the name of one. The first that fits counts. */
const hints: readonly (readonly [RegExp, fc.Arbitrary<unknown>])[] = [
  [/^tableName$/, words('orders', 'orders_OFFLINE', 'orders_REALTIME', 'others', 'a.orders', 'a.b.orders', 'or ders', '', 5)],
  [/^schemaName$|segmentsConfig\.schemaName$/, words('orders', 'others', 'Orders', 'x_OFFLINE', 'a.b', 'or ders', 5, '')],
  [/primaryKeyColumns$/, columns],
  [/dimensionFieldSpecs$/, fields(dimensions, ...plainFields)],
  [/metricFieldSpecs$/, fields(metrics, ...plainFields)],
  [/dateTimeFieldSpecs$/, fields(times, ...plainFields, 'format', 'format', 'sampleValue', 'granularity', 'sampleValue')],
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
  [/quota\.storage$/, words('100G', '1.5T', '10M', '5', 'x', '', '0G', '-1G', '100 G', '1KB', '1GiB')],
  [/maxQueriesPerSecond$/, words('5', '0.5', '0', '-1', 'x', '', 10)],
  [/segmentPrunerTypes$/, fc.array(words('partition', 'time', 'empty', 'x', 'PARTITION', ''), { maxLength: 2 })],
  [
    /instanceSelectorType$/,
    words('balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup', 'x', 'STRICTREPLICAGROUP'),
  ],
  [/query\.\w+(Ms|Bytes)$/, words(1000, 1, 0, -1, '5', 'x')],
  [/instanceAssignmentConfigMap$/, some(kinds, assignment)],
  [/instancePartitionsMap$/, some(kinds, words('a', 'b', ''))],
  [/segmentAssignmentConfigMap$/, some(kinds, words({ assignmentStrategy: 'balanced' }, { assignmentStrategy: 'x' }, {}))],
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
  [/prefixesToRename$/, words({ 'x.': '' }, { na: 'x' }, { 'x.': 'y.', 'z.': 'y.' }, {}, { '': 'x' }, { 'x.': null })],
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
  [/noDictionaryConfig$/, some(column, words('SNAPPY', 'PASS_THROUGH', 'LZ4', 'ZIP', 'snappy', ''))],
  [/tierOverwrites$/, words({}, { cold: {} }, { cold: { loadMode: 'HEAP' } }, { cold: { encodingType: 'RAW' } }, { cold: 'x' })],
  [
    /loadMode$|segmentFormatVersion$|segmentNameGeneratorType$|columnMinMaxValueGeneratorMode$/,
    words('MMAP', 'HEAP', 'v3', 'v1', 'x', 'ALL', 'NONE', 'simple'),
  ],
  [/fieldConfigList\.\*\.name$|starTreeIndexConfigs\.\*\.dimensionsSplitOrder\.\*$|columnName$|Column$/, column],
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
    fc.array(fc.oneof(fc.constantFrom('id', 'name', 'day'), column), { minLength: 1, maxLength: 3 }),
  ],
  [/skipStarNodeCreationForDimensions$/, fc.array(fc.constantFrom('id', 'name', 'day', 'none'), { maxLength: 2 })],
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

/** Values that the member at a path is mostly given; undefined where its kind says enough. */
export function hintFor(path: string): fc.Arbitrary<never> | undefined;
export function hintFor(path: string): fc.Arbitrary<unknown> | undefined {
  return hints.find(([pattern]) => pattern.test(path))?.[1];
}
