import type { TableConfig, TableContext, TableSchema } from '../../src/index.ts';

/** A schema that satisfies all rules. */
export const soundSchema: TableSchema = {
  schemaName: 'orders',
  primaryKeyColumns: ['id'],
  enableColumnBasedNullHandling: true,
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'STRING' },
    { name: 'customer', dataType: 'STRING', maxLength: 64, defaultNullValue: 'nobody' },
    { name: 'isGone', dataType: 'BOOLEAN' },
    { name: 'tags', dataType: 'STRING', singleValueField: false },
    { name: 'note', dataType: 'JSON' },
  ],
  metricFieldSpecs: [{ name: 'price', dataType: 'DOUBLE' }],
  dateTimeFieldSpecs: [
    {
      name: 'orderTime',
      dataType: 'LONG',
      format: '1:MILLISECONDS:EPOCH',
      granularity: '1:MILLISECONDS',
      sampleValue: 1700000000000,
    },
    {
      name: 'day',
      dataType: 'STRING',
      format: 'SIMPLE_DATE_FORMAT|yyyy-MM-dd',
      granularity: 'DAYS|1',
    },
  ],
};

/** A config of an offline table that satisfies all rules with `soundSchema`. */
export const soundConfig: TableConfig = {
  tableName: 'orders',
  tableType: 'OFFLINE',
  segmentsConfig: {
    timeColumnName: 'orderTime',
    replication: '2',
    retentionTimeUnit: 'DAYS',
    retentionTimeValue: '30',
  },
};

/** Returns a stream that satisfies all rules. */
export function kafkaStream(topic: string): Record<string, unknown> {
  return {
    streamType: 'kafka',
    'stream.kafka.topic.name': topic,
    'stream.kafka.decoder.class.name': 'JSONMessageDecoder',
  };
}

/** The changes that convert it to a valid real-time table. */
export const realtime: TableConfig = {
  tableType: 'REALTIME',
  ingestionConfig: {
    streamIngestionConfig: { streamConfigMaps: [kafkaStream('orders')] },
  },
};

/** The changes that convert that to a valid table with upsert. */
export const upsert: TableConfig = {
  ...realtime,
  routing: { instanceSelectorType: 'strictReplicaGroup' },
  upsertConfig: { mode: 'FULL' },
};

/** The changes that convert it to a valid table with dedup. */
export const dedup: TableConfig = {
  ...realtime,
  routing: { instanceSelectorType: 'strictReplicaGroup' },
  dedupConfig: { dedupEnabled: true },
};

/** A table that satisfies or violates a rule, as its differences from the valid one. */
export interface Scene {
  readonly config?: TableConfig;
  readonly schema?: TableSchema;
  readonly context?: TableContext;
}
