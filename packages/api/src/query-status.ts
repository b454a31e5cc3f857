import { type QueryState, queryStates } from '@quire/core/wire';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { QueryException } from './metadata-record.ts';
import { refer } from './reference.ts';

/** Returns the schema of a state on the wire. */
export const stateSchema = (description: string, states: readonly QueryState[] = queryStates) =>
  Type.Unsafe<QueryState>({ type: 'string', enum: states, description });

/** The reasons why a query may be waiting. */
const waitReasons = ['SLOT', 'SHARE', 'SAME_QUERY'] as const;
/** The reason why a query is waiting. */
export type WaitReason = (typeof waitReasons)[number];

/** The progress of a running query, or the outcome of one that has ended. */
export const QueryStatus = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the query, and of its result.' }),
    brokerId: Type.String({ description: 'Broker that runs the query, or holds its result.' }),
    state: stateSchema(
      'QUEUED: it is waiting for its turn. RUNNING: it runs, and its rows are being stored. DONE: its result exists. FAILED, CANCELLED: ' +
        '`exceptions` has the reason, and its rows are deleted.',
    ),
    waitsFor: Type.Optional(
      Type.Unsafe<WaitReason>({
        type: 'string',
        enum: waitReasons,
        description:
          'The reason why a QUEUED query waits. SLOT: another query must end. SHARE: its principal runs as many as its share ' +
          'allows. SAME_QUERY: an identical query is already running, whose answer it will use.',
      }),
    ),
    numRowsResultSet: Type.Integer({
      minimum: 0,
      description: 'Number of rows that can be read so far; for a query that is DONE, all of them.',
    }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Size of these rows in bytes.' }),
    processedPercent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description:
          'For a RUNNING query, the share of its rows that the engine has processed, in percent, by its own estimate; absent if the engine does not know it.',
      }),
    ),
    timeUsedMs: Type.Integer({
      minimum: 0,
      description: 'Time since the query was received, in milliseconds.',
    }),
    exceptions: Type.Array(refer(QueryException), {
      description: 'The failure or the cancellation; otherwise empty.',
    }),
    submissionTimeMs: Type.Integer({
      minimum: 0,
      description:
        'Time at which the query was received, in epoch milliseconds; for one that is DONE, at which its result was stored.',
    }),
    expirationTimeMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Time at which the result expires, in epoch milliseconds; absent before it is DONE.',
      }),
    ),
    brokerHost: Type.Optional(
      Type.String({
        description:
          'Host of the broker, while no other knows the query; send it as FORWARD_HOST to a proxy.',
      }),
    ),
    brokerPort: Type.Optional(
      Type.Integer({ description: 'Port of that broker; send it as FORWARD_PORT to a proxy.' }),
    ),
  },
  { $id: 'QueryStatus', description: 'The progress of a query.' },
);

/** A query that has not ended. */
export const RunningQuery = Type.Object(
  {
    ...QueryStatus.properties,
    owner: Type.String({ description: 'Name of the principal that runs the query.' }),
    query: Type.String({ description: 'The first 4,096 characters of the SQL.' }),
    isPaginated: Type.Boolean({ description: 'Whether the result is stored.' }),
  },
  { $id: 'RunningQuery', description: 'A waiting or running query.' },
);

/** The waiting and running queries of a broker. */
export const RunningQueryList = Type.Object(
  { queries: Type.Array(refer(RunningQuery), { description: 'Newest first.' }) },
  { $id: 'RunningQueryList', description: 'The waiting and running queries of this broker.' },
);

export type QueryStatus = Static<typeof QueryStatus>;
export type RunningQuery = Static<typeof RunningQuery>;
export type RunningQueryList = Static<typeof RunningQueryList>;
