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

/** The encoding and indexes of one column (SPECIFICATION.md section 2.4, fieldConfigList). */
const FieldConfig = model(
  {
    name: text('The column. Required.'),
    encodingType: oneOf(
      encodingTypes,
      'Whether values are stored raw or in a dictionary.',
      'DICTIONARY',
    ),
    indexType: oneOf(indexTypes, 'An index. Superseded by indexTypes.'),
    indexTypes: someOf(indexTypes, 'The indexes of the column.'),
    compressionCodec: oneOf(compressionCodecs, 'The compression of the values.'),
    timestampConfig: optionalSection(
      {
        granularities: someOf(
          timestampGranularities,
          'Units for which truncated times are stored as well.',
        ),
      },
      'Options of a TIMESTAMP index.',
    ),
    indexes: freeForm('Options of indexes, by index.'),
    properties: textByName('Further options.'),
    tierOverwrites: freeForm('Overrides by the name of a tier.'),
  },
  'The encoding and indexes of one column.',
);

/**
 * The assignment, replication and retention of the segments of a table (SPECIFICATION.md section
 * 2.4).
 */
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
      'Scheme by which servers download segments from each other: http or https.',
    ),
    segmentPushType: text(
      'The effect of a push: APPEND adds segments, REFRESH replaces all. Superseded by batchIngestionConfig.',
    ),
    timeColumnName: text(
      'The time column, used for retention and the time boundary. Required for real-time tables.',
    ),
    timeType: text(
      'Unit of the time column. Superseded by the format of the column in the schema.',
    ),
    retentionTimeUnit: text('Unit of the time for which segments are kept, such as DAYS.'),
    retentionTimeValue: text(
      'The retention of segments in retentionTimeUnit, as a whole number. Default: forever.',
    ),
    crypterClassName: text('Class that encrypts segments. Default: none.'),
    deletedSegmentsRetentionPeriod: text(
      'The time for which deleted segments can be restored, such as 7d.',
      '7d',
    ),
    untrackedSegmentsRetentionTimeUnit: text(
      'Unit of the retention of segments that the cluster does not know.',
    ),
    untrackedSegmentsRetentionTimeValue: text('The retention of such segments in that unit.'),
    replication: text('The number of copies of each segment, as a whole number.', '1'),
    schemaName: text('Name of the schema. Superseded: it is the name of the table.'),
    minimizeDataMovement: flag('Whether a rebalance moves as few segments as possible.'),
    replicaGroupStrategyConfig: optionalSection(
      {
        numInstancesPerPartition: integer(
          'The number of servers that hold a partition of a replica group.',
        ),
        partitionColumn: text('The column by which rows are partitioned.'),
      },
      'Assignment of segments to replica groups.',
    ),
    completionConfig: optionalSection(
      {
        completionMode: text(
          'The way in which other replicas complete a segment: DOWNLOAD copies the first one, DEFAULT builds it if possible.',
          'DEFAULT',
        ),
      },
      'The completion of consumed segments.',
    ),
  },
  'The assignment, replication and retention of segments.',
);

const hashFunctions = ['NONE', 'MD5', 'MURMUR3', 'UUID', 'XXHASH', 'XXH128'] as const;
const enablements = ['ENABLE', 'DISABLE', 'DEFAULT'] as const;

/**
 * The replacement of rows by later ones with the same primary key (SPECIFICATION.md section 2.4.2).
 */
const UpsertConfig = optionalSection(
  {
    mode: oneOf(
      ['FULL', 'PARTIAL', 'NONE'],
      'Whether a row replaces the earlier one, is merged into it, or neither.',
      'FULL',
    ),
    hashFunction: oneOf(hashFunctions, 'The hash that is stored instead of a primary key.', 'NONE'),
    consistencyMode: oneOf(
      ['NONE', 'SYNC', 'SNAPSHOT'],
      'The visibility of updates in progress.',
      'NONE',
    ),
    upsertViewRefreshIntervalMs: integer('The maximum age of a snapshot that queries see.', 3000),
    metadataTTL: integer(
      'The time to live of keys, in units of the comparison column; 0: unlimited.',
      0,
    ),
    deletedKeysTTL: integer(
      'The time to live of deleted keys, in units of the comparison column; 0: unlimited.',
      0,
    ),
    newSegmentTrackingTimeMs: integer('The time for which a segment counts as new.', 10_000),
    comparisonColumns: texts(
      'Columns by which rows with the same key are compared: the row with the greatest value is kept. Default: the time column.',
    ),
    deleteRecordColumn: text('Column that marks rows that delete their key.'),
    outOfOrderRecordColumn: text('BOOLEAN column that marks rows that arrived out of order.'),
    partialUpsertMergerClass: text('Class that merges rows in mode PARTIAL.'),
    metadataManagerClass: text('Class that manages the keys.'),
    dropOutOfOrderRecord: flag('Whether rows that arrive out of order are dropped.'),
    snapshot: oneOf(
      enablements,
      'Whether snapshots of the valid rows are stored on disk; DEFAULT: as configured on the server.',
      'DEFAULT',
    ),
    preload: oneOf(
      enablements,
      'Whether segments are loaded from their snapshots at the start; DEFAULT: as configured on the server.',
      'DEFAULT',
    ),
    enableSnapshot: flag(
      'Whether snapshots of the valid rows are stored on disk. Superseded by snapshot.',
    ),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
    enableDeletedKeysCompactionConsistency: flag(
      'Whether deleted keys are kept until no earlier row has them.',
    ),
    allowPartialUpsertConsumptionDuringCommit: flag(
      'Whether consumption continues while a segment of mode PARTIAL is committed.',
    ),
    metadataManagerConfigs: textByName('Options of the class that manages the keys.'),
    defaultPartialUpsertStrategy: oneOf(
      partialUpsertStrategies,
      'The merge strategy of columns without one of their own.',
      'OVERWRITE',
    ),
    partialUpsertStrategies: mapToOneOf(
      partialUpsertStrategies,
      'The merge strategy of a column in mode PARTIAL, by its name.',
    ),
  },
  'The replacement of rows by later ones with the same primary key.',
);

/** The dropping of rows whose primary key already exists (SPECIFICATION.md section 2.4). */
const DedupConfig = optionalSection(
  {
    dedupEnabled: flag('Whether rows whose primary key already exists are dropped.', true),
    hashFunction: oneOf(hashFunctions, 'The hash that is stored instead of a primary key.', 'NONE'),
    metadataManagerClass: text('Class that manages the keys.'),
    metadataManagerConfigs: textByName('Options of that class.'),
    metadataTTL: integer('The time to live of keys, in units of the time column; 0: unlimited.', 0),
    dedupTimeColumn: text('Date-time column by which keys expire. Default: the time column.'),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
  },
  'Deduplication: drops rows whose primary key already exists.',
);

const TierConfig = model(
  {
    name: text('Name of the tier. Required.'),
    segmentSelectorType: text('The selection of its segments: time or fixed. Required.'),
    segmentAge: text(
      'The age from which segments belong to the tier, such as 7d; with selector time.',
    ),
    segmentList: texts('The segments of the tier; with selector fixed.'),
    storageType: text('The storage of its segments: pinot_server. Required.'),
    serverTag: text('Tag of its servers: <tenant>_OFFLINE or <tenant>_REALTIME.'),
    tierBackend: text('Name of the storage behind its servers. Default: local disks.'),
    tierBackendProperties: textByName('Options of that storage.'),
  },
  'A tier for segments of some age.',
);

const TunerConfig = model(
  { name: text('Name of the tuner. Required.'), tunerProperties: textByName('Its options.') },
  'A tuner that improves the config when the table is created.',
);

/**
 * The config of a table (SPECIFICATION.md sections 2.4 with 2.4.1 to 2.4.3): every member of the
 * specification, and the enumerations that Apache Pinot's published documentation adds.
 */
export const TableConfig = model(
  {
    tableName: text('Name of the table, with or without _OFFLINE or _REALTIME.'),
    tableType: oneOfAnyCase(
      tableTypes,
      'Whether the table is loaded from files or from a stream.',
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
          'Tags of other servers for some segments.',
        ),
      },
      'The tenants that serve the table.',
    ),
    tableIndexConfig: IndexingConfig,
    metadata: section(
      { customConfigs: textByName('Any further properties of the table, by key.') },
      'Notes.',
    ),
    quota: section(
      {
        storage: text('Maximum size of the table, such as 100G. Default: no limit.'),
        maxQueriesPerSecond: text('Maximum number of queries per second. Default: no limit.'),
      },
      'Limits of the table.',
    ),
    task: section(
      { taskTypeConfigsMap: textsOfNames('Options of background tasks by their type.') },
      'Background tasks.',
    ),
    routing: section(
      {
        routingTableBuilderName: text('The routing of queries. Superseded by the other members.'),
        segmentPrunerTypes: texts(
          'The pruners that skip segments without matches: partition, time, empty.',
        ),
        instanceSelectorType: text(
          'The selection of replicas for a query: balanced, replicaGroup, strictReplicaGroup.',
          'balanced',
        ),
        useFixedReplica: flag('Whether a client always gets the same replica.'),
      },
      'The routing of queries to servers.',
    ),
    query: section(
      {
        timeoutMs: integer("Timeout of a query. Default: the broker's."),
        disableGroovy: flagOrNone("Whether Groovy is refused in queries. Default: the broker's."),
        useApproximateFunction: flagOrNone(
          "Whether distinct counts and percentiles are estimated. Default: the broker's.",
        ),
        expressionOverrideMap: textByName(
          'Columns that contain the value of an expression, by the expression.',
        ),
        maxQueryResponseSizeBytes: integer(
          "Maximum size of the answers of all servers together. Default: the broker's.",
        ),
        maxServerResponseSizeBytes: integer(
          "Maximum size of the answer of one server. Default: the broker's.",
        ),
      },
      'Limits and rewriting of queries.',
    ),
    instanceAssignmentConfigMap: freeForm('The selection of servers, by kind of segment.'),
    fieldConfigList: list(FieldConfig, 'The encoding and indexes of single columns.'),
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
    // With upsert, Apache Pinot refuses even an empty list.
    tierConfigs: listOrNone(TierConfig, 'The tiers that segments move to as they age.'),
    isDimTable: flag('Whether every server holds the whole table, for look-ups.'),
    tunerConfigs: list(TunerConfig, 'A tuner that improves the config when the table is created.'),
    instancePartitionsMap: textByName('Fixed assignment of servers, by kind of segment.'),
    segmentAssignmentConfigMap: freeForm('The assignment of segments, by kind of segment.'),
  },
  'The config of a table.',
);

export type TableConfig = Static<typeof TableConfig>;

/** A table config as provided by a user, parsed by its model. */
export interface ParsedTableConfig extends ModelVerdict {
  /** The members that fit the model. Unknown members are kept. */
  readonly config: TableConfig;
}

/**
 * Parses a table config. Never throws, and reports all problems, not only the first one
 * (SPECIFICATION.md section 2.4).
 */
export function parseTableConfig(value: unknown): ParsedTableConfig {
  const { value: config, ...verdict } = readModel(TableConfig, value);
  return { config: config ?? {}, ...verdict };
}

/**
 * A table config with every member of the specification's tables; null for members with neither a
 * value nor a default.
 */
export type CompleteTableConfig = { readonly [Member in keyof TableConfig]-?: unknown };

/**
 * Returns the same config with its full set of members, as in the response of a preview
 * (SPECIFICATION.md section 4.3). Its meaning does not change.
 */
export function completeTableConfig(config: TableConfig): CompleteTableConfig {
  const complete = completeModel(TableConfig, config) as CompleteTableConfig;
  // Apache Pinot requires a batchIngestionConfig if a dimension table has an ingestionConfig at
  // all.
  return config.isDimTable === true && config.ingestionConfig === undefined
    ? { ...complete, ingestionConfig: null }
    : complete;
}
