import { type Static, Type } from 'typebox';
import { refer } from './reference.ts';

/** Why a query failed; `errorCode` is one of CONTRACT.md section 2 (150, 190, 200, 245, 250, 429, 450, 503, 700, 710). */
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
const alwaysZero = () => count('Always 0: has no meaning for an embedded engine.');
const alwaysFalse = () => Type.Boolean({ description: 'Always false: a result is complete, or the query failed.' });

/**
 * What is known of a finished query (SPECIFICATION.md section 2.7), every member of it.
 *
 * Members of a distributed engine that mean nothing for the engine at hand are 0, false or empty; nothing is invented.
 */
export const MetadataRecord = Type.Object(
  {
    requestId: Type.String({ description: 'Id of the query and of its result.' }),
    brokerId: Type.String({ description: 'Broker that ran the query and holds its result.' }),
    exceptions: Type.Array(refer(QueryException), { description: 'Empty when the query succeeded.' }),
    segmentStatistics: Type.Array(Type.Unknown(), { description: 'Always empty: has no meaning for an embedded engine.' }),
    traceInfo: Type.Object({}, { additionalProperties: true, description: 'Always empty.' }),
    numGroupsLimitReached: alwaysFalse(),
    maxRowsInJoinReached: alwaysFalse(),
    partialResult: alwaysFalse(),
    numServersQueried: count('Always 1: the embedded engine.'),
    numServersResponded: count('Equal to numServersQueried.'),
    numSegmentsQueried: alwaysZero(),
    numSegmentsProcessed: alwaysZero(),
    numSegmentsMatched: alwaysZero(),
    numConsumingSegmentsQueried: alwaysZero(),
    numConsumingSegmentsProcessed: alwaysZero(),
    numConsumingSegmentsMatched: alwaysZero(),
    numDocsScanned: count('Rows read from the tables; 0 when the engine does not know.'),
    numEntriesScannedInFilter: alwaysZero(),
    numEntriesScannedPostFilter: alwaysZero(),
    totalDocs: count('Rows that the tables of the query hold; 0 when the engine does not know.'),
    timeUsedMs: count('From the acceptance of the query to its last row, in milliseconds.'),
    offlineThreadCpuTimeNs: count('CPU time of the query over all threads, in nanoseconds; 0 when the engine does not know.'),
    realtimeThreadCpuTimeNs: alwaysZero(),
    offlineSystemActivitiesCpuTimeNs: alwaysZero(),
    realtimeSystemActivitiesCpuTimeNs: alwaysZero(),
    offlineResponseSerializationCpuTimeNs: alwaysZero(),
    realtimeResponseSerializationCpuTimeNs: alwaysZero(),
    offlineTotalCpuTimeNs: count('Equal to offlineThreadCpuTimeNs.'),
    realtimeTotalCpuTimeNs: alwaysZero(),
    brokerReduceTimeMs: alwaysZero(),
    numRowsResultSet: count('Rows of the whole result.'),
    minConsumingFreshnessTimeMs: alwaysZero(),
    explainPlanNumEmptyFilterSegments: alwaysZero(),
    explainPlanNumMatchAllFilterSegments: alwaysZero(),
    numSegmentsPrunedByServer: alwaysZero(),
    numSegmentsPrunedInvalid: alwaysZero(),
    numSegmentsPrunedByLimit: alwaysZero(),
    numSegmentsPrunedByValue: alwaysZero(),
    numSegmentsPrunedByBroker: alwaysZero(),
  },
  { $id: 'MetadataRecord', description: 'What is known of a finished query.' },
);

export type QueryException = Static<typeof QueryException>;
export type MetadataRecord = Static<typeof MetadataRecord>;
