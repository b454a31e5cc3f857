import { flag, freeForm, integer, mapToOneOf, oneOf, section, text, texts } from '../model/member.ts';
import { partialUpsertStrategies } from './names.ts';

const hashFunctions = ['NONE', 'MD5', 'MURMUR3', 'UUID'] as const;

/** How rows replace earlier rows with the same primary key (SPECIFICATION.md section 2.4.2). */
export const UpsertConfig = section(
  {
    mode: oneOf(['FULL', 'PARTIAL', 'NONE'], 'Whether a row replaces the earlier one, is merged into it, or neither.', 'NONE'),
    hashFunction: oneOf(hashFunctions, 'What is kept of a primary key.', 'NONE'),
    consistencyMode: oneOf(['NONE', 'SYNC', 'SNAPSHOT'], 'What queries see of updates that are under way.', 'NONE'),
    upsertViewRefreshIntervalMs: integer('How old a snapshot may be that queries see.', 3000),
    metadataTTL: integer('After how long keys are forgotten, in units of the comparison column; 0: never.', 0),
    deletedKeysTTL: integer('After how long deleted keys are forgotten, in units of the comparison column; 0: never.', 0),
    newSegmentTrackingTimeMs: integer('How long a new segment counts as new.', 10_000),
    comparisonColumns: texts('Columns whose greatest value wins. None: the time column.'),
    deleteRecordColumn: text('Column that says that a row deletes its key.'),
    outOfOrderRecordColumn: text('BOOLEAN column that says that a row came too late.'),
    partialUpsertMergerClass: text('Class that merges rows in mode PARTIAL.'),
    metadataManagerClass: text('Class that keeps the keys.'),
    dropOutOfOrderRecord: flag('Whether rows that come too late are dropped.'),
    enableSnapshot: flag('Whether the valid rows of a segment are kept on disk.'),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
    enableDeletedKeysCompactionConsistency: flag('Whether deleted keys are kept until no earlier row has them.'),
    allowPartialUpsertConsumptionDuringCommit: flag('Whether consumption goes on while a segment of mode PARTIAL is committed.'),
    metadataManagerConfigs: freeForm('Options of the class that keeps the keys.'),
    defaultPartialUpsertStrategy: oneOf(partialUpsertStrategies, 'How columns are merged that have no strategy.', 'OVERWRITE'),
    partialUpsertStrategies: mapToOneOf(partialUpsertStrategies, 'How a column is merged in mode PARTIAL, by its name.'),
  },
  'How rows replace earlier rows with the same primary key.',
);

/** How rows are dropped whose primary key is there already (SPECIFICATION.md section 2.4). */
export const DedupConfig = section(
  {
    dedupEnabled: flag('Whether rows are dropped whose primary key is there already.'),
    hashFunction: oneOf(hashFunctions, 'What is kept of a primary key.', 'NONE'),
    metadataManagerClass: text('Class that keeps the keys.'),
    metadataManagerConfigs: freeForm('Options of that class.'),
    metadataTTL: integer('After how long keys are forgotten, in units of the time column; 0: never.', 0),
    dedupTimeColumn: text('Column of times by which keys are forgotten. Left out: the time column.'),
    enablePreload: flag('Whether segments are loaded from their snapshots at the start.'),
  },
  'How rows are dropped whose primary key is there already.',
);
