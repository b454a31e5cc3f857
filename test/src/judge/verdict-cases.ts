/**
 * A sound table, and changes to it: each by the path of a member, and its new value; undefined
 * removes it.
 */
export const soundConfig = {
  tableName: 'orders_OFFLINE',
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'at', replication: '1', schemaName: 'orders' },
  tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
  tableIndexConfig: { loadMode: 'MMAP' },
  metadata: {},
};

export const soundSchema = {
  schemaName: 'orders',
  primaryKeyColumns: ['id'],
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'INT' },
    { name: 'name', dataType: 'STRING' },
    { name: 'tags', dataType: 'STRING', singleValueField: false },
    { name: 'doc', dataType: 'JSON' },
  ],
  metricFieldSpecs: [{ name: 'price', dataType: 'DOUBLE' }],
  dateTimeFieldSpecs: [
    { name: 'at', dataType: 'LONG', format: '1:MILLISECONDS:EPOCH', granularity: '1:MILLISECONDS' },
  ],
};

export type Change = readonly [path: string, value: unknown];

const index = 'tableIndexConfig';
const ingestion = 'ingestionConfig';
const transform = (
  columnName: string | undefined,
  transformFunction: string | undefined,
): Change => [`${ingestion}.transformConfigs`, [{ columnName, transformFunction }]];

/** Changes of the config, alone. */
export const configChanges: readonly Change[] = [
  ['tableName', undefined],
  ['tableName', ''],
  ['tableName', 'a b_OFFLINE'],
  ['tableName', 'a.b_OFFLINE'],
  ['tableName', 'a.b.c_OFFLINE'],
  ['tableType', undefined],
  ['tableType', 'offline'],
  ['tableType', 'BOTH'],
  ['segmentsConfig', undefined],
  ['tenants', undefined],
  [index, undefined],
  ['metadata', undefined],
  ['quota', { storage: '1G' }],
  ['quota', { storage: 'x' }],
  ['quota', { maxQueriesPerSecond: '5' }],
  ['quota', { maxQueriesPerSecond: 'x' }],
  ['segmentsConfig.replication', undefined],
  ['segmentsConfig.replication', '0'],
  ['segmentsConfig.replication', 'x'],
  ['segmentsConfig.replication', '3'],
  ['segmentsConfig.timeColumnName', undefined],
  ['segmentsConfig.timeColumnName', ''],
  ['segmentsConfig.timeColumnName', 'none'],
  ['segmentsConfig.timeColumnName', 'name'],
  ['segmentsConfig.retentionTimeUnit', 'DAYS'],
  ['segmentsConfig.retentionTimeUnit', 'days'],
  ['segmentsConfig.retentionTimeUnit', 'WEEKS'],
  ['segmentsConfig.retentionTimeValue', '5'],
  ['segmentsConfig.retentionTimeValue', 'x'],
  ['segmentsConfig.segmentPushType', 'APPEND'],
  ['segmentsConfig.segmentPushType', 'push'],
  ['segmentsConfig.peerSegmentDownloadScheme', 'http'],
  ['segmentsConfig.peerSegmentDownloadScheme', 'ftp'],
  ['isDimTable', true],
  ['unknownMember', 1],
  transform('name', 'upper(doc)'),
  transform('name', 'uper(doc)'),
  transform('name', 'upper(name)'),
  transform('other', 'upper(name)'),
  transform('name', undefined),
  transform(undefined, 'upper(doc)'),
  transform('name', 'Groovy({doc}, doc)'),
  transform('name', 'a ||'),
  transform('name', "a IN ('x')"),
  transform('name', 'now()'),
  transform('name', "concat(id, '-', 'x', 'y')"),
  transform('id', "fromDateTime(name, 'QQQ')"),
  transform('name', ''),
  [
    `${ingestion}.transformConfigs`,
    [
      { columnName: 'name', transformFunction: 'id' },
      { columnName: 'name', transformFunction: 'doc' },
    ],
  ],
  [`${ingestion}.filterConfig`, { filterFunction: 'id > 5' }],
  [`${ingestion}.filterConfig`, { filterFunction: 'id >' }],
  [`${ingestion}.filterConfig`, { filterFunction: '' }],
  [`${ingestion}.filterConfig`, {}],
  [`${ingestion}.filterConfig`, { filterFunction: "strcmp(name, 'x') = 0 AND id = 1" }],
  [`${ingestion}.filterConfig`, { filterFunction: 'nonsense(id)' }],
  [`${ingestion}.complexTypeConfig`, { prefixesToRename: { na: 'x' } }],
  [`${ingestion}.complexTypeConfig`, { prefixesToRename: { 'zz.': '' } }],
  [`${ingestion}.complexTypeConfig`, { delimiter: '_' }],
  [`${ingestion}.complexTypeConfig`, { collectionNotUnnestedToJson: 'SOME' }],
  [
    `${ingestion}.enrichmentConfigs`,
    [{ enricherType: 'generateColumn', properties: { fieldToFunctionMap: { x: 'upper(name)' } } }],
  ],
  [
    `${ingestion}.enrichmentConfigs`,
    [{ enricherType: 'generateColumn', properties: { fieldToFunctionMap: { x: 'uper(name)' } } }],
  ],
  [`${ingestion}.enrichmentConfigs`, [{ enricherType: 'nothing', properties: {} }]],
  [`${ingestion}.enrichmentConfigs`, [{ enricherType: 'generateColumn' }]],
  [
    `${ingestion}.batchIngestionConfig`,
    { segmentIngestionType: 'APPEND', segmentIngestionFrequency: 'DAILY' },
  ],
  [
    `${ingestion}.batchIngestionConfig`,
    {
      segmentIngestionType: 'APPEND',
      segmentIngestionFrequency: 'DAILY',
      batchConfigMaps: [{ inputDirURI: '/x', inputFormat: 'csv' }],
    },
  ],
  [
    `${ingestion}.batchIngestionConfig`,
    {
      segmentIngestionType: 'APPEND',
      segmentIngestionFrequency: 'DAILY',
      batchConfigMaps: [{ inputDirURI: '/x', inputFormat: 'xls' }],
    },
  ],
  [`${ingestion}.aggregationConfigs`, [{ columnName: 'price', aggregationFunction: 'SUM(cost)' }]],
  [`${ingestion}.aggregationConfigs`, [{ columnName: 'name', aggregationFunction: 'SUM(cost)' }]],
  [`${ingestion}.aggregationConfigs`, [{ columnName: 'price' }]],
  [`${ingestion}.aggregationConfigs`, [{ columnName: 'price', aggregationFunction: 'cost' }]],
  [`${index}.sortedColumn`, ['id']],
  [`${index}.sortedColumn`, ['none']],
  [`${index}.sortedColumn`, ['tags']],
  [`${index}.sortedColumn`, ['id', 'name']],
  [`${index}.invertedIndexColumns`, ['name']],
  [`${index}.invertedIndexColumns`, ['none']],
  [`${index}.rangeIndexColumns`, ['price']],
  [`${index}.rangeIndexColumns`, ['none']],
  [`${index}.rangeIndexColumns`, ['name']],
  [`${index}.noDictionaryColumns`, ['price']],
  [`${index}.noDictionaryColumns`, ['none']],
  [`${index}.bloomFilterColumns`, ['name']],
  [`${index}.bloomFilterColumns`, ['none']],
  [`${index}.jsonIndexColumns`, ['doc']],
  [`${index}.jsonIndexColumns`, ['id']],
  [`${index}.jsonIndexColumns`, ['none']],
  [`${index}.varLengthDictionaryColumns`, ['name']],
  [`${index}.varLengthDictionaryColumns`, ['id']],
  [`${index}.onHeapDictionaryColumns`, ['none']],
  [`${index}.noDictionaryConfig`, { none: 'SNAPPY' }],
  [`${index}.bloomFilterConfigs`, { name: { fpp: 0.1 } }],
  [`${index}.bloomFilterConfigs`, { name: { fpp: 2 } }],
  [`${index}.bloomFilterConfigs`, { none: { fpp: 0.1 } }],
  [`${index}.jsonIndexConfigs`, { none: {} }],
  [`${index}.jsonIndexConfigs`, { doc: { maxLevels: 2 } }],
  [`${index}.segmentPartitionConfig`, {}],
  [
    `${index}.segmentPartitionConfig`,
    { columnPartitionMap: { name: { functionName: 'Murmur', numPartitions: 4 } } },
  ],
  [
    `${index}.segmentPartitionConfig`,
    { columnPartitionMap: { tags: { functionName: 'Murmur', numPartitions: 4 } } },
  ],
  [
    `${index}.segmentPartitionConfig`,
    { columnPartitionMap: { none: { functionName: 'Murmur', numPartitions: 4 } } },
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['name'], functionColumnPairs: ['SUM__price'], maxLeafRecords: 10 }],
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['none'], functionColumnPairs: ['SUM__price'], maxLeafRecords: 10 }],
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['name'], functionColumnPairs: ['SOME__price'], maxLeafRecords: 10 }],
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['name'], functionColumnPairs: ['SUM__none'], maxLeafRecords: 10 }],
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['tags'], functionColumnPairs: ['SUM__price'], maxLeafRecords: 10 }],
  ],
  [
    `${index}.starTreeIndexConfigs`,
    [{ dimensionsSplitOrder: ['name'], functionColumnPairs: ['SUM__*'], maxLeafRecords: 10 }],
  ],
  ['fieldConfigList', [{ name: 'name', encodingType: 'DICTIONARY' }]],
  ['fieldConfigList', [{ name: 'none', encodingType: 'RAW' }]],
  ['fieldConfigList', [{ name: 'name', encodingType: 'RAW', indexTypes: ['INVERTED'] }]],
  ['fieldConfigList', [{ name: 'name', encodingType: 'RAW', indexTypes: ['TEXT'] }]],
  ['fieldConfigList', [{ name: 'id', encodingType: 'RAW', indexTypes: ['TEXT'] }]],
  ['fieldConfigList', [{ name: 'name' }, { name: 'name' }]],
  ['fieldConfigList', [{ name: 'name', encodingType: 'RAW', compressionCodec: 'SNAPPY' }]],
  ['fieldConfigList', [{ name: 'name', encodingType: 'RAW', compressionCodec: 'ZIP' }]],
  ['fieldConfigList', [{ encodingType: 'RAW' }]],
  [
    'fieldConfigList',
    [
      {
        name: 'at',
        encodingType: 'DICTIONARY',
        indexTypes: ['TIMESTAMP'],
        timestampConfig: { granularities: ['DAY'] },
      },
    ],
  ],
  ['fieldConfigList', [{ name: 'name', encodingType: 'RAW', indexTypes: ['H3'] }]],
  [
    'tierConfigs',
    [
      {
        name: 'cold',
        segmentSelectorType: 'time',
        segmentAge: '7d',
        storageType: 'pinot_server',
        serverTag: 'cold_OFFLINE',
      },
    ],
  ],
  [
    'tierConfigs',
    [
      {
        name: 'cold',
        segmentSelectorType: 'time',
        segmentAge: 'x',
        storageType: 'pinot_server',
        serverTag: 'cold_OFFLINE',
      },
    ],
  ],
  [
    'tierConfigs',
    [
      {
        name: 'cold',
        segmentSelectorType: 'time',
        segmentAge: '7d',
        storageType: 'pinot_server',
        serverTag: 'cold',
      },
    ],
  ],
  [
    'tierConfigs',
    [
      {
        name: '',
        segmentSelectorType: 'time',
        segmentAge: '7d',
        storageType: 'pinot_server',
        serverTag: 'cold_OFFLINE',
      },
    ],
  ],
  ['upsertConfig', { mode: 'FULL' }],
  ['dedupConfig', { dedupEnabled: true }],
  ['task', { taskTypeConfigsMap: { MergeRollupTask: { schedule: '0 * * * * ?' } } }],
  ['task', { taskTypeConfigsMap: {} }],
  ['routing', { instanceSelectorType: 'strictReplicaGroup' }],
  ...[{ maxLevels: 'x' }, { maxLevels: '2' }, { includePaths: '$.a' }, 'x', true, 0, null].map(
    (options): Change => [`${index}.jsonIndexConfigs`, { doc: options }],
  ),
  ...[{ disabled: true }, null].map((options): Change => [
    `${index}.bloomFilterConfigs`,
    { none: options },
  ]),
  ...[
    { text: true },
    { text: { stopWordsInclude: 'x' } },
    { fst: { type: 'native' } },
    { range: 2 },
    { range: 1.5 },
    { dictionary: 'false' },
    { bloom: { fpp: [] } },
    { bloom: { disabled: 'true' } },
    { forward: { targetMaxChunkSize: 'x' } },
    { unknown: 5 },
  ].map((indexes): Change => ['fieldConfigList', [{ name: 'name', indexes }]]),
  ...[
    { minimizeDataMovement: 'yes' },
    { minimizeDataMovement: ' true ' },
    { tagPoolConfig: { tag: 'a_OFFLINE', numPools: 'x' } },
    { tagPoolConfig: { tag: ['a_OFFLINE'] } },
    { constraintConfig: 'x' },
  ].map((more): Change => [
    'instanceAssignmentConfigMap',
    {
      OFFLINE: {
        tagPoolConfig: { tag: 'a_OFFLINE' },
        replicaGroupPartitionConfig: { replicaGroupBased: false },
        ...more,
      },
    },
  ]),
  ['segmentAssignmentConfigMap', { OFFLINE: 'balanced' }],
  ...['0x10', '5d', ' 1e3', 'NaN'].map((maxQueriesPerSecond): Change => [
    'quota',
    { maxQueriesPerSecond },
  ]),
  ...['5.0', ' +5 ', 5.5].map((timeoutMs): Change => ['query', { timeoutMs }]),
  ['query', { timeoutMs: 1000 }],
  ['query', { timeoutMs: -1 }],
];

/** Changes of the schema, alone. */
export const schemaChanges: readonly Change[] = [
  ['schemaName', undefined],
  ['primaryKeyColumns', ['none']],
  ['primaryKeyColumns', undefined],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'STRING' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'BOOLEAN' }]],
  ['metricFieldSpecs', [{ name: 'name', dataType: 'DOUBLE' }]],
  ['metricFieldSpecs', [{ name: 'p q', dataType: 'DOUBLE' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'double' }]],
  ['metricFieldSpecs', [{ name: 'price' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'INT', defaultNullValue: 1.5 }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'INT', defaultNullValue: '7' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'DOUBLE', defaultNullValue: 'NaN' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'DOUBLE', transformFunction: 'id * 2' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'DOUBLE', transformFunction: 'price * 2' }]],
  ['metricFieldSpecs', [{ name: 'price', dataType: 'DOUBLE', transformFunction: 'nonsense(id)' }]],
  ['metricFieldSpecs', [{ name: '', dataType: 'DOUBLE' }]],
  ['metricFieldSpecs', [{ dataType: 'DOUBLE' }]],
  ['complexFieldSpecs', [{ name: 'm', dataType: 'MAP' }]],
  ['complexFieldSpecs', [{ name: 'm', dataType: 'LIST' }]],
  ['complexFieldSpecs', [{ name: 'm', dataType: 'INT' }]],
  ...['JSON', 'BIG_DECIMAL', 'BYTES', 'BOOLEAN', 'TIMESTAMP', 'MAP', 'STRUCT', 'X'].flatMap(
    (dataType): Change[] => [
      ['metricFieldSpecs', [{ name: 'price', dataType }]],
      ['complexFieldSpecs', [{ name: 'extra', dataType }]],
    ],
  ),
  ...[
    '1:DAYS:EPOCH',
    'EPOCH|DAYS|1',
    'EPOCH',
    'TIMESTAMP',
    '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
    'SIMPLE_DATE_FORMAT',
    'SIMPLE_DATE_FORMAT|yyyyMMdd|Europe/Berlin',
    '1:WEEKS:EPOCH',
    'sometimes',
    '1:days:EPOCH',
    '1:DAYS',
    '',
    '1:DAYS:SIMPLE_DATE_FORMAT:dd-MM-yyyy',
    '1:DAYS:SIMPLE_DATE_FORMAT:QQQ',
    '0:DAYS:EPOCH',
    'EPOCH|DAYS|0',
  ].map((format): Change => [
    'dateTimeFieldSpecs',
    [{ name: 'at', dataType: 'LONG', format, granularity: '1:DAYS' }],
  ]),
  ...['1:DAYS', 'DAYS|1', 'HOURS', '1:days', '1:MONTHS', '', undefined, '0:DAYS', 'x'].map(
    (granularity): Change => [
      'dateTimeFieldSpecs',
      [{ name: 'at', dataType: 'LONG', format: '1:DAYS:EPOCH', granularity }],
    ],
  ),
  ...[19_000, 'x', 1, 36_890, 36_889, 365].map((sampleValue): Change => [
    'dateTimeFieldSpecs',
    [{ name: 'at', dataType: 'LONG', format: '1:DAYS:EPOCH', granularity: '1:DAYS', sampleValue }],
  ]),
  ['timeFieldSpec', { incomingGranularitySpec: { name: 't', dataType: 'LONG', timeType: 'DAYS' } }],
  ...['5', ' 5', '5.0'].map((defaultNullValue): Change => [
    'metricFieldSpecs',
    [{ name: 'price', dataType: 'LONG', defaultNullValue }],
  ]),
  ...['MAP', 'LIST'].flatMap((dataType) =>
    ['{}', '[]', {}, [1], '{', 5].map((defaultNullValue): Change => [
      'complexFieldSpecs',
      [{ name: 'extra', dataType, defaultNullValue }],
    ]),
  ),
  ...[{}, ['x'], null, 'METRIC', 5].map((fieldType): Change => [
    'metricFieldSpecs',
    [{ name: 'price', dataType: 'DOUBLE', fieldType }],
  ]),
  ...[{}, ['x'], null, 5, 'x'].map((defaultNullValueString): Change => [
    'metricFieldSpecs',
    [{ name: 'price', dataType: 'DOUBLE', defaultNullValueString }],
  ]),
  ...[false, null].map((singleValueField): Change => [
    'metricFieldSpecs',
    [{ name: 'price', dataType: 'DOUBLE', singleValueField }],
  ]),
  ...['Groovy({id + 1}, id)', 'Groovy({price}, price)', 'Groovy({id'].map((groovy): Change => [
    'metricFieldSpecs',
    [{ name: 'price', dataType: 'DOUBLE', transformFunction: groovy }],
  ]),
];

/** Transforms with cyclic dependencies, as names of columns and expressions. */
export const circularTransforms: readonly (readonly (readonly [string, string])[])[] = [
  [
    ['name', 'upper(day)'],
    ['day', 'lower(name)'],
  ],
  [
    ['name', 'upper(day)'],
    ['day', 'lower(doc)'],
    ['doc', 'concat(name, id)'],
  ],
];

/** A document with one change. */
export function changed<T extends object>(document: T, [path, value]: Change): T {
  const copy = structuredClone(document) as Record<string, unknown>;
  const names = path.split('.');
  let parent = copy;
  for (const name of names.slice(0, -1)) {
    const section = parent[name];
    const isSection = typeof section === 'object' && section !== null && !Array.isArray(section);
    parent = (isSection ? section : (parent[name] = {})) as Record<string, unknown>;
  }
  const last = names.at(-1) ?? '';
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy as T;
}
