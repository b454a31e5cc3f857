import type { QueryStatistics } from '@quire/core';

/** The members of an answer besides its rows, as parsed. */
export type AnswerMembers = ReadonlyMap<string, unknown>;

/** Returns the statistics of an answer. */
export function statisticsOf(members: AnswerMembers, elapsedMs: number): QueryStatistics {
  const number = (name: string): number => {
    const value = members.get(name);
    return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
  };
  const tables = members.get('tablesQueried');
  return {
    elapsedMs,
    cpuTimeNs: number('offlineTotalCpuTimeNs') + number('realtimeTotalCpuTimeNs'),
    rowsScanned: number('numDocsScanned'),
    rowsTotal: number('totalDocs'),
    tables: Array.isArray(tables) ? tables.map(String) : [],
    cluster: clusterStatisticsOf(members, number),
  };
}

/** The names of these members are those of stored results: `metadata-record.ts` of the broker. */
function clusterStatisticsOf(
  members: AnswerMembers,
  number: (name: string) => number,
): NonNullable<QueryStatistics['cluster']> {
  const segments = (kind: string) => ({
    queried: number(`num${kind}SegmentsQueried`),
    processed: number(`num${kind}SegmentsProcessed`),
    matched: number(`num${kind}SegmentsMatched`),
  });
  const cpuNs = (half: string) => ({
    threads: number(`${half}ThreadCpuTimeNs`),
    system: number(`${half}SystemActivitiesCpuTimeNs`),
    serialization: number(`${half}ResponseSerializationCpuTimeNs`),
    total: number(`${half}TotalCpuTimeNs`),
  });
  const trace = members.get('traceInfo');
  const segmentStatistics = members.get('segmentStatistics');
  const stages = members.get('stageStats');
  return {
    servers: { queried: number('numServersQueried'), responded: number('numServersResponded') },
    segments: segments(''),
    consumingSegments: segments('Consuming'),
    consumedUntilMs: number('minConsumingFreshnessTimeMs'),
    segmentsPruned: {
      byBroker: number('numSegmentsPrunedByBroker'),
      byServer: number('numSegmentsPrunedByServer'),
      invalid: number('numSegmentsPrunedInvalid'),
      byLimit: number('numSegmentsPrunedByLimit'),
      byValue: number('numSegmentsPrunedByValue'),
    },
    entriesScanned: {
      inFilter: number('numEntriesScannedInFilter'),
      postFilter: number('numEntriesScannedPostFilter'),
    },
    offlineCpuNs: cpuNs('offline'),
    realtimeCpuNs: cpuNs('realtime'),
    reduceMs: number('brokerReduceTimeMs'),
    explainedSegments: {
      emptyFilter: number('explainPlanNumEmptyFilterSegments'),
      matchAllFilter: number('explainPlanNumMatchAllFilterSegments'),
    },
    isGroupLimitReached: members.get('numGroupsLimitReached') === true,
    isJoinLimitReached: members.get('maxRowsInJoinReached') === true,
    isPartial: members.get('partialResult') === true,
    trace: typeof trace === 'object' && trace !== null ? { ...trace } : {},
    ...(typeof stages === 'object' && stages !== null && { stages }),
    segmentStatistics: Array.isArray(segmentStatistics) ? segmentStatistics : [],
  };
}
