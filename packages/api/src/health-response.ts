import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { EngineHealth } from './engine-health.ts';

const NullableTime = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });

/** The health of a broker for any caller; it contains no secrets. */
export const HealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string',
      enum: ['ok', 'degraded'],
      description:
        'ok: the broker accepts calls. degraded: it does, and `engine` says why queries may fail.',
    }),
    version: Type.String({ description: 'Version of the server.' }),
    brokerId: Type.String({ description: 'Id of this broker.' }),
    uptimeMs: Type.Integer({
      minimum: 0,
      description: 'Uptime, in milliseconds.',
    }),
    storeType: Type.String({ description: 'Kind of store, such as fs for files or memory.' }),
    isStoreShared: Type.Boolean({
      description:
        'Whether other brokers can access the same results, so that any of them can serve each.',
    }),
    queriesRunning: Type.Integer({ minimum: 0, description: 'Running queries.' }),
    queriesQueued: Type.Integer({ minimum: 0, description: 'Waiting queries.' }),
    engine: Type.Optional(EngineHealth),
    cleaner: Type.Optional(
      Type.Object(
        {
          lastSweepMs: NullableTime('Start of the last sweep; null before the first.'),
          lastGoodSweepMs: NullableTime(
            'End of the last fully successful sweep; null before the first.',
          ),
          isGood: Type.Boolean({
            description: 'Whether the last sweep was fully successful; true before the first.',
          }),
          freedBytes: Type.Integer({
            minimum: 0,
            description: 'Bytes that the last sweep has freed.',
          }),
          failedCount: Type.Integer({
            minimum: 0,
            description: 'Results and orphans that the last sweep could not delete.',
          }),
          usageBytes: Type.Integer({
            minimum: 0,
            description: 'Known bytes that are stored or being written.',
          }),
          quotaBytes: Type.Union([Type.Integer(), Type.Null()], {
            description: 'The quota; null if none is enforced.',
          }),
          writesWaiting: Type.Integer({
            minimum: 0,
            description: 'Results that wait for space while a sweep frees some.',
          }),
          writesRefused: Type.Integer({
            minimum: 0,
            description: 'Results refused since the start, including those that were too large.',
          }),
          writesRefusedByShare: Type.Integer({
            minimum: 0,
            description: 'Refused results whose principal had used up its share of the quota.',
          }),
          writesRefusedSinceMs: NullableTime(
            'Time since which results have been refused because the quota or the store is full; null while there is space.',
          ),
          writesRefusedBecause: Type.Union([Type.String(), Type.Null()], {
            description: 'Reason for the last refusal; null while there is space.',
          }),
          owners: Type.Array(
            Type.Object({
              owner: Type.Union([Type.String(), Type.Null()], {
                description:
                  'Tag of the owner, eight hexadecimal digits, as in the ids of its results. Null for results without one, and if no tag key is ' +
                  'configured: anyone could then compute the tag of a name.',
              }),
              resultCount: Type.Integer({ minimum: 0, description: 'Number of stored results.' }),
              usageBytes: Type.Integer({
                minimum: 0,
                description: 'Bytes stored or being written.',
              }),
              shareBytes: Type.Union([Type.Integer(), Type.Null()], {
                description:
                  'The share of the quota that the owner may use; null if it may use all of it.',
              }),
            }),
            { description: 'The ten owners that store the most, in descending order.' },
          ),
        },
        { description: 'The storage cleaner of this broker.' },
      ),
    ),
    workers: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 0,
            description: 'Number of processes, busy or idle.',
          }),
          busyCount: Type.Integer({
            minimum: 0,
            description: 'Processes that are running a query or being terminated with it.',
          }),
          killedCount: Type.Integer({
            minimum: 0,
            description:
              'Processes that were terminated with their query since the start, because it exceeded its timeout or memory limit or crashed.',
          }),
        },
        { description: 'The processes that run queries.' },
      ),
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Problems of the current settings file; the last valid settings stay in force.',
      }),
    ),
  },
  { $id: 'HealthResponse', description: 'The broker is alive.' },
);

export type HealthResponse = Static<typeof HealthResponse>;
