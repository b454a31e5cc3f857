import type { Static } from 'typebox';
import {
  compressionCodecs,
  encodingTypes,
  flag,
  flagOrNone,
  freeForm,
  indexTypes,
  integer,
  list,
  listOrNone,
  mapToOneOf,
  model,
  oneOf,
  oneOfAnyCase,
  optionalSection,
  partialUpsertStrategies,
  section,
  someOf,
  tableTypes,
  text,
  textByName,
  textsOfNames,
  texts,
  timestampGranularities,
} from '../model/member.ts';
import { completeModel, type ModelVerdict, readModel } from '../model/read-model.ts';
import { IndexingConfig, IngestionConfig } from './table-sections.ts';

/** How one column is encoded and indexed (SPECIFICATION.md section 2.4, fieldConfigList). */
const FieldConfig = model(
  {
    name: text('The column. Required.'),
    encodingType: oneOf(
      encodingTypes,
      'Whether values are kept as they are or in a dictionary.',
      'DICTIONARY',
    ),
    indexType: oneOf(indexTypes, 'An index. Superseded by indexTypes.'),
    indexTypes: someOf(indexTypes, 'The indexes of the column.'),
    compressionCodec: oneOf(compressionCodecs, 'How values are compressed.'),
    timestampConfig: optionalSection(
      {
        granularities: someOf(
          timestampGranularities,
          'Units to which truncated times are kept as well.',
        ),
      },
      'Options of a TIMESTAMP index.',
    ),
    indexes: freeForm('Options of indexes, by index.'),
    properties: textByName('Further options.'),
    tierOverwrites: freeForm('What is different on a tier, by name of the tier.'),
  },
  'How one column is encoded and indexed.',
);

/** How the segments of a table are assigned, replicated and kept (SPECIFICATION.md section 2.4). */
const SegmentsConfig = section(
  {
    segmentPushFrequency: text(
      'How often segments are pushed: HOURLY or DAILY. Superseded by batchIngestionConfig.',
    ),
    segmentAssignmentStrategy: text(
      'Name of the strategy that assigns segments to servers.',
      'BalanceNumSegmentAssignmentStrategy',
    ),
    replicasPerPartition: text(
      'Replicas of a partition of a real-time table, as a whole number. Superseded by replication.',
    ),
    peerSegmentDownloadScheme: text(
      'Scheme by which servers take segments from each other: http or https.',
    ),
    segmentPushType: text(
      'What a push does: APPEND adds segments, REFRESH replaces all. Superseded by batchIngestionConfig.',
    ),
    timeColumnName: text(
      'The column of times by which the table is kept and split. Real-time tables need one.',
    ),
    timeType: text(
      'Unit of the time column. Superseded by the format of the column in the schema.',
    ),
    retentionTimeUnit: text('Unit of the time for which segments are kept, such as DAYS.'),
    retentionTimeValue: text(
      'How long segments are kept, in retentionTimeUnit, as a whole number. Left out: for ever.',
    ),
    crypterClassName: text('Class that encrypts segments. Left out: none.'),
    deletedSegmentsRetentionPeriod: text(
      'How long deleted segments can be brought back, such as 7d.',
      '7d',
    ),
    untrackedSegmentsRetentionTimeUnit: text(
      'Unit of how long segments are kept that the cluster does not know.',
    ),
    untrackedSegmentsRetentionTimeValue: text('How many of that unit they are kept.'),
    replication: text('How many copies of each segment there are, as a whole number.', '1'),
    schemaName: text('Name of the schema. Superseded: it is the name of the table.'),
    minimizeDataMovement: flag('Whether a rebalance keeps segments where they are if it can.'),
    replicaGroupStrategyConfig: optionalSection(
      {
        numInstancesPerPartition: integer('How many servers hold a partition of a replica group.'),
        partitionColumn: text('The column by which rows are partitioned.'),
      },
      'Assignment of segments to groups of replicas.',
    ),
    completionConfig: optionalSection(
      {
        completionMode: text(
          'How other replicas complete a segment: DOWNLOAD takes the first one, DEFAULT builds if it can.',
          'DEFAULT',
        ),
      },
      'How consumed segments are completed.',
    ),
  },
  'How segments are assigned, replicated and kept.',
);

const hashFunctions = ['NONE', 'MD5', 'MURMUR3', 'UUID', 'XXHASH', 'XXH128'] as const;
const enablements = ['ENABLE', 'DISABLE', 'DEFAULT'] as const;

/** How rows replace earlier rows with the same primary key (SPECIFICATION.md section 2.4.2). */
const UpsertConfig = optionalSection(
  {
    mode: oneOf(
      ['FULL', 'PARTIAL', 'NONE'],
      'Whether a row replaces the earlier one, is merged into it, or neither.',
      'FULL',
    ),
    hashFunction: oneOf(hashFunctions, 'What is kept of a primary key.', 'NONE'),
    consistencyMode: oneOf(
      ['NONE', 'SYNC', 'SNAPSHOT'],
      'What queries see of updates that are under way.',
      'NONE',
    ),
    upsertViewRefreshIntervalMs: integer('How old a snapshot may be that queries see.', 3000),
    metadataTTL: integer(
      'After how long keys are forgotten, in units of the comparison column; 0: never.',
      0,
    ),
    deletedKeysTTL: integer(
      'After how long deleted keys are forgotten, in units of the comparison column; 0: never.',
      0,
    ),
    newSegmentTrackingTimeMs: integer('How long a new segment counts as new.', 10_000),
    comparisonColumns: texts('Columns whose greatest value wins. None: the time column.'),
    deleteRecordColumn: text('Column that says that a row deletes its key.'),
    outOfOrderRecordColumn: text('BOOLEAN column that says that a row came too late.'),
    partialUpsertMergerClass: text('Class that merges rows in mode PARTIAL.'),
    metadataManagerClass: text('Class that keeps the keys.'),
    dropOutOfOrderRecord: flag('Whether rows that come too late are dropped.'),
    snapshot: oneOf(
      enablements,
      'Whether the valid rows of a segment are kept on disk; DEFAULT: as the server says.',
      'DEFAULT',
    ),
    preload: oneOf(
      enablements,
      'Whether segments are loaded from their snapshots at the start; DEFAULT: as the server says.',
      'DEFAULT',
    ),
    enableSnapshot: flag(
      'Whether the valid rows of a segment are kept on disk. Superseded by snapshot.',
    ),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
    enableDeletedKeysCompactionConsistency: flag(
      'Whether deleted keys are kept until no earlier row has them.',
    ),
    allowPartialUpsertConsumptionDuringCommit: flag(
      'Whether consumption goes on while a segment of mode PARTIAL is committed.',
    ),
    metadataManagerConfigs: textByName('Options of the class that keeps the keys.'),
    defaultPartialUpsertStrategy: oneOf(
      partialUpsertStrategies,
      'How columns are merged that have no strategy.',
      'OVERWRITE',
    ),
    partialUpsertStrategies: mapToOneOf(
      partialUpsertStrategies,
      'How a column is merged in mode PARTIAL, by its name.',
    ),
  },
  'How rows replace earlier rows with the same primary key.',
);

/** How rows are dropped whose primary key is there already (SPECIFICATION.md section 2.4). */
const DedupConfig = optionalSection(
  {
    dedupEnabled: flag('Whether rows are dropped whose primary key is there already.', true),
    hashFunction: oneOf(hashFunctions, 'What is kept of a primary key.', 'NONE'),
    metadataManagerClass: text('Class that keeps the keys.'),
    metadataManagerConfigs: textByName('Options of that class.'),
    metadataTTL: integer(
      'After how long keys are forgotten, in units of the time column; 0: never.',
      0,
    ),
    dedupTimeColumn: text(
      'Column of times by which keys are forgotten. Left out: the time column.',
    ),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
  },
  'How rows are dropped whose primary key is there already.',
);

const TierConfig = model(
  {
    name: text('Name of the tier. Required.'),
    segmentSelectorType: text('How its segments are chosen: time or fixed. Required.'),
    segmentAge: text('From which age on segments belong to it, such as 7d; with selector time.'),
    segmentList: texts('Its segments; with selector fixed.'),
    storageType: text('Where its segments are: pinot_server. Required.'),
    serverTag: text('Tag of its servers: <tenant>_OFFLINE or <tenant>_REALTIME.'),
    tierBackend: text('Name of the storage behind its servers. Left out: local disks.'),
    tierBackendProperties: textByName('Options of that storage.'),
  },
  'Where segments of some age go.',
);

const TunerConfig = model(
  { name: text('Name of the tuner. Required.'), tunerProperties: textByName('Its options.') },
  'What improves the config when the table is made.',
);

/**
 * The config of a table (SPECIFICATION.md sections 2.4 with 2.4.1 to 2.4.3): every member of the
 * specification, and the enumerations that the published documentation of the same interface adds.
 */
export const TableConfig = model(
  {
    tableName: text('Name of the table, with or without _OFFLINE or _REALTIME.'),
    tableType: oneOfAnyCase(
      tableTypes,
      'Whether the table is filled with files or from a stream.',
      'OFFLINE',
    ),
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
    metadata: section(
      { customConfigs: textByName('Whatever belongs to the table, by key.') },
      'Notes.',
    ),
    quota: section(
      {
        storage: text('Most that the table may take, such as 100G. Left out: no limit.'),
        maxQueriesPerSecond: text('Most queries in a second, as a number. Left out: no limit.'),
      },
      'Limits of the table.',
    ),
    task: section(
      { taskTypeConfigsMap: textsOfNames('Options of background tasks by their type.') },
      'Background tasks.',
    ),
    routing: section(
      {
        routingTableBuilderName: text(
          'How servers are found for a query. Superseded by the other members.',
        ),
        segmentPrunerTypes: texts(
          'What leaves out segments that cannot match: partition, time, empty.',
        ),
        instanceSelectorType: text(
          'Which replicas a query goes to: balanced, replicaGroup, strictReplicaGroup.',
          'balanced',
        ),
        useFixedReplica: flag('Whether a client always gets the same replica.'),
      },
      'Which servers a query goes to.',
    ),
    query: section(
      {
        timeoutMs: integer("Longest time of a query. Left out: the broker's."),
        disableGroovy: flagOrNone("Whether Groovy is refused in queries. Left out: the broker's."),
        useApproximateFunction: flagOrNone(
          "Whether distinct counts and percentiles are estimated. Left out: the broker's.",
        ),
        expressionOverrideMap: textByName(
          'Columns that hold the value of an expression, by the expression.',
        ),
        maxQueryResponseSizeBytes: integer(
          "Largest answer of all servers together. Left out: the broker's.",
        ),
        maxServerResponseSizeBytes: integer(
          "Largest answer of one server. Left out: the broker's.",
        ),
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
        errorOnDuplicatePrimaryKey: flag(
          'Whether two rows with the same primary key are an error.',
        ),
      },
      'Options of a dimension table.',
    ),
    ingestionConfig: IngestionConfig,
    // Beside upsert Apache Pinot refuses even an empty list.
    tierConfigs: listOrNone(TierConfig, 'Where segments go as they age.'),
    isDimTable: flag('Whether every server holds the whole table, for look-ups.'),
    tunerConfigs: list(TunerConfig, 'What improves the config when the table is made.'),
    instancePartitionsMap: textByName('Chosen servers, by kind of segment.'),
    segmentAssignmentConfigMap: freeForm('How segments are assigned, by kind of segment.'),
  },
  'The config of a table.',
);

export type TableConfig = Static<typeof TableConfig>;

/** A table config as somebody wrote it, read by its model. */
export interface ParsedTableConfig extends ModelVerdict {
  /** What fits the model; members that it does not have are kept. */
  readonly config: TableConfig;
}

/**
 * Reads a table config; never throws, and finds everything that does not fit, not only the first
 * (SPECIFICATION.md section 2.4).
 */
export function parseTableConfig(value: unknown): ParsedTableConfig {
  const { value: config, ...verdict } = readModel(TableConfig, value);
  return { config: config ?? {}, ...verdict };
}

/**
 * A table config with every member of the specification's tables; null where there is neither a
 * value nor a default.
 */
export type CompleteTableConfig = { readonly [Member in keyof TableConfig]-?: unknown };

/**
 * The same config with its full set of members, as the answer of a preview carries it
 * (SPECIFICATION.md section 4.3). The meaning stays.
 */
export function completeTableConfig(config: TableConfig): CompleteTableConfig {
  const complete = completeModel(TableConfig, config) as CompleteTableConfig;
  // The engine asks for a batchIngestionConfig where a dimension table has an ingestionConfig at
  // all.
  return config.isDimTable === true && config.ingestionConfig === undefined
    ? { ...complete, ingestionConfig: null }
    : complete;
}
