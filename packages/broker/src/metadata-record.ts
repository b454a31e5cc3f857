import type { MetadataRecord, QueryException } from '@quire/api';
import type { QueryStatistics } from '@quire/core';
import type { Result } from '@quire/results';

/** The members of SPECIFICATION.md section 2.7 that mean nothing for one embedded engine; never invented. */
const withoutMeaning = {
  segmentStatistics: [],
  traceInfo: {},
  numGroupsLimitReached: false,
  maxRowsInJoinReached: false,
  partialResult: false,
  numSegmentsQueried: 0,
  numSegmentsProcessed: 0,
  numSegmentsMatched: 0,
  numConsumingSegmentsQueried: 0,
  numConsumingSegmentsProcessed: 0,
  numConsumingSegmentsMatched: 0,
  numEntriesScannedInFilter: 0,
  numEntriesScannedPostFilter: 0,
  realtimeThreadCpuTimeNs: 0,
  offlineSystemActivitiesCpuTimeNs: 0,
  realtimeSystemActivitiesCpuTimeNs: 0,
  offlineResponseSerializationCpuTimeNs: 0,
  realtimeResponseSerializationCpuTimeNs: 0,
  realtimeTotalCpuTimeNs: 0,
  brokerReduceTimeMs: 0,
  minConsumingFreshnessTimeMs: 0,
  explainPlanNumEmptyFilterSegments: 0,
  explainPlanNumMatchAllFilterSegments: 0,
  numSegmentsPrunedByServer: 0,
  numSegmentsPrunedInvalid: 0,
  numSegmentsPrunedByLimit: 0,
  numSegmentsPrunedByValue: 0,
  numSegmentsPrunedByBroker: 0,
} as const;

/** Clients compare these two; the one server is the embedded engine. */
export const serverCounts = { numServersQueried: 1, numServersResponded: 1 } as const;

/** The metadata record of a stored result. */
export function metadataOfResult(result: Result): MetadataRecord {
  const { requestId, brokerId, rowCount } = result.entry;
  return metadataOf({ requestId, brokerId, exceptions: [], rowCount, statistics: result.statistics });
}

/** The metadata record of a query that failed: it has no rows, and its exceptions say why. */
export function metadataOfFailure(failure: {
  readonly requestId: string;
  readonly brokerId: string;
  readonly exception: QueryException;
  readonly elapsedMs: number;
}): MetadataRecord {
  const { requestId, brokerId, exception, elapsedMs } = failure;
  const statistics = { elapsedMs, cpuTimeNs: null, rowsScanned: null, rowsTotal: null, tables: [] };
  return metadataOf({ requestId, brokerId, exceptions: [exception], rowCount: 0, statistics });
}

/** A duration as the wire has it. */
export function wholeMs(durationMs: number): number {
  return Math.max(0, Math.round(durationMs));
}

function metadataOf(query: {
  readonly requestId: string;
  readonly brokerId: string;
  readonly exceptions: QueryException[];
  readonly rowCount: number;
  readonly statistics: QueryStatistics;
}): MetadataRecord {
  const { requestId, brokerId, exceptions, rowCount, statistics } = query;
  const cpuTimeNs = Math.round(statistics.cpuTimeNs ?? 0);
  return {
    requestId,
    brokerId,
    exceptions,
    ...serverCounts,
    numDocsScanned: statistics.rowsScanned ?? 0,
    totalDocs: statistics.rowsTotal ?? 0,
    timeUsedMs: wholeMs(statistics.elapsedMs),
    offlineThreadCpuTimeNs: cpuTimeNs,
    offlineTotalCpuTimeNs: cpuTimeNs,
    numRowsResultSet: rowCount,
    ...withoutMeaning,
    segmentStatistics: [],
    traceInfo: {},
  };
}
