import type { MetadataRecord, QueryException, QueryStatus } from '@quire/api';
import type { QueryStatistics } from '@quire/core';
import type { ResultEntry } from '@quire/results';

/**
 * The facts from an Apache Pinot cluster in `QueryStatistics.cluster`. Stored results use these
 * names.
 */
interface ClusterStatistics {
  readonly servers: { readonly queried: number; readonly responded: number };
  readonly segments: SegmentCounts;
  readonly consumingSegments: SegmentCounts;
  readonly consumedUntilMs: number;
  readonly segmentsPruned: {
    readonly byBroker: number;
    readonly byServer: number;
    readonly invalid: number;
    readonly byLimit: number;
    readonly byValue: number;
  };
  readonly entriesScanned: { readonly inFilter: number; readonly postFilter: number };
  /** CPU time in nanoseconds, for the two halves of a table. */
  readonly offlineCpuNs: CpuTimes;
  readonly realtimeCpuNs: CpuTimes;
  readonly reduceMs: number;
  readonly explainedSegments: { readonly emptyFilter: number; readonly matchAllFilter: number };
  /** True if a limit of the cluster truncated groups, or the rows of a join. */
  readonly isGroupLimitReached: boolean;
  readonly isJoinLimitReached: boolean;
  /** True if the answer is incomplete for any reason. */
  readonly isPartial: boolean;
  /** The cluster's trace, if it was requested. */
  readonly trace: Readonly<Record<string, unknown>>;
  readonly segmentStatistics: readonly unknown[];
  /** The times and rows of the multi-stage engine's stages; absent for the other one. */
  readonly stages?: Readonly<Record<string, unknown>> | undefined;
}

interface SegmentCounts {
  readonly queried: number;
  readonly processed: number;
  readonly matched: number;
}

interface CpuTimes {
  readonly threads: number;
  readonly system: number;
  readonly serialization: number;
  readonly total: number;
}

const noSegments = { queried: 0, processed: 0, matched: 0 };
const noCpu = { threads: 0, system: 0, serialization: 0, total: 0 };

/** The statistics of an engine that is not a cluster. */
const noClusterStatistics: ClusterStatistics = {
  servers: { queried: 1, responded: 1 },
  segments: noSegments,
  consumingSegments: noSegments,
  consumedUntilMs: 0,
  segmentsPruned: { byBroker: 0, byServer: 0, invalid: 0, byLimit: 0, byValue: 0 },
  entriesScanned: { inFilter: 0, postFilter: 0 },
  offlineCpuNs: noCpu,
  realtimeCpuNs: noCpu,
  reduceMs: 0,
  explainedSegments: { emptyFilter: 0, matchAllFilter: 0 },
  isGroupLimitReached: false,
  isJoinLimitReached: false,
  isPartial: false,
  trace: {},
  segmentStatistics: [],
};

/**
 * Returns the numbers of servers of a cluster. Clients compare the two numbers and expect at least
 * one server: the embedded engine counts as one.
 */
export function serverCountsOf(statistics: QueryStatistics): {
  numServersQueried: number;
  numServersResponded: number;
} {
  const { queried, responded } = clusterOf(statistics).servers;
  return { numServersQueried: queried, numServersResponded: responded };
}

/** Returns the metadata record of a stored result. */
export function metadataOfResult({
  entry: { requestId, brokerId, rowCount },
  statistics,
}: {
  readonly entry: Pick<ResultEntry, 'requestId' | 'brokerId' | 'rowCount'>;
  readonly statistics: QueryStatistics;
}): MetadataRecord {
  return metadataOf({ requestId, brokerId, exceptions: [], rowCount, statistics });
}

/**
 * Returns the metadata record of a failed query: it has no rows, and its exceptions have the
 * reason.
 */
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

/** Returns the metadata record of a query that is running, or ended without a result. */
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

/** Returns a duration in the format of the wire. */
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
    numDocsScanned: statistics.rowsScanned ?? 0,
    totalDocs: statistics.rowsTotal ?? 0,
    timeUsedMs: wholeMs(statistics.elapsedMs),
    numRowsResultSet: rowCount,
    ...(statistics.dialect !== undefined && { dialect: statistics.dialect }),
    ...serverCountsOf(statistics),
    ...membersOf(clusterOf(statistics)),
    ...(statistics.cluster === undefined && {
      offlineThreadCpuTimeNs: cpuTimeNs,
      offlineTotalCpuTimeNs: cpuTimeNs,
    }),
  };
}

/**
 * Returns the facts of a cluster's engine, with zeros for missing ones. For other engines, returns
 * the facts that every engine reports.
 */
function clusterOf({ cluster, segments, consumedUntilMs = 0 }: QueryStatistics): ClusterStatistics {
  if (cluster !== undefined) return { ...noClusterStatistics, ...cluster };
  const counts = (count = 0): SegmentCounts => ({ queried: count, processed: count, matched: 0 });
  return {
    ...noClusterStatistics,
    segments: counts(segments?.queried),
    consumingSegments: counts(segments?.consuming),
    consumedUntilMs,
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
    ...(cluster.stages !== undefined && { stageStats: { ...cluster.stages } }),
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
