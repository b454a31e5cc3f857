import { type SqlDialect, sqlDialects } from '@quire/core/portable';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from './reference.ts';

/**
 * The failure of a query; `errorCode` is one of CONTRACT.md section 2 (150, 190, 200, 245, 250,
 * 429, 450, 503, 700, 710).
 */
export const QueryException = Type.Object(
  {
    errorCode: Type.Integer({
      description:
        '150 syntax, 190 no such table, 200 execution, 245 a limit was exceeded, 250 timed out, 429 too many queries, 450 internal, 503 cancelled, 700 validation, 710 unknown column.',
    }),
    message: Type.String({ description: 'The error, as a sentence.' }),
  },
  { $id: 'QueryException', description: 'The failure of a query.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const clusterCount = () =>
  count('As Apache Pinot reports it; 0 for the embedded engine, for which it has no meaning.');
const clusterFlag = () =>
  Type.Boolean({
    description:
      'As Apache Pinot reports it; false for the embedded engine: a result is complete, or the query failed.',
  });

const matchedCount = () =>
  count(
    'As Apache Pinot reports it; 0 for the embedded engine, which does not distinguish segments without a match.',
  );

/**
 * The facts about a finished query (SPECIFICATION.md section 2.7), with every member.
 *
 * Members of distributed engines that do not apply are 0, false or empty, never invented.
 */
export const MetadataRecord = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the query and of its result.' }),
    brokerId: Type.String({ description: 'Broker that ran the query and holds its result.' }),
    exceptions: Type.Array(refer(QueryException), {
      description: 'Empty if the query succeeded.',
    }),
    segmentStatistics: Type.Array(Type.Unknown(), {
      description: 'As Apache Pinot reports it, in older releases; empty for the embedded engine.',
    }),
    traceInfo: Type.Object(
      {},
      {
        additionalProperties: true,
        description: "Apache Pinot's trace, if the query requested it.",
      },
    ),
    stageStats: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            "The stages of a query of Apache Pinot's multi-stage engine, with their times and rows, as it reports them; absent for other queries.",
        },
      ),
    ),
    numGroupsLimitReached: clusterFlag(),
    maxRowsInJoinReached: clusterFlag(),
    partialResult: clusterFlag(),
    dialect: Type.Optional(
      Type.Unsafe<SqlDialect>({
        type: 'string',
        enum: sqlDialects,
        description:
          'The language of the query; absent if the engine has only one, and for failed queries.',
      }),
    ),
    numServersQueried: count('1 for the embedded engine.'),
    numServersResponded: count('Equal to numServersQueried for the embedded engine.'),
    numSegmentsQueried: count(
      'Segments of the tables that the query reads; 0 for tables whose files are in the settings.',
    ),
    numSegmentsProcessed: count(
      'Segments that were read, as far as it is known; for the embedded engine, all that were queried.',
    ),
    numSegmentsMatched: matchedCount(),
    numConsumingSegmentsQueried: count('Consuming segments that were queried.'),
    numConsumingSegmentsProcessed: count('Consuming segments that were read.'),
    numConsumingSegmentsMatched: matchedCount(),
    numDocsScanned: count(
      'Rows read from the tables, as an Apache Pinot cluster counts them. Always 0 for the embedded engine, which does not count: see totalDocs.',
    ),
    numEntriesScannedInFilter: clusterCount(),
    numEntriesScannedPostFilter: clusterCount(),
    totalDocs: count('Rows in the tables of the query; 0 if the engine does not know.'),
    timeUsedMs: count('Time from the acceptance of the query to its last row, in milliseconds.'),
    offlineThreadCpuTimeNs: count(
      'CPU time of the query over all threads, in nanoseconds, for an Apache Pinot cluster. Always 0 for the embedded engine: see timeUsedMs.',
    ),
    realtimeThreadCpuTimeNs: clusterCount(),
    offlineSystemActivitiesCpuTimeNs: clusterCount(),
    realtimeSystemActivitiesCpuTimeNs: clusterCount(),
    offlineResponseSerializationCpuTimeNs: clusterCount(),
    realtimeResponseSerializationCpuTimeNs: clusterCount(),
    offlineTotalCpuTimeNs: count('Equal to offlineThreadCpuTimeNs for the embedded engine.'),
    realtimeTotalCpuTimeNs: clusterCount(),
    brokerReduceTimeMs: clusterCount(),
    numRowsResultSet: count('Number of rows in the whole result.'),
    minConsumingFreshnessTimeMs: count(
      'Time up to which all partitions of the consuming segments were consumed, in epoch milliseconds; 0 without any.',
    ),
    explainPlanNumEmptyFilterSegments: clusterCount(),
    explainPlanNumMatchAllFilterSegments: clusterCount(),
    numSegmentsPrunedByServer: clusterCount(),
    numSegmentsPrunedInvalid: clusterCount(),
    numSegmentsPrunedByLimit: clusterCount(),
    numSegmentsPrunedByValue: clusterCount(),
    numSegmentsPrunedByBroker: clusterCount(),
  },
  { $id: 'MetadataRecord', description: 'The metadata of a finished query.' },
);

export type QueryException = Static<typeof QueryException>;
export type MetadataRecord = Static<typeof MetadataRecord>;
