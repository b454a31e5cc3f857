/** The stages of a restream job, and its final states. */
export type RestreamStatus =
  | 'INIT'
  | 'TABLE_STREAM'
  | 'FORCE_COMMIT'
  | 'REBALANCE'
  | 'DONE'
  | 'FAILED'
  | 'CANCELLED';

/**
 * A restream job (SPECIFICATION.md section 2.1). Times are in epoch milliseconds, and 0 until they
 * are known.
 */
export interface RestreamResponse {
  /** Seconds since the job started, until it has ended. */
  timeElapsedSinceStartInSeconds: number;
  jobId: string;
  status: RestreamStatus;
  /** Alias of status. */
  stage: RestreamStatus;
  /** The parameters of the job. */
  restreamConfig: {
    /** The table to rebuild. */
    tableNameWithType: string;
    /** The table that is created. */
    destTableNameWithType: string;
    destServerTenant: string;
    destBrokerTenant: string;
    /** True if the job waits at its start until it is resumed. */
    debugPause: boolean;
    /** Messages that a partition may lag behind its stream. */
    maxTableStreamLag: number;
    /** Minutes that the rebalance may take. */
    maxRebalanceTimeMin: number;
  };
  tableStreamProgress: {
    /** The lag of the partition that is furthest behind, in messages; -1 until it is known. */
    lastProbedLag: number;
    lastProbeTimeMs: number;
    startTime: number;
  };
  /** Lag in messages, by table and partition. */
  verboseTableStreamLag: Record<string, Record<string, number>>;
  forceCommitProgress: {
    lastProbeTimeMs: number;
    startTime: number;
    totalConsumingSegments: number;
    consumingSegmentsCommitted: number;
  };
  /** The segments that are not committed yet. */
  segmentsToBeCommitted: string[];
  stages: {
    stage: RestreamStatus;
    startTimeMs: number;
    /** The end of the stage; null while it is running. */
    endTimeMs: number | null;
    outcome: string | null;
  }[];
  /** The offsets by partition. */
  targetOffsets: Record<string, number> | null;
  comparison: {
    sourceRows: number;
    destinationRows: number;
    sourceOffsets: Record<string, number>;
    destinationOffsets: Record<string, number>;
  } | null;
  error: { code: string; message: string; stage: RestreamStatus } | null;
  /** The reason why the current stage was retried or waits; null if there is none. */
  lastProblem: { code: string; message: string; stage: RestreamStatus; timeMs: number } | null;
  /** The next step of the job, or of its operator, as a sentence. */
  next: string;
}
