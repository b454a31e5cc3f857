/** A column of every type, so that a drawn config finds one that fits and many that do not. */
export const wideSchema = {
  schemaName: 'orders',
  primaryKeyColumns: ['id'],
  enableColumnBasedNullHandling: true,
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'INT' },
    { name: 'name', dataType: 'STRING' },
    { name: 'tags', dataType: 'STRING', singleValueField: false },
    { name: 'doc', dataType: 'JSON' },
    { name: 'isGone', dataType: 'BOOLEAN' },
    { name: 'place', dataType: 'BYTES' },
    { name: 'vector', dataType: 'FLOAT', singleValueField: false },
    { name: 'weight', dataType: 'BIG_DECIMAL' },
    { name: 'counts', dataType: 'INT', singleValueField: false },
  ],
  metricFieldSpecs: [
    { name: 'price', dataType: 'DOUBLE' },
    { name: 'cost', dataType: 'LONG' },
    { name: 'sketch', dataType: 'BYTES' },
  ],
  dateTimeFieldSpecs: [
    { name: 'at', dataType: 'LONG', format: '1:MILLISECONDS:EPOCH', granularity: '1:MILLISECONDS' },
    {
      name: 'day',
      dataType: 'STRING',
      format: '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
      granularity: '1:DAYS',
    },
    { name: 'seen', dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: '1:MILLISECONDS' },
  ],
  complexFieldSpecs: [{ name: 'attributes', dataType: 'MAP' }],
};

const offline = {
  tableName: 'orders_OFFLINE',
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'at', replication: '2' },
  tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
  tableIndexConfig: { loadMode: 'MMAP' },
  metadata: {},
};

const stream = {
  streamType: 'kafka',
  'stream.kafka.topic.name': 'orders',
  'stream.kafka.broker.list': 'localhost:9092',
  'stream.kafka.consumer.type': 'lowlevel',
  'stream.kafka.decoder.class.name': 'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
};

const realtime = {
  ...offline,
  tableName: 'orders_REALTIME',
  tableType: 'REALTIME',
  ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [stream] } },
};

const keyed = { ...realtime, routing: { instanceSelectorType: 'strictReplicaGroup' } };

/** Sound configs of that schema, by kind; changes are drawn for each. */
export const soundTables: Readonly<Record<string, object>> = {
  offline,
  realtime,
  upsert: { ...keyed, upsertConfig: { mode: 'FULL' } },
  partialUpsert: {
    ...keyed,
    upsertConfig: { mode: 'PARTIAL', partialUpsertStrategies: { price: 'INCREMENT' } },
  },
  dedup: { ...keyed, dedupConfig: { dedupEnabled: true } },
  dimension: {
    ...offline,
    isDimTable: true,
    ingestionConfig: {
      batchIngestionConfig: { segmentIngestionType: 'REFRESH', segmentIngestionFrequency: 'DAILY' },
    },
  },
};
