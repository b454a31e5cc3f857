import { dedup, kafkaStream, realtime, soundSchema } from './sound-table.ts';
import {
  kept,
  tiers,
  tasks,
  upserting,
  streams,
  kafka,
  streamAt,
  flush,
  type TableCase,
} from './table-scenes.ts';

/** The decoder of Protobuf with some of its settings. */
const protobuf = (settings: Readonly<Record<string, string>>) => ({
  'stream.kafka.decoder.class.name':
    'org.apache.pinot.plugin.inputformat.protobuf.ProtoBufMessageDecoder',
  ...Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`stream.kafka.decoder.prop.${name}`, value]),
  ),
});

/** Cases of rules about upsert, dedup, tiers, tasks, tenants, streams and limits. */
export const operationCases: Readonly<Record<string, TableCase>> = {
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
  UPSERT_TIERS: {
    keeps: upserting({}),
    breaks: upserting({}, { tierConfigs: [] }),
    at: ['/tierConfigs'],
  },
  UPSERT_COMPARISON_COLUMN: {
    keeps: upserting({ comparisonColumns: ['orderTime', 'price'] }),
    breaks: upserting({ comparisonColumns: ['version', 'tags'] }),
    at: ['/upsertConfig/comparisonColumns/0'],
  },
  UPSERT_COMPARISON_LIST: {
    keeps: upserting({ comparisonColumns: ['orderTime'] }),
    breaks: upserting({ comparisonColumns: ['price', 'tags'] }),
    at: ['/upsertConfig/comparisonColumns/1'],
  },
  UPSERT_SNAPSHOT: {
    keeps: upserting({ metadataTTL: 1000, snapshot: 'DEFAULT' }),
    breaks: upserting({ metadataTTL: 1000 }),
    at: ['/upsertConfig/snapshot'],
  },
  UPSERT_COMPACTION: {
    keeps: upserting(
      {
        enableDeletedKeysCompactionConsistency: true,
        deletedKeysTTL: 5,
        deleteRecordColumn: 'isGone',
      },
      {
        task: {
          taskTypeConfigsMap: { UpsertCompactionTask: { invalidRecordsThresholdPercent: 5 } },
        },
      },
    ),
    breaks: upserting({
      enableDeletedKeysCompactionConsistency: true,
      deletedKeysTTL: 5,
      preload: 'ENABLE',
    }),
    at: Array.from({ length: 2 }, () => '/upsertConfig/enableDeletedKeysCompactionConsistency'),
  },
  UPSERT_CONSISTENCY: {
    keeps: upserting({ consistencyMode: 'SYNC' }),
    breaks: upserting({ consistencyMode: 'SYNC', dropOutOfOrderRecord: true }),
    at: ['/upsertConfig/consistencyMode'],
  },
  KEYED_SERVERS: {
    keeps: upserting({}, { tenants: { tagOverrideConfig: {} } }),
    breaks: upserting({}, { tenants: { tagOverrideConfig: { realtimeCompleted: 'big_OFFLINE' } } }),
    at: ['/tenants/tagOverrideConfig'],
  },
  UPSERT_TTL: {
    keeps: upserting({ metadataTTL: 1000, enableSnapshot: true }),
    breaks: upserting({ metadataTTL: 1000, comparisonColumns: ['day'] }),
    at: ['/upsertConfig/metadataTTL'],
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
    keeps: upserting({
      mode: 'PARTIAL',
      partialUpsertStrategies: { price: 'INCREMENT', tags: 'UNION', customer: 'OVERWRITE' },
    }),
    breaks: upserting({
      mode: 'PARTIAL',
      partialUpsertStrategies: {
        id: 'MAX',
        orderTime: 'MAX',
        customer: 'INCREMENT',
        price: 'APPEND',
        nobody: 'MIN',
      },
    }),
    at: ['customer', 'id', 'nobody', 'orderTime', 'price'].map(
      (name) => `/upsertConfig/partialUpsertStrategies/${name}`,
    ),
  },
  PARTIAL_UPSERT_NULLS: {
    keeps: upserting({ mode: 'PARTIAL' }),
    breaks: {
      ...upserting({ mode: 'PARTIAL' }),
      schema: { ...soundSchema, enableColumnBasedNullHandling: false },
    },
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
  DEDUP_ROUTING: {
    keeps: kept(dedup),
    breaks: kept({ ...dedup, routing: {} }),
    at: ['/routing/instanceSelectorType'],
  },
  DEDUP_TTL: {
    keeps: kept({ ...dedup, dedupConfig: { dedupEnabled: true, metadataTTL: 60 } }),
    breaks: kept({
      ...dedup,
      dedupConfig: { dedupEnabled: true, metadataTTL: 60, dedupTimeColumn: 'day' },
    }),
    at: ['/dedupConfig/dedupTimeColumn'],
  },
  TIER_NAME: {
    keeps: tiers({ name: 'hot' }, { name: 'cold' }),
    breaks: tiers({ name: 'hot' }, { name: 'hot' }, {}),
    at: ['/tierConfigs/1/name', '/tierConfigs/2/name'],
  },
  TIER_SELECTOR: {
    keeps: tiers(
      { segmentSelectorType: 'time', segmentAge: '7d' },
      { segmentSelectorType: 'FIXED' },
    ),
    breaks: tiers(
      { segmentSelectorType: 'time', segmentAge: 'old' },
      { segmentSelectorType: 'size' },
    ),
    at: ['/tierConfigs/0/segmentAge', '/tierConfigs/1/segmentSelectorType'],
  },
  TIER_STORAGE: {
    keeps: tiers({ storageType: 'pinot_server', serverTag: 'cold_OFFLINE' }),
    breaks: tiers({ storageType: 'tape' }, { storageType: 'pinot_server', serverTag: 'cold' }),
    at: ['/tierConfigs/0/storageType', '/tierConfigs/1/serverTag'],
  },
  TASK_TYPE: {
    keeps: { ...tasks({ MergeRollupTask: {} }), context: { taskTypes: ['MergeRollupTask'] } },
    breaks: {
      ...tasks({ MergeTask: {}, MergeRollupTask: 'daily' }),
      context: { taskTypes: ['MergeRollupTask'] },
    },
    at: ['/task/taskTypeConfigsMap/MergeRollupTask', '/task/taskTypeConfigsMap/MergeTask'],
  },
  TENANT_UNKNOWN: {
    keeps: {
      context: { brokerTenants: ['DefaultTenant'], serverTenants: ['DefaultTenant', 'big'] },
    },
    breaks: {
      config: { tenants: { server: 'huge' } },
      context: { brokerTenants: [], serverTenants: ['big'] },
    },
    at: ['/tenants/broker', '/tenants/server'],
  },
  TENANT_TAG: {
    keeps: kept({ tenants: { tagOverrideConfig: { realtimeCompleted: 'big_OFFLINE' } } }),
    breaks: kept({
      tenants: { tagOverrideConfig: { realtimeCompleted: 'big', realtimeConsuming: 'REALTIME' } },
    }),
    at: [
      '/tenants/tagOverrideConfig/realtimeCompleted',
      '/tenants/tagOverrideConfig/realtimeConsuming',
    ],
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
    breaks: streams(kafka('a'), kafka('a'), { streamType: 'kafka' }),
    at: [streamAt(1), streamAt(2)],
  },
  STREAM_TOPIC_EMPTY: {
    keeps: streams(kafka('a')),
    breaks: streams(kafka('a'), kafka(''), kafka(' ')),
    at: [streamAt(1), streamAt(2)],
  },
  STREAM_PROTOBUF: {
    keeps: streams(
      kafka('a', protobuf({ descriptorFile: 'a.desc', protoClassName: 'A' })),
      kafka('b', { 'stream.kafka.decoder.class.name': 'x.ProtoBufMessageDecoder' }),
    ),
    breaks: streams(
      kafka('a', protobuf({ descriptorFile: 'a.desc' })),
      kafka('b', protobuf({ protoClassName: 'A' })),
    ),
    at: [streamAt(0), streamAt(1)],
  },
  STREAM_FLUSH_TIME: {
    keeps: streams(
      kafka('a', { [flush('time')]: '6h' }),
      kafka('b', { [flush('time')]: '3600000' }),
    ),
    breaks: streams(kafka('a', { [flush('time')]: '0' }), kafka('b', { [flush('time')]: 'soon' })),
    at: [streamAt(0), streamAt(1)],
  },
  STREAM_FLUSH_THRESHOLDS: {
    keeps: streams(kafka('a', { [flush('rows')]: '0', [flush('segment.size')]: '200M' })),
    breaks: streams(
      kafka('a', { [flush('rows')]: '1000', [flush('segment.size')]: '200M' }),
      kafka('b', { [flush('size')]: '1000', 'realtime.segment.flush.desired.size': '200M' }),
    ),
    at: [streamAt(0), streamAt(1)],
  },
  QUOTA_STORAGE: {
    keeps: kept({ quota: { storage: '1.5T' } }),
    breaks: kept({ quota: { storage: '1 GiB' } }),
    at: ['/quota/storage'],
  },
  QUOTA_DIM_TABLE: {
    keeps: kept({ isDimTable: true, quota: { storage: '200M' } }),
    breaks: kept({ isDimTable: true, quota: { storage: '0.2G' } }),
    at: ['/quota/storage'],
  },
  STREAM_FLUSH_VALUE: {
    keeps: streams({ ...kafka('a'), [flush('rows')]: 1000, [flush('size')]: 'many' }),
    breaks: streams(
      { ...kafka('a'), [flush('rows')]: 'many', [flush('segment.size')]: '5 G' },
      { ...kafka('b'), [flush('size')]: 'many' },
    ),
    at: [streamAt(0), streamAt(0), streamAt(1)],
  },
  STREAM_OPTION: {
    keeps: streams({ ...kafka('a'), 'topic.consumption.rate.limit': '1e3' }),
    breaks: streams({
      ...kafka('a'),
      'topic.consumption.rate.limit': '0x10',
      'realtime.segment.offsetAutoReset.offsetThreshold': '2147483648',
      'realtime.segment.offsetAutoReset.timeThresholdSeconds': '1.5',
    }),
    at: [streamAt(0), streamAt(0), streamAt(0)],
  },
  STREAM_DECODER: {
    keeps: streams(kafkaStream('a'), { streamType: 'file' }),
    breaks: streams(kafka('a')),
    at: [streamAt(0)],
  },
  STREAM_SEVERAL: {
    keeps: streams(kafka('a'), kafka('b')),
    breaks: streams(kafka('a', { [flush('rows')]: 5 }), kafka('b', { [flush('rows')]: 6 })),
    at: [streamAt(1)],
  },
  STREAM_PAUSELESS: {
    keeps: kept({ ...realtime, segmentsConfig: { replication: '1' } }),
    breaks: kept({
      ...realtime,
      ingestionConfig: {
        streamIngestionConfig: {
          streamConfigMaps: [kafka('a')],
          pauselessConsumptionEnabled: true,
        },
      },
    }),
    at: ['/segmentsConfig/peerSegmentDownloadScheme'],
  },
  QUOTA_QUERIES: {
    keeps: kept({ quota: { maxQueriesPerSecond: ' 5d' } }),
    breaks: kept({ quota: { maxQueriesPerSecond: '0x10' } }),
    at: ['/quota/maxQueriesPerSecond'],
  },
  QUERY_LIMITS: {
    keeps: kept({ query: { timeoutMs: 1 } }),
    breaks: kept({ query: { timeoutMs: 0, maxServerResponseSizeBytes: -1 } }),
    at: ['/query/maxServerResponseSizeBytes', '/query/timeoutMs'],
  },
};
