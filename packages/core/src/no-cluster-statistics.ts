import type { ClusterStatistics } from './query-engine.ts';

const noSegments = { queried: 0, processed: 0, matched: 0 };
const noCpu = { threads: 0, system: 0, serialization: 0, total: 0 };

/**
 * What an engine says that knows nothing of a cluster: every count 0. An engine that knows some of
 * it says that beside this.
 */
export const noClusterStatistics: ClusterStatistics = {
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
