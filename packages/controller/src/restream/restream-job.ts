import type { ErrorCode } from '@quire/core';
import type { RebalanceStatus } from '@quire/core/table-engine';
import type { TraceHeaders } from '@quire/core/trace';

/** The request of a job (SPECIFICATION.md section 2.1, `restreamConfig`). */
export interface RestreamConfig {
  readonly tableNameWithType: string;
  readonly destTableNameWithType: string;
  readonly destServerTenant: string;
  readonly destBrokerTenant: string;
  /** True if the destination is created paused, and waits to be resumed. */
  readonly debugPause: boolean;
  /**
   * The maximum number of messages that a partition of the destination may lag behind its stream.
   */
  readonly maxTableStreamLag: number;
  readonly maxRebalanceTimeMin: number;
}

/** The states of a job (SPECIFICATION.md section 3), in their order. */
export const restreamStatuses = [
  'INIT',
  'TABLE_STREAM',
  'FORCE_COMMIT',
  'REBALANCE',
  'DONE',
  'FAILED',
  'CANCELLED',
] as const;
/** The state of a restream job. */
export type RestreamStatus = (typeof restreamStatuses)[number];

/** Reports whether a state is final. */
export function isFinal(status: RestreamStatus): boolean {
  return status === 'DONE' || status === 'FAILED' || status === 'CANCELLED';
}

/** A stage of a job, with its times and outcome. */
export interface StageRecord {
  readonly stage: RestreamStatus;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** The outcome as a sentence. */
  readonly outcome: string | null;
}

/** The cleanup of a job that has ended without success. */
export interface Cleanup {
  /**
   * PAUSE keeps the destination, paused. DROP deletes it, with the schema that was created for it.
   */
  readonly kind: 'PAUSE' | 'DROP';
  readonly isDone: boolean;
  /** The time for which controllers have tried without success. */
  readonly waitedMs: number;
  /** The reason for the failure, if it failed. */
  readonly problem: string | null;
  /**
   * The parts of the destination that a DROP did not delete, with the reason. Records of older
   * releases do not have it.
   */
  readonly leftover?: string | null;
}

/**
 * Reports whether a job gave up dropping its destination, which may still exist: a caller can
 * request the drop again.
 */
export function hasDropFailed({ cleanup }: Pick<RestreamJob, 'cleanup'>): boolean {
  return cleanup?.kind === 'DROP' && cleanup.isDone && cleanup.problem !== null;
}

/** A problem that kept a stage from progressing: it was retried, or waited for. */
export interface StageProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly stage: RestreamStatus;
  /** The time of its last occurrence. */
  readonly atMs: number;
}

/**
 * The whole state of a job: one JSON object, replaced in one atomic write at every transition.
 * Offsets and lags are by partition, with the number of the partition as the name.
 */
export interface RestreamJob {
  readonly jobId: string;
  readonly config: RestreamConfig;
  readonly status: RestreamStatus;
  readonly createdMs: number;
  readonly finishedMs: number | null;
  readonly stages: readonly StageRecord[];
  readonly init: {
    /**
     * True if the job created the destination's schema, which is then deleted with the destination.
     */
    readonly makesSchema: boolean;
    readonly isMade: boolean;
    /** True if it waits to be resumed, as `debugPause` requests. */
    readonly isHeld: boolean;
    /** The time for which controllers have tried without success. */
    readonly waitedMs: number;
  };
  /**
   * The stream's latest offsets when the job started; null until they are known. The destination
   * must pass them.
   */
  readonly targetOffsets: Readonly<Record<string, number>> | null;
  readonly stream: {
    readonly startedMs: number;
    readonly probedMs: number | null;
    /** The largest lag of a partition. */
    readonly lagMessages: number | null;
    readonly lagByPartition: Readonly<Record<string, number>>;
    readonly offsets: Readonly<Record<string, number>>;
    /** The time for which a controller has watched without any offset moving, in milliseconds. */
    readonly idleMs: number;
  } | null;
  readonly commit: {
    readonly startedMs: number;
    readonly probedMs: number | null;
    /** Null until it was requested. */
    readonly engineJobId: string | null;
    /** The waiting time in total, and since the last request to the engine. */
    readonly waitedMs: number;
    readonly waitedSinceAskedMs: number;
    readonly attemptCount: number;
    /**
     * The temporary pause of the destination for a stuck commit: `wanted` if it may have happened,
     * or `done`.
     */
    readonly pause: 'none' | 'wanted' | 'done';
    readonly segmentNames: readonly string[];
    readonly pendingSegmentNames: readonly string[];
  } | null;
  readonly rebalance: {
    readonly startedMs: number;
    readonly engineJobId: string | null;
    /** The last status that the engine reported. */
    readonly status: RebalanceStatus | null;
    readonly description: string | null;
    readonly waitedMs: number;
  } | null;
  /**
   * The contents of source and destination at the end; null before, and if they could not be read.
   */
  readonly comparison: {
    readonly sourceRows: number;
    readonly destinationRows: number;
    readonly sourceOffsets: Readonly<Record<string, number>>;
    readonly destinationOffsets: Readonly<Record<string, number>>;
  } | null;
  readonly cleanup: Cleanup | null;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly stage: RestreamStatus;
  } | null;
  /**
   * The latest problem of the current stage; null if there was none. Records of older releases do
   * not have it.
   */
  readonly lastProblem?: StageProblem | null;
  /** The span of the call that started the job, the parent of its stages, if traces are enabled. */
  readonly trace?: TraceHeaders;
}

/** The facts that are determined before a job is created. */
export interface JobStart {
  readonly jobId: string;
  readonly config: RestreamConfig;
  readonly makesSchema: boolean;
  readonly targetOffsets: Readonly<Record<string, number>> | null;
}

export function newJob(
  { jobId, config, makesSchema, targetOffsets }: JobStart,
  nowMs: number,
  trace?: TraceHeaders,
): RestreamJob {
  return {
    ...(trace !== undefined && { trace }),
    jobId,
    config,
    status: 'INIT',
    createdMs: nowMs,
    finishedMs: null,
    stages: [{ stage: 'INIT', startedMs: nowMs, endedMs: null, outcome: null }],
    init: { makesSchema, isMade: false, isHeld: config.debugPause, waitedMs: 0 },
    targetOffsets,
    stream: null,
    commit: null,
    rebalance: null,
    comparison: null,
    cleanup: null,
    error: null,
    lastProblem: null,
  };
}

/** Returns the job with a problem that does not end it. */
export function withProblem(
  job: RestreamJob,
  { code, message }: Pick<StageProblem, 'code' | 'message'>,
  nowMs: number,
): RestreamJob {
  return { ...job, lastProblem: { code, message, stage: job.status, atMs: nowMs } };
}

/**
 * Returns the job in its next state; the stage that it leaves ends with this outcome, a final one
 * with `finalOutcome`, or the same.
 */
export function enterStage(
  job: RestreamJob,
  status: RestreamStatus,
  nowMs: number,
  outcome: string,
  finalOutcome = outcome,
): RestreamJob {
  const ended = job.stages.map((stage) =>
    stage.endedMs === null ? { ...stage, endedMs: nowMs, outcome } : stage,
  );
  const isEnd = isFinal(status);
  return {
    ...job,
    status,
    finishedMs: isEnd ? nowMs : null,
    lastProblem: null,
    stages: [
      ...ended,
      {
        stage: status,
        startedMs: nowMs,
        endedMs: isEnd ? nowMs : null,
        outcome: isEnd ? finalOutcome : null,
      },
    ],
  };
}
