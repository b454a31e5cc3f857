import type { MetadataRecord, QueryException, QueryStatus } from '@quire/api';
import { type ClusterStatistics, noClusterStatistics, type QueryStatistics } from '@quire/core';
import type { Result } from '@quire/results';

/** Clients compare these two, and want at least one: the embedded engine is one server. */
export function serverCountsOf({ cluster }: QueryStatistics): {
  numServersQueried: number;
  numServersResponded: number;
} {
  const { queried, responded } = cluster?.servers ?? { queried: 1, responded: 1 };
  return { numServersQueried: Math.max(1, queried), numServersResponded: Math.max(1, responded) };
}

/** The metadata record of a stored result. */
export function metadataOfResult(result: Result): MetadataRecord {
  const { requestId, brokerId, rowCount } = result.entry;
  return metadataOf({
    requestId,
    brokerId,
    exceptions: [],
    rowCount,
    statistics: result.statistics,
  });
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

/** The metadata record of a query that runs, or ended without a result. */
export function metadataOfStatus({
  requestId,
  brokerId,
  exceptions,
  numRowsResultSet,
  timeUsedMs,
}: QueryStatus): MetadataRecord {
  const statistics = {
    elapsedMs: timeUsedMs,
    cpuTimeNs: null,
    rowsScanned: null,
    rowsTotal: null,
    tables: [],
  };
  return metadataOf({ requestId, brokerId, exceptions, rowCount: numRowsResultSet, statistics });
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
  const { cluster } = statistics;
  const cpuTimeNs = Math.round(statistics.cpuTimeNs ?? 0);
  return {
    requestId,
    brokerId,
    exceptions,
    numDocsScanned: statistics.rowsScanned ?? 0,
    totalDocs: statistics.rowsTotal ?? 0,
    timeUsedMs: wholeMs(statistics.elapsedMs),
    numRowsResultSet: rowCount,
    ...serverCountsOf(statistics),
    ...membersOf(cluster ?? noClusterStatistics),
    ...(cluster === undefined && {
      offlineThreadCpuTimeNs: cpuTimeNs,
      offlineTotalCpuTimeNs: cpuTimeNs,
    }),
  };
}

function membersOf(cluster: ClusterStatistics) {
  const {
    segments,
    consumingSegments,
    segmentsPruned,
    entriesScanned,
    offlineCpuNs,
    realtimeCpuNs,
    explainedSegments,
  } = cluster;
  return {
    segmentStatistics: [...cluster.segmentStatistics],
    traceInfo: { ...cluster.trace },
    numGroupsLimitReached: cluster.isGroupLimitReached,
    maxRowsInJoinReached: cluster.isJoinLimitReached,
    partialResult: cluster.isPartial,
    numSegmentsQueried: segments.queried,
    numSegmentsProcessed: segments.processed,
    numSegmentsMatched: segments.matched,
    numConsumingSegmentsQueried: consumingSegments.queried,
    numConsumingSegmentsProcessed: consumingSegments.processed,
    numConsumingSegmentsMatched: consumingSegments.matched,
    numEntriesScannedInFilter: entriesScanned.inFilter,
    numEntriesScannedPostFilter: entriesScanned.postFilter,
    offlineThreadCpuTimeNs: offlineCpuNs.threads,
    realtimeThreadCpuTimeNs: realtimeCpuNs.threads,
    offlineSystemActivitiesCpuTimeNs: offlineCpuNs.system,
    realtimeSystemActivitiesCpuTimeNs: realtimeCpuNs.system,
    offlineResponseSerializationCpuTimeNs: offlineCpuNs.serialization,
    realtimeResponseSerializationCpuTimeNs: realtimeCpuNs.serialization,
    offlineTotalCpuTimeNs: offlineCpuNs.total,
    realtimeTotalCpuTimeNs: realtimeCpuNs.total,
    brokerReduceTimeMs: cluster.reduceMs,
    minConsumingFreshnessTimeMs: cluster.consumedUntilMs,
    explainPlanNumEmptyFilterSegments: explainedSegments.emptyFilter,
    explainPlanNumMatchAllFilterSegments: explainedSegments.matchAllFilter,
    numSegmentsPrunedByServer: segmentsPruned.byServer,
    numSegmentsPrunedInvalid: segmentsPruned.invalid,
    numSegmentsPrunedByLimit: segmentsPruned.byLimit,
    numSegmentsPrunedByValue: segmentsPruned.byValue,
    numSegmentsPrunedByBroker: segmentsPruned.byBroker,
  };
}
