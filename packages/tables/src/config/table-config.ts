import type { Static } from 'typebox';
import { flag, flagOrNone, freeForm, integer, list, model, oneOf, section, text, texts } from '../model/member.ts';
import { FieldConfig } from './field-config.ts';
import { IndexingConfig } from './indexing-config.ts';
import { IngestionConfig } from './ingestion-config.ts';
import { tableTypes } from './names.ts';
import { SegmentsConfig } from './segments-config.ts';
import { DedupConfig, UpsertConfig } from './upsert-config.ts';

const TierConfig = model(
  {
    name: text('Name of the tier. Required.'),
    segmentSelectorType: text('How its segments are chosen: time or fixed. Required.'),
    segmentAge: text('From which age on segments belong to it, such as 7d; with selector time.'),
    segmentList: texts('Its segments; with selector fixed.'),
    storageType: text('Where its segments are: pinot_server. Required.'),
    serverTag: text('Tag of its servers: <tenant>_OFFLINE or <tenant>_REALTIME.'),
    tierBackend: text('Name of the storage behind its servers. Left out: local disks.'),
    tierBackendProperties: freeForm('Options of that storage.'),
  },
  'Where segments of some age go.',
);

const TunerConfig = model(
  { name: text('Name of the tuner. Required.'), tunerProperties: freeForm('Its options.') },
  'What improves the config when the table is made.',
);

/**
 * The config of a table (SPECIFICATION.md sections 2.4 with 2.4.1 to 2.4.3): every member of the specification, and the enumerations that the
 * published documentation of the same interface adds.
 */
export const TableConfig = model(
  {
    tableName: text('Name of the table, with or without _OFFLINE or _REALTIME.'),
    tableType: oneOf(tableTypes, 'Whether the table is filled with files or from a stream.', 'OFFLINE'),
    segmentsConfig: SegmentsConfig,
    tenants: section(
      {
        broker: text('Tenant of the brokers.', 'DefaultTenant'),
        server: text('Tenant of the servers.', 'DefaultTenant'),
        tagOverrideConfig: section(
          {
            realtimeConsuming: text('Tag of the servers that consume.'),
            realtimeCompleted: text('Tag of the servers that hold complete segments.'),
          },
          'Other servers for some segments.',
        ),
      },
      'Who serves the table.',
    ),
    tableIndexConfig: IndexingConfig,
    metadata: section({ customConfigs: freeForm('Whatever belongs to the table, by key.') }, 'Notes.'),
    quota: section(
      {
        storage: text('Most that the table may take, such as 100G. Left out: no limit.'),
        maxQueriesPerSecond: text('Most queries in a second, as a number. Left out: no limit.'),
      },
      'Limits of the table.',
    ),
    task: section({ taskTypeConfigsMap: freeForm('Options of background tasks by their type.') }, 'Background tasks.'),
    routing: section(
      {
        routingTableBuilderName: text('How servers are found for a query. Superseded by the other members.'),
        segmentPrunerTypes: texts('What leaves out segments that cannot match: partition, time, empty.'),
        instanceSelectorType: text('Which replicas a query goes to: balanced, replicaGroup, strictReplicaGroup.', 'balanced'),
        useFixedReplica: flag('Whether a client always gets the same replica.'),
      },
      'Which servers a query goes to.',
    ),
    query: section(
      {
        timeoutMs: integer("Longest time of a query. Left out: the broker's."),
        disableGroovy: flagOrNone("Whether Groovy is refused in queries. Left out: the broker's."),
        useApproximateFunction: flagOrNone("Whether distinct counts and percentiles are estimated. Left out: the broker's."),
        expressionOverrideMap: freeForm('Columns that hold the value of an expression, by the expression.'),
        maxQueryResponseSizeBytes: integer("Largest answer of all servers together. Left out: the broker's."),
        maxServerResponseSizeBytes: integer("Largest answer of one server. Left out: the broker's."),
      },
      'Limits and rewriting of queries.',
    ),
    instanceAssignmentConfigMap: freeForm('How servers are chosen, by kind of segment.'),
    fieldConfigList: list(FieldConfig, 'How single columns are encoded and indexed.'),
    upsertConfig: UpsertConfig,
    dedupConfig: DedupConfig,
    dimensionTableConfig: section(
      {
        disablePreload: flag('Whether rows are read when they are looked up, not kept in memory.'),
        errorOnDuplicatePrimaryKey: flag('Whether two rows with the same primary key are an error.'),
      },
      'Options of a dimension table.',
    ),
    ingestionConfig: IngestionConfig,
    tierConfigs: list(TierConfig, 'Where segments go as they age.'),
    isDimTable: flag('Whether every server holds the whole table, for look-ups.'),
    tunerConfigs: list(TunerConfig, 'What improves the config when the table is made.'),
    instancePartitionsMap: freeForm('Chosen servers, by kind of segment.'),
    segmentAssignmentConfigMap: freeForm('How segments are assigned, by kind of segment.'),
  },
  'The config of a table.',
);

export type TableConfig = Static<typeof TableConfig>;
