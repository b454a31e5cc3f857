import { flag, integer, oneOf, optionalSection, section, text } from '../model/member.ts';
import { timeUnits } from './names.ts';

/** How the segments of a table are assigned, replicated and kept (SPECIFICATION.md section 2.4). */
export const SegmentsConfig = section(
  {
    segmentPushFrequency: text('How often segments are pushed: HOURLY or DAILY. Superseded by batchIngestionConfig.'),
    segmentAssignmentStrategy: text(
      'Name of the strategy that assigns segments to servers.',
      'BalanceNumSegmentAssignmentStrategy',
    ),
    replicasPerPartition: text('Replicas of a partition of a real-time table, as a whole number. Superseded by replication.'),
    peerSegmentDownloadScheme: text('Scheme by which servers take segments from each other: http or https.'),
    segmentPushType: text('What a push does: APPEND adds segments, REFRESH replaces all. Superseded by batchIngestionConfig.'),
    timeColumnName: text('The column of times by which the table is kept and split. Real-time tables need one.'),
    timeType: oneOf(timeUnits, 'Unit of the time column. Superseded by the format of the column in the schema.'),
    retentionTimeUnit: text('Unit of the time for which segments are kept, such as DAYS.'),
    retentionTimeValue: text('How long segments are kept, in retentionTimeUnit, as a whole number. Left out: for ever.'),
    crypterClassName: text('Class that encrypts segments. Left out: none.'),
    deletedSegmentsRetentionPeriod: text('How long deleted segments can be brought back, such as 7d.', '7d'),
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
