import { type QueryState, queryStates } from '@quire/core/wire';
import { type Static, Type } from 'typebox';
import { QueryException } from './metadata-record.ts';
import { refer } from './reference.ts';

/** A state as the wire has it. */
export const stateSchema = (description: string, states: readonly QueryState[] = queryStates) =>
  Type.Unsafe<QueryState>({ type: 'string', enum: states, description });

/** The reasons why a query may be waiting. */
const waitReasons = ['SLOT', 'SHARE', 'SAME_QUERY'] as const;
/** Why a query waits. */
export type WaitReason = (typeof waitReasons)[number];

/** How far a query is: of one that runs, and of one that has ended. */
export const QueryStatus = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the query, and of its result.' }),
    brokerId: Type.String({ description: 'Broker that runs the query, or holds its result.' }),
    state: stateSchema(
      'QUEUED: it waits for its turn. RUNNING: it runs, and its rows are stored. DONE: its result stands. FAILED, CANCELLED: ' +
        '`exceptions` says why, and its rows are gone.',
    ),
    waitsFor: Type.Optional(
      Type.Unsafe<WaitReason>({
        type: 'string',
        enum: waitReasons,
        description:
          'What a query that is QUEUED waits for. SLOT: for a query to end, and its turn. SHARE: its principal runs as many as its share ' +
          'allows. SAME_QUERY: for the answer of the same query, which is under way.',
      }),
    ),
    numRowsResultSet: Type.Integer({
      minimum: 0,
      description: 'Rows that can be read by now; of a query that is DONE, all of them.',
    }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Bytes that they take.' }),
    timeUsedMs: Type.Integer({
      minimum: 0,
      description: 'For how long the query has run, waiting included, in milliseconds.',
    }),
    exceptions: Type.Array(refer(QueryException), {
      description: 'Why it failed, or that it was cancelled; else empty.',
    }),
    submissionTimeMs: Type.Integer({
      minimum: 0,
      description:
        'When the query came in, in epoch milliseconds; of one that is DONE, when its result was stored.',
    }),
    expirationTimeMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'When the result expires, in epoch milliseconds; there is none before it is DONE.',
      }),
    ),
    brokerHost: Type.Optional(
      Type.String({
        description:
          'Host of the broker, while no other can tell of the query; send it as FORWARD_HOST to a proxy.',
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
    owner: Type.String({ description: 'Name of the principal that runs it.' }),
    query: Type.String({ description: 'The first 4,096 characters of its SQL.' }),
    isPaginated: Type.Boolean({ description: 'Whether its result is kept.' }),
  },
  { $id: 'RunningQuery', description: 'A query that waits or runs.' },
);

/** The queries of a broker that wait or run. */
export const RunningQueryList = Type.Object(
  { queries: Type.Array(refer(RunningQuery), { description: 'Newest first.' }) },
  { $id: 'RunningQueryList', description: 'The queries of this broker that wait or run.' },
);

export type QueryStatus = Static<typeof QueryStatus>;
export type RunningQuery = Static<typeof RunningQuery>;
export type RunningQueryList = Static<typeof RunningQueryList>;
