import { type Static, Type } from 'typebox';
import { EngineHealth } from './engine-health.ts';

const NullableTime = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });

/** What a broker says of itself to any caller; it holds no secrets. */
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
      description: 'For how long it has been up, in milliseconds.',
    }),
    storeType: Type.String({ description: 'Kind of store, such as fs for files or memory.' }),
    isStoreShared: Type.Boolean({
      description: 'Whether other brokers reach the same results: any of them then serves each.',
    }),
    queriesRunning: Type.Integer({ minimum: 0, description: 'Queries that run now.' }),
    queriesQueued: Type.Integer({ minimum: 0, description: 'Queries that wait to start.' }),
    engine: Type.Optional(EngineHealth),
    cleaner: Type.Optional(
      Type.Object(
        {
          lastSweepMs: NullableTime('When the last sweep began; null before the first.'),
          lastGoodSweepMs: NullableTime(
            'When the last sweep ended that did all that it wanted; null before the first.',
          ),
          isGood: Type.Boolean({
            description: 'Whether the last sweep did all that it wanted; true before the first.',
          }),
          freedBytes: Type.Integer({
            minimum: 0,
            description: 'Bytes that the last sweep has freed.',
          }),
          failedCount: Type.Integer({
            minimum: 0,
            description: 'What the last sweep could not delete.',
          }),
          usageBytes: Type.Integer({
            minimum: 0,
            description: 'Bytes stored or being written, as far as is known.',
          }),
          quotaBytes: Type.Union([Type.Integer(), Type.Null()], {
            description: 'The quota; null when none is enforced.',
          }),
          writesWaiting: Type.Integer({
            minimum: 0,
            description: 'Results that wait for room while a sweep makes some.',
          }),
          writesRefused: Type.Integer({
            minimum: 0,
            description: 'Results refused since the start, too large ones included.',
          }),
          writesRefusedByShare: Type.Integer({
            minimum: 0,
            description: 'Of these, results whose principal had used up its share of the quota.',
          }),
          writesRefusedSinceMs: NullableTime(
            'Since when results have been refused because there was no room, in the quota or in the store; null while there is room.',
          ),
          writesRefusedBecause: Type.Union([Type.String(), Type.Null()], {
            description: 'Why the last one was; null while there is room.',
          }),
          owners: Type.Array(
            Type.Object({
              owner: Type.Union([Type.String(), Type.Null()], {
                description:
                  'Tag of the owner, eight hexadecimal digits, as in the ids of its results. Null of all results without one, and where no key of ' +
                  'tags is set: anybody could then compute the tag of a name.',
              }),
              resultCount: Type.Integer({ minimum: 0, description: 'Results stored.' }),
              usageBytes: Type.Integer({
                minimum: 0,
                description: 'Bytes stored or being written.',
              }),
              shareBytes: Type.Union([Type.Integer(), Type.Null()], {
                description:
                  'The share of the quota that the owner may use; null when that is all of it.',
              }),
            }),
            { description: 'The ten owners that store the most, the first one most.' },
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
            description: 'Processes that there are, with or without a query.',
          }),
          busyCount: Type.Integer({
            minimum: 0,
            description: 'Processes that run a query, or are about to end with one.',
          }),
          killedCount: Type.Integer({
            minimum: 0,
            description:
              'Processes that ended with their query since the start: over their time or memory, or by a crash.',
          }),
        },
        { description: 'The processes that queries run in.' },
      ),
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'What is wrong with the settings file as it is now; the last valid settings stay in force.',
      }),
    ),
  },
  { $id: 'HealthResponse', description: 'The broker is alive.' },
);

export type HealthResponse = Static<typeof HealthResponse>;
