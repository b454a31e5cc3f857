import type { TableConfig } from '../../src/index.ts';
import { dedup, realtime, type Scene, soundSchema, upsert } from './sound-table.ts';

/** For each rule about table configs: a table that keeps it, one that breaks it, and where. */
export interface TableCase {
  readonly keeps: Scene;
  readonly breaks: Scene;
  readonly at: readonly string[];
}

const kept = (config: TableConfig): Scene => ({ config });
const ingestion = (ingestionConfig: TableConfig['ingestionConfig']): Scene => ({
  config: { ingestionConfig: ingestionConfig ?? {} },
});
const index = (tableIndexConfig: TableConfig['tableIndexConfig']): Scene => ({
  config: { tableIndexConfig: tableIndexConfig ?? {} },
});
const segments = (segmentsConfig: TableConfig['segmentsConfig']): Scene => ({ config: { segmentsConfig: segmentsConfig ?? {} } });
const fields = (...fieldConfigList: NonNullable<TableConfig['fieldConfigList']>): Scene => ({ config: { fieldConfigList } });
const tiers = (...tierConfigs: NonNullable<TableConfig['tierConfigs']>): Scene => ({ config: { tierConfigs } });
const tasks = (taskTypeConfigsMap: Record<string, unknown>): Scene => ({ config: { task: { taskTypeConfigsMap } } });
const transform = (columnName: string, transformFunction: string) => ({ columnName, transformFunction });
const transforms = (...transformConfigs: { columnName: string; transformFunction: string }[]): Scene =>
  ingestion({ transformConfigs });
const aggregations = (...aggregationConfigs: { columnName?: string; aggregationFunction?: string }[]): Scene =>
  ingestion({ aggregationConfigs });
const upserting = (upsertConfig: TableConfig['upsertConfig'], more: TableConfig = {}): Scene => ({
  config: { ...upsert, ...more, upsertConfig: { ...upsert.upsertConfig, ...upsertConfig } },
});
const streams = (...streamConfigMaps: Record<string, unknown>[]): Scene => ({
  config: { ...realtime, ingestionConfig: { streamIngestionConfig: { streamConfigMaps } } },
});
const kafka = (topic: string, more: object = {}) => ({ streamType: 'kafka', 'stream.kafka.topic.name': topic, ...more });

const starTree = (more: object): Scene =>
  index({ starTreeIndexConfigs: [{ dimensionsSplitOrder: ['customer'], functionColumnPairs: ['SUM__price'], ...more }] });
const tree = '/tableIndexConfig/starTreeIndexConfigs/0';
const transformAt = (place: string) => `/ingestionConfig/transformConfigs/${place}`;
const aggregationAt = (place: string) => `/ingestionConfig/aggregationConfigs${place}`;
const streamAt = (place: number) => `/ingestionConfig/streamIngestionConfig/streamConfigMaps/${place}`;
const flush = (threshold: string) => `realtime.segment.flush.threshold.${threshold}`;

export const tableCases: Readonly<Record<string, TableCase>> = {
  TABLE_NAME_MISSING: { keeps: kept({ tableName: 'a' }), breaks: kept({ tableName: '' }), at: ['/tableName'] },
  TABLE_NAME_SPACE: { keeps: kept({ tableName: 'a_b' }), breaks: kept({ tableName: 'a b' }), at: ['/tableName'] },
  TABLE_NAME_DOTS: { keeps: kept({ tableName: 'db.orders' }), breaks: kept({ tableName: 'x.db.orders' }), at: ['/tableName'] },
  TABLE_NAME_TYPE: {
    keeps: kept({ tableName: 'orders_OFFLINE' }),
    breaks: kept({ tableName: 'orders_REALTIME' }),
    at: ['/tableName'],
  },
  SCHEMA_NAME_MISMATCH: {
    keeps: kept({ tableName: 'db.orders_OFFLINE' }),
    breaks: kept({ tableName: 'order' }),
    at: ['/tableName'],
  },
  UNRESOLVED_VARIABLE: {
    keeps: kept({ metadata: { customConfigs: { price: '$5 {each}' } } }),
    breaks: kept({ tenants: { server: '${TENANT}' }, metadata: { customConfigs: { a: [{ b: 'x${Y:z}' }] } } }),
    at: ['/metadata/customConfigs/a/0/b', '/tenants/server'],
  },
  TIME_COLUMN_MISSING: {
    keeps: kept(realtime),
    breaks: kept({ ...realtime, segmentsConfig: { timeColumnName: '' } }),
    at: ['/segmentsConfig/timeColumnName'],
  },
  TIME_COLUMN_UNKNOWN: {
    keeps: segments({ timeColumnName: 'day' }),
    breaks: segments({ timeColumnName: 'price' }),
    at: ['/segmentsConfig/timeColumnName'],
  },
  HYBRID_TIME_COLUMN: {
    keeps: { context: { otherConfig: { segmentsConfig: { timeColumnName: 'orderTime' } } } },
    breaks: { context: { otherConfig: { segmentsConfig: { timeColumnName: 'day' } } } },
    at: ['/segmentsConfig/timeColumnName'],
  },
  RETENTION_UNIT: {
    keeps: segments({ retentionTimeUnit: 'HOURS' }),
    breaks: segments({ retentionTimeUnit: 'YEARS' }),
    at: ['/segmentsConfig/retentionTimeUnit'],
  },
  RETENTION_VALUE: {
    keeps: segments({ retentionTimeValue: '1' }),
    breaks: segments({ retentionTimeValue: '-1' }),
    at: ['/segmentsConfig/retentionTimeValue'],
  },
  DELETED_SEGMENTS_PERIOD: {
    keeps: segments({ deletedSegmentsRetentionPeriod: '7d' }),
    breaks: segments({ deletedSegmentsRetentionPeriod: 'a week' }),
    at: ['/segmentsConfig/deletedSegmentsRetentionPeriod'],
  },
  PUSH_TYPE: {
    keeps: segments({ segmentPushType: 'append' }),
    breaks: kept({
      segmentsConfig: { segmentPushType: 'UPDATE' },
      ingestionConfig: { batchIngestionConfig: { segmentIngestionType: 'NEVER' } },
    }),
    at: ['/ingestionConfig/batchIngestionConfig/segmentIngestionType', '/segmentsConfig/segmentPushType'],
  },
  REPLICATION_NUMBER: {
    keeps: segments({ replication: '3' }),
    breaks: segments({ replication: '0', replicasPerPartition: 'two' }),
    at: ['/segmentsConfig/replicasPerPartition', '/segmentsConfig/replication'],
  },
  REPLICATION_MINIMUM: {
    keeps: { context: { replicationMin: 2 } },
    breaks: { context: { replicationMin: 3 } },
    at: ['/segmentsConfig/replication'],
  },
  PEER_DOWNLOAD_SCHEME: {
    keeps: segments({ peerSegmentDownloadScheme: 'https' }),
    breaks: segments({ peerSegmentDownloadScheme: 'ftp', replication: '1' }),
    at: ['/segmentsConfig/peerSegmentDownloadScheme', '/segmentsConfig/peerSegmentDownloadScheme'],
  },
  DIM_TABLE: {
    keeps: kept({ isDimTable: true, ingestionConfig: { batchIngestionConfig: { segmentIngestionType: 'REFRESH' } } }),
    breaks: { config: { ...realtime, isDimTable: true }, schema: { ...soundSchema, primaryKeyColumns: [] } },
    at: ['/ingestionConfig/batchIngestionConfig/segmentIngestionType', '/isDimTable', '/isDimTable'],
  },
  TRANSFORM_INCOMPLETE: {
    keeps: transforms(transform('customer', 'lower(name)')),
    breaks: ingestion({ transformConfigs: [{ columnName: 'customer' }, { transformFunction: 'now()' }] }),
    at: [transformAt('0/transformFunction'), transformAt('1/columnName')],
  },
  TRANSFORM_DUPLICATE: {
    keeps: transforms(transform('id', 'a'), transform('customer', 'b')),
    breaks: transforms(transform('id', 'a'), transform('id', 'b')),
    at: [transformAt('1/columnName')],
  },
  ENRICHER_TYPE: {
    keeps: ingestion({ enrichmentConfigs: [{ enricherType: 'generateColumn' }] }),
    breaks: ingestion({ enrichmentConfigs: [{ enricherType: 'guessColumn' }] }),
    at: ['/ingestionConfig/enrichmentConfigs/0/enricherType'],
  },
  PREFIX_RENAME_CONFLICT: {
    keeps: ingestion({ complexTypeConfig: { prefixesToRename: { 'payload.': '', 'meta.': 'm_' } } }),
    breaks: ingestion({ complexTypeConfig: { prefixesToRename: { 'payload.': 'p_', 'body.': 'p_' } } }),
    at: ['/ingestionConfig/complexTypeConfig/prefixesToRename'],
  },
  AGGREGATION_INCOMPLETE: {
    keeps: aggregations({ columnName: 'price', aggregationFunction: 'SUM(price)' }),
    breaks: aggregations({ aggregationFunction: 'price' }, { columnName: 'price', aggregationFunction: 'MODE(price)' }),
    at: [aggregationAt('/0/aggregationFunction'), aggregationAt('/0/columnName'), aggregationAt('/1/aggregationFunction')],
  },
  AGGREGATION_DUPLICATE: {
    keeps: aggregations({ columnName: 'price' }, { columnName: 'other' }),
    breaks: aggregations({ columnName: 'price' }, { columnName: 'price' }),
    at: [aggregationAt('/1/columnName')],
  },
  AGGREGATION_METRICS: {
    keeps: aggregations({ columnName: 'price' }),
    breaks: aggregations({ columnName: 'customer' }),
    at: [aggregationAt(''), aggregationAt('/0/columnName')],
  },
  AGGREGATION_DICTIONARY: {
    keeps: {
      config: {
        tableIndexConfig: { noDictionaryColumns: ['price'] },
        ingestionConfig: { aggregationConfigs: [{ columnName: 'price', aggregationFunction: 'SUM(price)' }] },
      },
    },
    breaks: aggregations({ columnName: 'price', aggregationFunction: 'SUM(price)' }),
    at: [aggregationAt('/0/columnName')],
  },
  AGGREGATION_UPSERT: {
    keeps: aggregations({ columnName: 'price' }),
    breaks: upserting({}, { ingestionConfig: { aggregationConfigs: [{ columnName: 'price' }] } }),
    at: [aggregationAt('')],
  },
  TRANSFORM_SYNTAX: {
    keeps: transforms(transform('customer', "concat(first, last, ' ')")),
    breaks: transforms(transform('customer', 'lowr(name)'), transform('id', 'Groovy({1 + 1})'), transform('day', '(')),
    at: [transformAt('0/transformFunction'), transformAt('1/transformFunction'), transformAt('2/transformFunction')],
  },
  TRANSFORM_SELF: {
    keeps: transforms(transform('customer', 'lower(name)')),
    breaks: transforms(transform('customer', 'lower(customer)')),
    at: [transformAt('0/transformFunction')],
  },
  TRANSFORM_CYCLE: {
    keeps: transforms(transform('id', 'lower(customer)'), transform('customer', 'upper(name)')),
    breaks: transforms(transform('id', 'lower(customer)'), transform('customer', 'upper(day)'), transform('day', 'trim(id)')),
    at: [0, 1, 2].map((place) => transformAt(`${place}/transformFunction`)),
  },
  TRANSFORM_DESTINATION: {
    keeps: transforms(transform('cleaned', 'lower(name)'), transform('customer', 'trim(cleaned)')),
    breaks: transforms(transform('cleaned', 'lower(name)')),
    at: [transformAt('0/columnName')],
  },
  TRANSFORM_IMMUTABLE: {
    keeps: transforms(transform('orderTime', 'toEpochDays(time)')),
    breaks: transforms(transform('orderTime', 'plus(now(), 1)')),
    at: [transformAt('0/transformFunction')],
  },
  FILTER_SYNTAX: {
    keeps: ingestion({ filterConfig: { filterFunction: "customer = 'test' OR price < 0" } }),
    breaks: ingestion({ filterConfig: { filterFunction: 'customer = ' } }),
    at: ['/ingestionConfig/filterConfig/filterFunction'],
  },
  INDEX_COLUMN_UNKNOWN: {
    keeps: index({ invertedIndexColumns: ['customer'], bloomFilterColumns: ['id'] }),
    breaks: {
      config: {
        tableIndexConfig: { invertedIndexColumns: ['customer', 'nobody'], rangeIndexColumns: ['cost'] },
        fieldConfigList: [{ name: 'nothing' }],
      },
    },
    at: ['/fieldConfigList/0/name', '/tableIndexConfig/invertedIndexColumns/1', '/tableIndexConfig/rangeIndexColumns/0'],
  },
  SORTED_COLUMN: {
    keeps: index({ sortedColumn: ['customer'] }),
    breaks: index({ sortedColumn: ['customer', 'tags'] }),
    at: ['/tableIndexConfig/sortedColumn', '/tableIndexConfig/sortedColumn/1'],
  },
  INVERTED_NO_DICTIONARY: {
    keeps: index({ invertedIndexColumns: ['customer'], noDictionaryColumns: ['price'] }),
    breaks: index({ invertedIndexColumns: ['id', 'customer'], noDictionaryColumns: ['customer'] }),
    at: ['/tableIndexConfig/invertedIndexColumns/1'],
  },
  JSON_INDEX_TYPE: {
    keeps: index({ jsonIndexColumns: ['note'] }),
    breaks: index({ jsonIndexColumns: ['note', 'price', 'tags'] }),
    at: ['/tableIndexConfig/jsonIndexColumns/1', '/tableIndexConfig/jsonIndexColumns/2'],
  },
  TIMESTAMP_INDEX: {
    keeps: fields({ name: 'orderTime', indexTypes: ['TIMESTAMP'], timestampConfig: { granularities: ['DAY'] } }),
    breaks: fields({ name: 'customer', indexTypes: ['TIMESTAMP'] }),
    at: ['/fieldConfigList/0', '/fieldConfigList/0/timestampConfig/granularities'],
  },
  FIELD_CONFIG_NAME: {
    keeps: fields({ name: 'id' }, { name: 'day' }),
    breaks: fields({ name: 'id' }, {}, { name: 'id' }),
    at: ['/fieldConfigList/1/name', '/fieldConfigList/2/name'],
  },
  ENCODING_CONFLICT: {
    keeps: {
      config: { tableIndexConfig: { noDictionaryColumns: ['price'] }, fieldConfigList: [{ name: 'price', encodingType: 'RAW' }] },
    },
    breaks: {
      config: {
        tableIndexConfig: { noDictionaryColumns: ['price'] },
        fieldConfigList: [{ name: 'price', encodingType: 'DICTIONARY' }],
      },
    },
    at: ['/fieldConfigList/0/encodingType'],
  },
  COMPRESSION_CODEC: {
    keeps: fields(
      { name: 'price', encodingType: 'RAW', compressionCodec: 'LZ4' },
      { name: 'tags', compressionCodec: 'MV_ENTRY_DICT' },
      { name: 'customer', encodingType: 'RAW', compressionCodec: 'CLP' },
    ),
    breaks: fields(
      { name: 'price', compressionCodec: 'LZ4' },
      { name: 'customer', compressionCodec: 'MV_ENTRY_DICT' },
      { name: 'isGone', encodingType: 'RAW', compressionCodec: 'CLP' },
    ),
    at: ['/fieldConfigList/0/compressionCodec', '/fieldConfigList/1/compressionCodec', '/fieldConfigList/2/compressionCodec'],
  },
  STAR_TREE_DIMENSION: {
    keeps: starTree({}),
    breaks: starTree({ dimensionsSplitOrder: ['customer', 'tags', 'nobody'] }),
    at: [`${tree}/dimensionsSplitOrder/1`, `${tree}/dimensionsSplitOrder/2`],
  },
  STAR_TREE_SKIPPED: {
    keeps: starTree({ skipStarNodeCreationForDimensions: ['customer'] }),
    breaks: starTree({ skipStarNodeCreationForDimensions: ['id'] }),
    at: [`${tree}/skipStarNodeCreationForDimensions/0`],
  },
  STAR_TREE_FUNCTION_PAIR: {
    keeps: starTree({ functionColumnPairs: ['COUNT__*', 'MAX__price'] }),
    breaks: starTree({ functionColumnPairs: ['SUM(price)', 'SUM__cost'] }),
    at: [`${tree}/functionColumnPairs/0`, `${tree}/functionColumnPairs/1`],
  },
  UPSERT_REALTIME: {
    keeps: upserting({}),
    breaks: kept({ upsertConfig: { mode: 'FULL' } }),
    at: ['/upsertConfig/mode'],
  },
  UPSERT_AND_DEDUP: {
    keeps: upserting({}, { dedupConfig: { dedupEnabled: false } }),
    breaks: upserting({}, { dedupConfig: { dedupEnabled: true } }),
    at: ['/dedupConfig/dedupEnabled'],
  },
  UPSERT_PRIMARY_KEY: {
    keeps: upserting({}),
    breaks: { ...upserting({}), schema: { ...soundSchema, primaryKeyColumns: ['tags'] } },
    at: ['/upsertConfig/mode'],
  },
  UPSERT_ROUTING: {
    keeps: upserting({}),
    breaks: upserting({}, { routing: { instanceSelectorType: 'balanced' } }),
    at: ['/routing/instanceSelectorType'],
  },
  UPSERT_STAR_TREE: {
    keeps: upserting({}, { tableIndexConfig: { enableDefaultStarTree: false } }),
    breaks: upserting({}, { tableIndexConfig: { enableDefaultStarTree: true } }),
    at: ['/tableIndexConfig/enableDefaultStarTree'],
  },
  UPSERT_TIERS: { keeps: upserting({}), breaks: upserting({}, { tierConfigs: [{ name: 'cold' }] }), at: ['/tierConfigs'] },
  UPSERT_COMPARISON_COLUMN: {
    keeps: upserting({ comparisonColumns: ['orderTime', 'price'] }),
    breaks: upserting({ comparisonColumns: ['version', 'tags'] }),
    at: ['/upsertConfig/comparisonColumns/0', '/upsertConfig/comparisonColumns/1'],
  },
  UPSERT_TTL: {
    keeps: upserting({ metadataTTL: 1000, enableSnapshot: true }),
    breaks: upserting({ metadataTTL: 1000, comparisonColumns: ['day'] }),
    at: ['/upsertConfig/enableSnapshot', '/upsertConfig/metadataTTL'],
  },
  UPSERT_DELETE_COLUMN: {
    keeps: upserting({ deleteRecordColumn: 'isGone' }),
    breaks: upserting({ deleteRecordColumn: 'tags' }),
    at: ['/upsertConfig/deleteRecordColumn'],
  },
  UPSERT_OUT_OF_ORDER: {
    keeps: upserting({ outOfOrderRecordColumn: 'isGone' }),
    breaks: upserting({ outOfOrderRecordColumn: 'price', dropOutOfOrderRecord: true }),
    at: ['/upsertConfig/outOfOrderRecordColumn', '/upsertConfig/outOfOrderRecordColumn'],
  },
  PARTIAL_UPSERT_STRATEGY: {
    keeps: upserting({ mode: 'PARTIAL', partialUpsertStrategies: { price: 'INCREMENT', tags: 'UNION', customer: 'OVERWRITE' } }),
    breaks: upserting({
      mode: 'PARTIAL',
      partialUpsertStrategies: { id: 'MAX', orderTime: 'MAX', customer: 'INCREMENT', price: 'APPEND', nobody: 'MIN' },
    }),
    at: ['customer', 'id', 'nobody', 'orderTime', 'price'].map((name) => `/upsertConfig/partialUpsertStrategies/${name}`),
  },
  PARTIAL_UPSERT_NULLS: {
    keeps: upserting({ mode: 'PARTIAL' }),
    breaks: { ...upserting({ mode: 'PARTIAL' }), schema: { ...soundSchema, enableColumnBasedNullHandling: false } },
    at: ['/tableIndexConfig/nullHandlingEnabled'],
  },
  DEDUP_REALTIME: {
    keeps: kept(dedup),
    breaks: kept({ dedupConfig: { dedupEnabled: true } }),
    at: ['/dedupConfig/dedupEnabled'],
  },
  DEDUP_PRIMARY_KEY: {
    keeps: kept(dedup),
    breaks: { config: dedup, schema: { ...soundSchema, primaryKeyColumns: [] } },
    at: ['/dedupConfig/dedupEnabled'],
  },
  DEDUP_ROUTING: { keeps: kept(dedup), breaks: kept({ ...dedup, routing: {} }), at: ['/routing/instanceSelectorType'] },
  DEDUP_TTL: {
    keeps: kept({ ...dedup, dedupConfig: { dedupEnabled: true, metadataTTL: 60 } }),
    breaks: kept({ ...dedup, dedupConfig: { dedupEnabled: true, metadataTTL: 60, dedupTimeColumn: 'day' } }),
    at: ['/dedupConfig/dedupTimeColumn'],
  },
  TIER_NAME: {
    keeps: tiers({ name: 'hot' }, { name: 'cold' }),
    breaks: tiers({ name: 'hot' }, { name: 'hot' }, {}),
    at: ['/tierConfigs/1/name', '/tierConfigs/2/name'],
  },
  TIER_SELECTOR: {
    keeps: tiers({ segmentSelectorType: 'time', segmentAge: '7d' }, { segmentSelectorType: 'FIXED' }),
    breaks: tiers({ segmentSelectorType: 'time', segmentAge: 'old' }, { segmentSelectorType: 'size' }),
    at: ['/tierConfigs/0/segmentAge', '/tierConfigs/1/segmentSelectorType'],
  },
  TIER_STORAGE: {
    keeps: tiers({ storageType: 'pinot_server', serverTag: 'cold_OFFLINE' }),
    breaks: tiers({ storageType: 'tape' }, { storageType: 'pinot_server', serverTag: 'cold' }),
    at: ['/tierConfigs/0/storageType', '/tierConfigs/1/serverTag'],
  },
  TASK_TYPE: {
    keeps: { ...tasks({ MergeRollupTask: {} }), context: { taskTypes: ['MergeRollupTask'] } },
    breaks: { ...tasks({ MergeTask: {}, MergeRollupTask: 'daily' }), context: { taskTypes: ['MergeRollupTask'] } },
    at: ['/task/taskTypeConfigsMap/MergeRollupTask', '/task/taskTypeConfigsMap/MergeTask'],
  },
  TASK_SCHEDULE: {
    keeps: tasks({ MergeRollupTask: { schedule: '0 */10 * * * ?' } }),
    breaks: tasks({ MergeRollupTask: { schedule: 'daily' }, PurgeTask: { schedule: 7 } }),
    at: ['/task/taskTypeConfigsMap/MergeRollupTask/schedule', '/task/taskTypeConfigsMap/PurgeTask/schedule'],
  },
  TENANT_UNKNOWN: {
    keeps: { context: { brokerTenants: ['DefaultTenant'], serverTenants: ['DefaultTenant', 'big'] } },
    breaks: { config: { tenants: { server: 'huge' } }, context: { brokerTenants: [], serverTenants: ['big'] } },
    at: ['/tenants/broker', '/tenants/server'],
  },
  TENANT_TAG: {
    keeps: kept({ tenants: { tagOverrideConfig: { realtimeCompleted: 'big_OFFLINE' } } }),
    breaks: kept({ tenants: { tagOverrideConfig: { realtimeCompleted: 'big', realtimeConsuming: '_REALTIME' } } }),
    at: ['/tenants/tagOverrideConfig/realtimeCompleted', '/tenants/tagOverrideConfig/realtimeConsuming'],
  },
  HYBRID_BROKER_TENANT: {
    keeps: { context: { otherConfig: { tenants: { broker: 'DefaultTenant' } } } },
    breaks: { context: { otherConfig: { tenants: { broker: 'other' } } } },
    at: ['/tenants/broker'],
  },
  STREAM_MISSING: {
    keeps: kept(realtime),
    breaks: streams(),
    at: ['/ingestionConfig/streamIngestionConfig/streamConfigMaps'],
  },
  STREAM_OFFLINE: {
    keeps: kept(realtime),
    breaks: kept({ ...realtime, tableType: 'OFFLINE' }),
    at: [streamAt(0)],
  },
  STREAM_TWICE: {
    keeps: kept({ tableType: 'REALTIME', tableIndexConfig: { streamConfigs: kafka('a') } }),
    breaks: kept({ ...realtime, tableIndexConfig: { streamConfigs: kafka('a') } }),
    at: ['/tableIndexConfig/streamConfigs'],
  },
  STREAM_TYPE: {
    keeps: streams(kafka('a'), kafka('b')),
    breaks: streams(kafka('a'), { streamType: 'kinesis' }, { 'stream.kafka.topic.name': 'c' }),
    at: [streamAt(1), streamAt(2)],
  },
  STREAM_TOPIC: {
    keeps: streams(kafka('a'), kafka('b')),
    breaks: streams(kafka('a'), kafka('a'), kafka('')),
    at: [streamAt(1), streamAt(2)],
  },
  STREAM_FLUSH_TIME: {
    keeps: streams(kafka('a', { [flush('time')]: '6h' }), kafka('b', { [flush('time')]: '3600000' })),
    breaks: streams(kafka('a', { [flush('time')]: '0' }), kafka('b', { [flush('time')]: 'soon' })),
    at: [streamAt(0), streamAt(1)],
  },
  STREAM_FLUSH_THRESHOLDS: {
    keeps: streams(kafka('a', { [flush('rows')]: '0', [flush('segment.size')]: '200M' })),
    breaks: streams(kafka('a', { [flush('rows')]: '1000', [flush('segment.size')]: '200M' })),
    at: [streamAt(0)],
  },
  QUOTA_STORAGE: {
    keeps: kept({ quota: { storage: '1.5T' } }),
    breaks: kept({ quota: { storage: '0G' } }),
    at: ['/quota/storage'],
  },
  QUOTA_QUERIES: {
    keeps: kept({ quota: { maxQueriesPerSecond: '0.5' } }),
    breaks: kept({ quota: { maxQueriesPerSecond: 'many' } }),
    at: ['/quota/maxQueriesPerSecond'],
  },
  QUERY_LIMITS: {
    keeps: kept({ query: { timeoutMs: 1 } }),
    breaks: kept({ query: { timeoutMs: 0, maxServerResponseSizeBytes: -1 } }),
    at: ['/query/maxServerResponseSizeBytes', '/query/timeoutMs'],
  },
};
