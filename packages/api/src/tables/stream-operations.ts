import { Type } from 'typebox';
import { adminOperation } from './admin-operation.ts';

const tag = 'streams';
const stringMap = Type.Record(Type.String(), Type.String());

/**
 * What each partition of a table consumes, as Apache Pinot's controller says it: numbers in maps
 * are texts.
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
              'CONSUMING; NOT_CONSUMING: the server has given up; UNKNOWN: it does not answer.',
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
              'What the partition does, of all its servers: STARTING, CONSUMING, COMMITTING, PAUSED, RETRYING or STOPPED.',
          }),
          skippedCount: Type.Integer({ description: 'Messages that were skipped.' }),
          error: Type.Optional(Type.String({ description: 'Why it is RETRYING or STOPPED.' })),
          notice: Type.Optional(
            Type.String({
              description:
                'What an operator has to know though it consumes, such as a server that does not.',
            }),
          ),
        }),
      ),
      {
        description:
          'By segment, an entry for each server that has to consume it; empty while a segment is being made, which is not the same as no lag.',
      },
    ),
  },
  { $id: 'ConsumingSegments', description: 'What each partition of a table consumes.' },
);

const PauseStatus = Type.Object(
  {
    pauseFlag: Type.Boolean(),
    consumingSegments: Type.Array(Type.String()),
    reasonCode: Type.String(),
    comment: Type.String(),
    timestamp: Type.String({
      description: 'When it was paused or resumed last; empty before the first time.',
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
    segmentsForceCommitted: Type.String({ description: 'A JSON array of names, as a text.' }),
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
  { $id: 'Rebalance', description: 'What a rebalance does.' },
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

/** The calls about consumption from streams, where and as Apache Pinot's controller has them. */
export const streamOperations = {
  readConsumingSegments: adminOperation('readConsumingSegments', {
    ...ofTable,
    summary: 'Read what a table consumes, and its lag',
    answer: ConsumingSegments,
    answerIs: 'What each partition consumes.',
  }),
  readPauseStatus: adminOperation('readPauseStatus', {
    ...ofTable,
    summary: 'Read whether a table is paused',
    answer: PauseStatus,
    answerIs: 'Whether it consumes its stream.',
  }),
  readWatermarks: adminOperation('readWatermarks', {
    ...ofTable,
    summary: 'Read where the consuming segments of a table start',
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
    summary: 'Stop consuming the stream of a table',
    description: 'What has been consumed is committed.',
    query: { comment: 'Why.' },
    answer: PauseStatus,
    answerIs: 'Whether it consumes its stream.',
  }),
  resumeConsumption: adminOperation('resumeConsumption', {
    ...ofTable,
    summary: 'Resume consuming the stream of a table',
    query: { consumeFrom: 'lastConsumed (default), smallest or largest.', comment: 'Why.' },
    answer: PauseStatus,
    answerIs: 'Whether it consumes its stream.',
  }),
  forceCommit: adminOperation('forceCommit', {
    tag,
    summary: 'Commit what a table is consuming',
    query: {
      partitions: 'Only these partitions, with commas between.',
      segments: 'Only these segments, with commas between; not together with partitions.',
    },
    answer: Type.Object({
      forceCommitStatus: Type.String(),
      forceCommitJobId: Type.String(),
      jobMetaZKWriteStatus: Type.String({ description: 'For clients that look for it: SUCCESS.' }),
    }),
    answerIs: 'The job, whose status tells how far it has come.',
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
    summary: 'Move the segments of a table to where its tenants require them',
    query: {
      type: 'OFFLINE or REALTIME, where the name has no suffix.',
      dryRun: 'true: says what it would do. Default: false.',
    },
    answer: Rebalance,
    answerIs: 'The job.',
    errors: ['TABLE_NOT_FOUND', 'CONFLICT'],
  }),
  cancelRebalance: adminOperation('cancelRebalance', {
    ...ofTable,
    summary: 'Cancel the rebalances of a table',
    query: { type: 'OFFLINE or REALTIME, where the name has no suffix.' },
    answer: Type.Array(Type.String()),
    answerIs: 'Ids of what was cancelled.',
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
