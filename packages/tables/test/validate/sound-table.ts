import type { TableConfig, TableContext, TableSchema } from '../../src/index.ts';

/** A schema that breaks no rule. */
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

/** A config of an offline table that breaks no rule with `soundSchema`. */
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

/** A stream that breaks no rule. */
export function kafkaStream(topic: string): Record<string, unknown> {
  return {
    streamType: 'kafka',
    'stream.kafka.topic.name': topic,
    'stream.kafka.decoder.class.name': 'JSONMessageDecoder',
  };
}

/** The changes that turn it into a real-time table that breaks no rule. */
export const realtime: TableConfig = {
  tableType: 'REALTIME',
  ingestionConfig: {
    streamIngestionConfig: { streamConfigMaps: [kafkaStream('orders')] },
  },
};

/** The changes that turn that into one with upsert that breaks no rule. */
export const upsert: TableConfig = {
  ...realtime,
  routing: { instanceSelectorType: 'strictReplicaGroup' },
  upsertConfig: { mode: 'FULL' },
};

/** The changes that turn it into one with dedup that breaks no rule. */
export const dedup: TableConfig = {
  ...realtime,
  routing: { instanceSelectorType: 'strictReplicaGroup' },
  dedupConfig: { dedupEnabled: true },
};

/** A table that keeps a rule, or breaks it: its differences from the sound one. */
export interface Scene {
  readonly config?: TableConfig;
  readonly schema?: TableSchema;
  readonly context?: TableContext;
}
