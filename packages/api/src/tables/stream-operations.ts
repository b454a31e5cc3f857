import { Type } from '@quire/core/schema';
import { adminOperation } from './admin-operation.ts';

const tag = 'streams';
const stringMap = Type.Record(Type.String(), Type.String());

/**
 * The consumption of each partition of a table, in the format of Apache Pinot's controller: numbers
 * in maps are texts.
 */
const ConsumingSegments = Type.Object(
  {
    serversFailingToRespond: Type.Integer({ description: 'Servers that did not answer.' }),
    serversUnparsableRespond: Type.Integer(),
    _segmentToConsumingInfoMap: Type.Record(
      Type.String(),
      Type.Array(
        Type.Object({
          serverName: Type.String(),
          consumerState: Type.String({
            description:
              'CONSUMING; NOT_CONSUMING: the server has stopped consuming; UNKNOWN: it does not answer.',
          }),
          lastConsumedTimestamp: Type.Integer({ description: 'In epoch milliseconds.' }),
          partitionToOffsetMap: stringMap,
          partitionOffsetInfo: Type.Object({
            currentOffsetsMap: stringMap,
            latestUpstreamOffsetMap: stringMap,
            recordsLagMap: stringMap,
            availabilityLagMsMap: stringMap,
          }),
          partition: Type.Integer({ description: 'Number of the partition.' }),
          state: Type.String({
            description:
              'State of the partition over all its servers: STARTING, CONSUMING, COMMITTING, PAUSED, RETRYING or STOPPED.',
          }),
          skippedCount: Type.Integer({ description: 'Messages that were skipped.' }),
          error: Type.Optional(
            Type.String({ description: 'Reason why it is RETRYING or STOPPED.' }),
          ),
          notice: Type.Optional(
            Type.String({
              description:
                'Notice for the operator about a partition that is being consumed, such as a server that does not consume it.',
            }),
          ),
        }),
      ),
      {
        description:
          'By segment, an entry for each server that must consume it; empty while a segment is being created, which differs from a lag of 0.',
      },
    ),
  },
  { $id: 'ConsumingSegments', description: 'The consumption of each partition of a table.' },
);

const PauseStatus = Type.Object(
  {
    pauseFlag: Type.Boolean(),
    consumingSegments: Type.Array(Type.String()),
    reasonCode: Type.String(),
    comment: Type.String(),
    timestamp: Type.String({
      description: 'Time of the last pause or resume; empty before the first.',
    }),
  },
  { $id: 'PauseStatus', description: 'Whether a table consumes its stream.' },
);

const ForceCommitStatus = Type.Object(
  {
    jobId: Type.String(),
    jobType: Type.String(),
    tableName: Type.String(),
    submissionTimeMs: Type.String(),
    segmentsForceCommitted: Type.String({ description: 'A JSON array of names, as text.' }),
    segmentsYetToBeCommitted: Type.Array(Type.String()),
    numberOfSegmentsYetToBeCommitted: Type.Integer(),
  },
  { $id: 'ForceCommitStatus', description: 'Progress of a force-commit job.' },
);

const Rebalance = Type.Object(
  {
    jobId: Type.String(),
    status: Type.String({ description: 'NO_OP, IN_PROGRESS, DONE, FAILED or CANCELLED.' }),
    description: Type.String(),
  },
  { $id: 'Rebalance', description: 'A rebalance, and its moves of segments.' },
);

const RebalanceProgress = Type.Object(
  {
    timeElapsedSinceStartInSeconds: Type.Integer(),
    tableRebalanceProgressStats: Type.Object({
      status: Type.String(),
      startTimeMs: Type.Integer(),
      timeToFinishInSeconds: Type.Integer(),
      completionStatusMsg: Type.String(),
      segmentsToMove: Type.Integer(),
      segmentsMoved: Type.Integer(),
    }),
  },
  { $id: 'RebalanceProgress', description: 'Progress of a rebalance.' },
);

const ofTable = { tag, errors: ['TABLE_NOT_FOUND'] } as const;

/** The calls about stream consumption, with the paths and formats of Apache Pinot's controller. */
export const streamOperations = {
  readConsumingSegments: adminOperation('readConsumingSegments', {
    ...ofTable,
    summary: 'Read the consumption of a table, and its lag',
    answer: ConsumingSegments,
    answerIs: 'The consumption of each partition.',
  }),
  readPauseStatus: adminOperation('readPauseStatus', {
    ...ofTable,
    summary: 'Read whether a table is paused',
    answer: PauseStatus,
    answerIs: 'Whether the table consumes its stream.',
  }),
  readWatermarks: adminOperation('readWatermarks', {
    ...ofTable,
    summary: "Read the start positions of a table's consuming segments",
    answer: Type.Object({
      watermarks: Type.Array(
        Type.Object({
          partitionGroupId: Type.Integer(),
          sequenceNumber: Type.Integer(),
          offset: Type.Integer(),
        }),
      ),
    }),
    answerIs: 'A watermark for each partition.',
  }),
  pauseConsumption: adminOperation('pauseConsumption', {
    ...ofTable,
    summary: 'Pause the consumption of a table',
    description: 'Consumed rows are committed.',
    query: { comment: 'Why.' },
    answer: PauseStatus,
    answerIs: 'Whether the table consumes its stream.',
  }),
  resumeConsumption: adminOperation('resumeConsumption', {
    ...ofTable,
    summary: 'Resume the consumption of a table',
    query: { consumeFrom: 'lastConsumed (default), smallest or largest.', comment: 'Why.' },
    answer: PauseStatus,
    answerIs: 'Whether the table consumes its stream.',
  }),
  forceCommit: adminOperation('forceCommit', {
    tag,
    summary: 'Commit the consuming segments of a table',
    query: {
      partitions: 'Only these partitions, separated by commas.',
      segments: 'Only these segments, separated by commas; not together with partitions.',
    },
    answer: Type.Object({
      forceCommitStatus: Type.String(),
      forceCommitJobId: Type.String(),
      jobMetaZKWriteStatus: Type.String({
        description: 'Always SUCCESS, which some clients check.',
      }),
    }),
    answerIs: 'The job, whose status has its progress.',
    errors: ['TABLE_NOT_FOUND', 'SEGMENT_NOT_FOUND', 'CONFLICT'],
  }),
  readForceCommit: adminOperation('readForceCommit', {
    tag,
    summary: 'Read the progress of a force-commit job',
    answer: ForceCommitStatus,
    answerIs: 'The job.',
    errors: ['JOB_NOT_FOUND'],
  }),
  rebalance: adminOperation('rebalance', {
    tag,
    summary: 'Move the segments of a table to the servers that its tenants require',
    query: {
      type: 'OFFLINE or REALTIME, if the name has no suffix.',
      dryRun: 'true: reports the moves without making them. Default: false.',
    },
    answer: Rebalance,
    answerIs: 'The job.',
    errors: ['TABLE_NOT_FOUND', 'CONFLICT'],
  }),
  cancelRebalance: adminOperation('cancelRebalance', {
    ...ofTable,
    summary: 'Cancel the rebalances of a table',
    query: { type: 'OFFLINE or REALTIME, if the name has no suffix.' },
    answer: Type.Array(Type.String()),
    answerIs: 'Ids of the cancelled jobs.',
  }),
  readRebalance: adminOperation('readRebalance', {
    tag,
    summary: 'Read the progress of a rebalance',
    answer: RebalanceProgress,
    answerIs: 'The job.',
    errors: ['JOB_NOT_FOUND'],
  }),
} as const;

export const streamComponents = [
  ConsumingSegments,
  PauseStatus,
  ForceCommitStatus,
  Rebalance,
  RebalanceProgress,
] as const;
