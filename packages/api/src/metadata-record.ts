import { type SqlDialect, sqlDialects } from '@quire/core/portable';
import { type Static, Type } from 'typebox';
import { refer } from './reference.ts';

/**
 * Why a query failed; `errorCode` is one of CONTRACT.md section 2 (150, 190, 200, 245, 250, 429,
 * 450, 503, 700, 710).
 */
export const QueryException = Type.Object(
  {
    errorCode: Type.Integer({
      description:
        '150 syntax, 190 no such table, 200 execution, 245 a limit was exceeded, 250 timed out, 429 too many queries, 450 internal, 503 cancelled, 700 validation, 710 unknown column.',
    }),
    message: Type.String({ description: 'What went wrong, in a sentence.' }),
  },
  { $id: 'QueryException', description: 'Why a query failed.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const clusterCount = () =>
  count('As Apache Pinot reports it; 0 for the embedded engine, for which it has no meaning.');
const clusterFlag = () =>
  Type.Boolean({
    description:
      'As Apache Pinot reports it; false for the embedded engine: its result is complete, or the query failed.',
  });

const matchedCount = () =>
  count(
    'As Apache Pinot reports it; 0 for the embedded engine, which does not tell segments without a match apart.',
  );

/**
 * What is known of a finished query (SPECIFICATION.md section 2.7), every member of it.
 *
 * Members of a distributed engine that mean nothing for the engine at hand are 0, false or empty;
 * nothing is invented.
 */
export const MetadataRecord = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the query and of its result.' }),
    brokerId: Type.String({ description: 'Broker that ran the query and holds its result.' }),
    exceptions: Type.Array(refer(QueryException), {
      description: 'Empty when the query succeeded.',
    }),
    segmentStatistics: Type.Array(Type.Unknown(), {
      description: 'As Apache Pinot reports it, in old releases; empty for the embedded engine.',
    }),
    traceInfo: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'What Apache Pinot traced, when the query asked for it.',
      },
    ),
    numGroupsLimitReached: clusterFlag(),
    maxRowsInJoinReached: clusterFlag(),
    partialResult: clusterFlag(),
    dialect: Type.Optional(
      Type.Unsafe<SqlDialect>({
        type: 'string',
        enum: sqlDialects,
        description:
          'The language that the query was written in; absent where the engine has one only, and for queries that failed.',
      }),
    ),
    numServersQueried: count('1 for the embedded engine.'),
    numServersResponded: count('Equal to numServersQueried for the embedded engine.'),
    numSegmentsQueried: count(
      'Segments of the tables that the query reads; 0 for tables whose rows are files of the settings.',
    ),
    numSegmentsProcessed: count(
      'Segments that were read, as far as it is known: all that were queried, for the embedded engine.',
    ),
    numSegmentsMatched: matchedCount(),
    numConsumingSegmentsQueried: count('Those of them that still consume.'),
    numConsumingSegmentsProcessed: count('Those of them that still consume and were read.'),
    numConsumingSegmentsMatched: matchedCount(),
    numDocsScanned: count(
      'Rows read from the tables, as an Apache Pinot cluster counts them. Always 0 for the embedded engine, which does not count: see totalDocs.',
    ),
    numEntriesScannedInFilter: clusterCount(),
    numEntriesScannedPostFilter: clusterCount(),
    totalDocs: count('Rows that the tables of the query hold; 0 when the engine does not know.'),
    timeUsedMs: count('From the acceptance of the query to its last row, in milliseconds.'),
    offlineThreadCpuTimeNs: count(
      'CPU time of the query over all threads, in nanoseconds, of an Apache Pinot cluster. Always 0 for the embedded engine: see timeUsedMs.',
    ),
    realtimeThreadCpuTimeNs: clusterCount(),
    offlineSystemActivitiesCpuTimeNs: clusterCount(),
    realtimeSystemActivitiesCpuTimeNs: clusterCount(),
    offlineResponseSerializationCpuTimeNs: clusterCount(),
    realtimeResponseSerializationCpuTimeNs: clusterCount(),
    offlineTotalCpuTimeNs: count('Equal to offlineThreadCpuTimeNs for the embedded engine.'),
    realtimeTotalCpuTimeNs: clusterCount(),
    brokerReduceTimeMs: clusterCount(),
    numRowsResultSet: count('Rows of the whole result.'),
    minConsumingFreshnessTimeMs: count(
      'Up to when all partitions of the consuming segments were consumed, in epoch milliseconds; 0 without any.',
    ),
    explainPlanNumEmptyFilterSegments: clusterCount(),
    explainPlanNumMatchAllFilterSegments: clusterCount(),
    numSegmentsPrunedByServer: clusterCount(),
    numSegmentsPrunedInvalid: clusterCount(),
    numSegmentsPrunedByLimit: clusterCount(),
    numSegmentsPrunedByValue: clusterCount(),
    numSegmentsPrunedByBroker: clusterCount(),
  },
  { $id: 'MetadataRecord', description: 'What is known of a finished query.' },
);

export type QueryException = Static<typeof QueryException>;
export type MetadataRecord = Static<typeof MetadataRecord>;
