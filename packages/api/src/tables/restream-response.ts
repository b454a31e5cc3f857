import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from '../reference.ts';

const status = Type.Unsafe<
  'INIT' | 'TABLE_STREAM' | 'FORCE_COMMIT' | 'REBALANCE' | 'DONE' | 'FAILED' | 'CANCELLED'
>({
  type: 'string',
  enum: ['INIT', 'TABLE_STREAM', 'FORCE_COMMIT', 'REBALANCE', 'DONE', 'FAILED', 'CANCELLED'],
});
const time = (description: string) =>
  Type.Integer({ description: `${description}, in epoch milliseconds; 0 until it is known.` });
const timeOrNull = (description: string) =>
  Type.Union([Type.Integer({ description }), Type.Null()]);
const offsets = Type.Record(Type.String(), Type.Integer(), {
  description: 'Offsets by partition.',
});

const RestreamConfig = Type.Object(
  {
    tableNameWithType: Type.String({ description: 'The table to rebuild.' }),
    destTableNameWithType: Type.String({ description: 'The table that is created.' }),
    destServerTenant: Type.String(),
    destBrokerTenant: Type.String(),
    debugPause: Type.Boolean({
      description: 'Whether the job waits at its start until it is resumed.',
    }),
    maxTableStreamLag: Type.Integer({
      description: 'Messages that a partition may lag behind its stream.',
    }),
    maxRebalanceTimeMin: Type.Integer({ description: 'Minutes that the rebalance may take.' }),
  },
  { $id: 'RestreamConfig', description: 'The parameters of the job.' },
);

/** A restream job (SPECIFICATION.md section 2.1), with extensions. */
export const RestreamResponse = Type.Object(
  {
    timeElapsedSinceStartInSeconds: Type.Integer({
      description: 'Seconds since the job started, until it has ended.',
    }),
    jobId: Type.String(),
    status,
    stage: Type.Unsafe<Static<typeof status>>({ ...status, description: 'Alias of status.' }),
    restreamConfig: refer(RestreamConfig),
    tableStreamProgress: Type.Object({
      lastProbedLag: Type.Integer({
        description:
          'Lag of the partition that is furthest behind, in messages; -1 until it is known.',
      }),
      lastProbeTimeMs: time('Time of the last lag measurement'),
      startTime: time('Start of the stage'),
    }),
    verboseTableStreamLag: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer()), {
      description: 'Lag in messages, by table and partition.',
    }),
    forceCommitProgress: Type.Object({
      lastProbeTimeMs: time('Time of the last check'),
      startTime: time('Start of the stage'),
      totalConsumingSegments: Type.Integer(),
      consumingSegmentsCommitted: Type.Integer(),
    }),
    segmentsToBeCommitted: Type.Array(Type.String(), {
      description: 'The segments that are not committed yet.',
    }),
    stages: Type.Array(
      Type.Object({
        stage: status,
        startTimeMs: Type.Integer(),
        endTimeMs: timeOrNull('End of the stage; null while it is running.'),
        outcome: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    targetOffsets: Type.Union([offsets, Type.Null()]),
    comparison: Type.Union([
      Type.Object({
        sourceRows: Type.Integer(),
        destinationRows: Type.Integer(),
        sourceOffsets: offsets,
        destinationOffsets: offsets,
      }),
      Type.Null(),
    ]),
    error: Type.Union([
      Type.Object({ code: Type.String(), message: Type.String(), stage: status }),
      Type.Null(),
    ]),
    lastProblem: Type.Union(
      [
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          stage: status,
          timeMs: Type.Integer({
            description: 'Time of the last occurrence, in epoch milliseconds.',
          }),
        }),
        Type.Null(),
      ],
      {
        description: 'Reason why the current stage was retried or waits; null if there was none.',
      },
    ),
    next: Type.String({
      description: 'The next step of the job, or of its operator, as a sentence.',
    }),
  },
  { $id: 'RestreamJob', description: 'A job that rebuilds a real-time table from its stream.' },
);
export type RestreamResponse = Static<typeof RestreamResponse>;

export const RestreamList = Type.Object(
  { restreams: Type.Array(refer(RestreamResponse), { description: 'Newest first.' }) },
  { $id: 'RestreamList', description: 'All jobs.' },
);

/** The members of a request, which may also be query parameters. */
export const RestreamBody = Type.Object(
  {
    destTableNameWithType: Type.Optional(Type.String()),
    destServerTenant: Type.Optional(Type.String()),
    destTenant: Type.Optional(Type.String({ description: 'Alias of destServerTenant.' })),
    destBrokerTenant: Type.Optional(Type.String()),
    debugPause: Type.Optional(Type.Boolean()),
    maxTableStreamLag: Type.Optional(Type.Integer({ minimum: 0 })),
    maxRebalanceTimeMin: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { $id: 'RestreamRequest', additionalProperties: false, description: 'The action.' },
);
export type RestreamBody = Static<typeof RestreamBody>;

export const restreamComponents = [
  RestreamConfig,
  RestreamResponse,
  RestreamList,
  RestreamBody,
] as const;
