import { realtime, soundSchema } from './sound-table.ts';
import {
  kept,
  ingestion,
  segments,
  transform,
  transforms,
  aggregations,
  upserting,
  transformAt,
  aggregationAt,
  type TableCase,
} from './table-scenes.ts';

/** Cases of rules about names, time columns, segments, ingestion and expressions. */
export const ingestionCases: Readonly<Record<string, TableCase>> = {
  TABLE_NAME_MISSING: {
    keeps: kept({ tableName: 'a' }),
    breaks: kept({ tableName: '' }),
    at: ['/tableName'],
  },
  TABLE_NAME_SPACE: {
    keeps: kept({ tableName: 'a_b' }),
    breaks: kept({ tableName: 'a b' }),
    at: ['/tableName'],
  },
  TABLE_NAME_DOTS: {
    keeps: kept({ tableName: 'db.orders' }),
    breaks: kept({ tableName: 'x.db.orders' }),
    at: ['/tableName'],
  },
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
    breaks: kept({
      tenants: { server: '${TENANT}' },
      metadata: { customConfigs: { a: [{ b: 'x${Y:z}' }] } },
    }),
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
  UNTRACKED_RETENTION: {
    keeps: segments({
      untrackedSegmentsRetentionTimeUnit: 'days',
      untrackedSegmentsRetentionTimeValue: '3',
    }),
    breaks: segments({
      untrackedSegmentsRetentionTimeUnit: 'WEEKS',
      untrackedSegmentsRetentionTimeValue: '0',
    }),
    at: [
      '/segmentsConfig/untrackedSegmentsRetentionTimeUnit',
      '/segmentsConfig/untrackedSegmentsRetentionTimeValue',
    ],
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
    at: ['/ingestionConfig/batchIngestionConfig/segmentIngestionType'],
  },
  REPLICATION_NUMBER: {
    keeps: segments({ replication: '3' }),
    breaks: segments({ replication: 'two', replicasPerPartition: 'two' }),
    at: ['/segmentsConfig/replication'],
  },
  TIME_TYPE: {
    keeps: segments({ timeType: 'days' }),
    breaks: segments({ timeType: 'FORTNIGHTS' }),
    at: ['/segmentsConfig/timeType'],
  },
  DIM_TABLE_PUSH: {
    keeps: kept({
      isDimTable: true,
      ingestionConfig: { batchIngestionConfig: { segmentIngestionType: 'REFRESH' } },
    }),
    breaks: kept({ isDimTable: true }),
    at: ['/isDimTable'],
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
    keeps: kept({
      isDimTable: true,
      ingestionConfig: { batchIngestionConfig: { segmentIngestionType: 'REFRESH' } },
    }),
    breaks: {
      config: { ...realtime, isDimTable: true },
      schema: { ...soundSchema, primaryKeyColumns: [] },
    },
    at: [
      '/ingestionConfig/batchIngestionConfig/segmentIngestionType',
      '/isDimTable',
      '/isDimTable',
    ],
  },
  TRANSFORM_INCOMPLETE: {
    keeps: transforms(transform('customer', 'lower(name)')),
    breaks: ingestion({
      transformConfigs: [{ columnName: 'customer' }, { transformFunction: 'now()' }],
    }),
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
    keeps: ingestion({
      complexTypeConfig: { prefixesToRename: { 'payload.': '', 'meta.': 'm_' } },
    }),
    breaks: ingestion({
      complexTypeConfig: { prefixesToRename: { 'payload.': 'p_', 'body.': 'p_' } },
    }),
    at: ['/ingestionConfig/complexTypeConfig/prefixesToRename'],
  },
  AGGREGATION_INCOMPLETE: {
    keeps: aggregations({ columnName: 'price', aggregationFunction: 'SUM(price)' }),
    breaks: aggregations(
      { aggregationFunction: 'price' },
      { columnName: 'price', aggregationFunction: 'MODE(price)' },
      { columnName: 'price', aggregationFunction: 'DISTINCTCOUNTHLL(id)' },
      { columnName: 'price', aggregationFunction: 'SUM(price, 5)' },
      { columnName: 'price', aggregationFunction: 'SUM(price + 1)' },
      { columnName: 'price', aggregationFunction: 'SUM(order)' },
      { columnName: 'other', aggregationFunction: 'SUMPRECISION(price, id)' },
      { columnName: 'other', aggregationFunction: 'COUNT(*)' },
    ),
    at: [
      aggregationAt('/0/aggregationFunction'),
      aggregationAt('/0/columnName'),
      ...[1, 2, 3, 4, 5, 6].map((place) => aggregationAt(`/${place}/aggregationFunction`)),
    ],
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
        ingestionConfig: {
          aggregationConfigs: [{ columnName: 'price', aggregationFunction: 'SUM(price)' }],
        },
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
    breaks: transforms(
      transform('customer', 'lowr(name)'),
      transform('id', 'Groovy({1 + 1})'),
      transform('day', '('),
    ),
    at: [
      transformAt('0/transformFunction'),
      transformAt('1/transformFunction'),
      transformAt('2/transformFunction'),
    ],
  },
  TRANSFORM_SELF: {
    keeps: transforms(transform('customer', 'lower(name)')),
    breaks: transforms(transform('customer', 'lower(customer)')),
    at: [transformAt('0/transformFunction')],
  },
  TRANSFORM_CYCLE: {
    keeps: transforms(transform('id', 'lower(customer)'), transform('customer', 'upper(name)')),
    breaks: transforms(
      transform('id', 'lower(customer)'),
      transform('customer', 'upper(day)'),
      transform('day', 'trim(id)'),
    ),
    at: [0, 1, 2].map((place) => transformAt(`${place}/transformFunction`)),
  },
  TRANSFORM_DESTINATION: {
    keeps: ingestion({
      transformConfigs: [transform('customer', 'lower(name)'), transform('cost', 'price * 2')],
      aggregationConfigs: [{ columnName: 'price', aggregationFunction: 'SUM(cost)' }],
    }),
    breaks: transforms(transform('cleaned', 'lower(name)'), transform('customer', 'trim(cleaned)')),
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
};
