import type { ErrorCode } from '@quire/core';
import type { RebalanceStatus } from '@quire/core/table-engine';
import type { TraceHeaders } from '@quire/core/trace';

/** What a job is asked to do (SPECIFICATION.md section 2.1, `restreamConfig`). */
export interface RestreamConfig {
  readonly tableNameWithType: string;
  readonly destTableNameWithType: string;
  readonly destServerTenant: string;
  readonly destBrokerTenant: string;
  /** Whether the destination is made paused, and waits to be resumed. */
  readonly debugPause: boolean;
  /** Messages that a partition of the destination may lag behind its stream. */
  readonly maxTableStreamLag: number;
  readonly maxRebalanceTimeMin: number;
}

/** States of a job (SPECIFICATION.md section 3), in the order in which one goes through them. */
export const restreamStatuses = [
  'INIT',
  'TABLE_STREAM',
  'FORCE_COMMIT',
  'REBALANCE',
  'DONE',
  'FAILED',
  'CANCELLED',
] as const;
/** How far a restream job is. */
export type RestreamStatus = (typeof restreamStatuses)[number];

/** The states that a job does not leave. */
export function isFinal(status: RestreamStatus): boolean {
  return status === 'DONE' || status === 'FAILED' || status === 'CANCELLED';
}

/** A stage of a job: when it ran, and what came of it. */
export interface StageRecord {
  readonly stage: RestreamStatus;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** What came of it, as a sentence. */
  readonly outcome: string | null;
}

/** What is left to do for a job that has ended without success. */
export interface Cleanup {
  /** PAUSE: the destination stays, paused. DROP: it goes, with the schema that was made for it. */
  readonly kind: 'PAUSE' | 'DROP';
  readonly isDone: boolean;
  /** How long a controller has tried without success. */
  readonly waitedMs: number;
  /** Why it could not be done, when it could not. */
  readonly problem: string | null;
  /** What of the destination a DROP has left, and why. Records of older releases do not have it. */
  readonly leftover?: string | null;
}

/** What kept a stage from going on: it was tried again, or waited for. */
export interface StageProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly stage: RestreamStatus;
  /** When it was met last. */
  readonly atMs: number;
}

/**
 * Everything that is known of a job: one JSON object, replaced in one atomic write at every
 * transition. Offsets and lags are by partition, with the partition's number as the member's name.
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
     * Whether the destination's schema was not there before: then it goes when the destination is
     * dropped.
     */
    readonly makesSchema: boolean;
    readonly isMade: boolean;
    /** Whether it waits to be resumed, as `debugPause` asks for. */
    readonly isHeld: boolean;
    /** How long a controller has tried without success. */
    readonly waitedMs: number;
  };
  /**
   * The stream's latest offsets when the job began; null until they are known. The destination must
   * pass them.
   */
  readonly targetOffsets: Readonly<Record<string, number>> | null;
  readonly stream: {
    readonly startedMs: number;
    readonly probedMs: number | null;
    /** The largest lag of a partition. */
    readonly lagMessages: number | null;
    readonly lagByPartition: Readonly<Record<string, number>>;
    readonly offsets: Readonly<Record<string, number>>;
    /** How long a controller has watched without any offset moving, in milliseconds. */
    readonly idleMs: number;
  } | null;
  readonly commit: {
    readonly startedMs: number;
    readonly probedMs: number | null;
    /** Null until it has been asked for. */
    readonly engineJobId: string | null;
    /** How long a controller has waited in all, and since the engine was asked last. */
    readonly waitedMs: number;
    readonly waitedSinceAskedMs: number;
    readonly attemptCount: number;
    /**
     * The destination is paused for a moment where a wish to commit is stuck: that is wanted, which
     * may have been done, or done.
     */
    readonly pause: 'none' | 'wanted' | 'done';
    readonly segmentNames: readonly string[];
    readonly pendingSegmentNames: readonly string[];
  } | null;
  readonly rebalance: {
    readonly startedMs: number;
    readonly engineJobId: string | null;
    /** What the engine said last. */
    readonly status: RebalanceStatus | null;
    readonly description: string | null;
    readonly waitedMs: number;
  } | null;
  /** What source and destination held at the end; null before, and where it could not be read. */
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
   * The last one of the stage that the job is in; null when it met none. Records of older releases
   * do not have it.
   */
  readonly lastProblem?: StageProblem | null;
  /** The span of the call that started the job, which its stages are parts of, where traces are on. */
  readonly trace?: TraceHeaders;
}

/** What is found out before a job is made. */
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

/** The job, which has met a problem and goes on all the same. */
export function withProblem(
  job: RestreamJob,
  { code, message }: Pick<StageProblem, 'code' | 'message'>,
  nowMs: number,
): RestreamJob {
  return { ...job, lastProblem: { code, message, stage: job.status, atMs: nowMs } };
}

/**
 * The job in its next state; the stage that it leaves ends with this outcome, a final one with
 * `finalOutcome`, or the same.
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
