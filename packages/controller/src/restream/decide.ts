import { type ErrorCode, formatDurationMs } from '@quire/core';
import type { Consumption, PartitionConsumption } from '@quire/core/table-engine';
import type { Observation } from './observe.ts';
import { problemOf, progressOf } from './problem-of.ts';
import {
  type Cleanup,
  enterStage,
  hasDropFailed,
  isFinal,
  type RestreamJob,
  type RestreamStatus,
  withProblem,
} from './restream-job.ts';

/** The intervals and limits of jobs. */
export interface RestreamSettings {
  /** The interval between two observations of a job. */
  readonly pollMs: number;
  /**
   * The time without progress of the destination, while a controller watches, after which a job
   * fails.
   */
  readonly noProgressMaxMs: number;
  /** The timeout of the commit of all consuming segments. */
  readonly commitMaxMs: number;
  /** The time after which an unfinished commit is requested again. */
  readonly commitRetryMs: number;
}

/** Actions that change something in the engine. Each may be repeated. */
export type Action =
  | 'make'
  | 'release'
  | 'commit'
  | 'retryCommit'
  | 'rebalance'
  | 'cancelRebalance'
  | 'compare'
  | 'pause'
  | 'drop';

export type Decision =
  /** Write the job, and observe again immediately. */
  | { readonly kind: 'write'; readonly job: RestreamJob }
  /** Perform an action, write its outcome, and observe again immediately. */
  | { readonly kind: 'act'; readonly job: RestreamJob; readonly action: Action }
  /** Observe again after a delay, or as soon as there is a request for the job. */
  | { readonly kind: 'wait'; readonly job: RestreamJob; readonly delayMs: number }
  /** Nothing is left to do. */
  | { readonly kind: 'end' };

export interface Moment {
  readonly nowMs: number;
  /**
   * The time for which this controller has watched the job since its last observation, independent
   * of the wall clock, which may jump.
   */
  readonly elapsedMs: number;
}

/**
 * Returns the next step for a job's record and an observation. Pure; stages and limits are those of
 * TABLES.md section 5.
 */
export function decide(
  before: RestreamJob,
  seen: Observation,
  settings: RestreamSettings,
  moment: Moment,
): Decision {
  if (isFinal(before.status)) return decideCleanup(before, seen);
  const problem = problemOf(before, seen);
  const job = problem === undefined ? before : withProblem(before, problem, moment.nowMs);
  if (seen.requests.cancel !== undefined) {
    const drops = job.status === 'INIT' || seen.requests.cancel.dropDestination;
    return {
      kind: 'write',
      job: end(job, 'CANCELLED', 'Cancelled by a caller.', drops ? 'DROP' : 'PAUSE', moment.nowMs),
    };
  }
  if (seen.isSourceGone) {
    return fail(
      job,
      'TABLE_NOT_FOUND',
      `The source table ${job.config.tableNameWithType} was deleted while it was restreamed.`,
      moment,
    );
  }
  if (seen.isDestinationGone) {
    const { code, message } = droppedError(job);
    return fail(job, code, message, moment);
  }
  switch (job.status) {
    case 'INIT':
      return decideInit(job, seen, settings);
    case 'TABLE_STREAM':
      return decideStream(job, seen, settings, moment);
    case 'FORCE_COMMIT':
      return decideCommit(job, seen, settings, moment);
    case 'REBALANCE':
      return decideRebalance(job, seen, settings, moment);
    default:
      return { kind: 'end' };
  }
}

/** Returns the job as FAILED; the cleanup of what it has created follows. */
export function failedJob(
  job: RestreamJob,
  error: { code: ErrorCode; message: string },
  nowMs: number,
): RestreamJob {
  const ended = end(job, 'FAILED', error.message, job.status === 'INIT' ? 'DROP' : 'PAUSE', nowMs);
  // A schema that another caller has created in the meantime must not be dropped.
  const makesSchema = job.init.makesSchema && error.code !== 'SCHEMA_EXISTS';
  return {
    ...ended,
    init: { ...job.init, makesSchema },
    error: { code: error.code, message: error.message, stage: job.status },
  };
}

/** Returns the error of a job whose destination no longer exists. */
export function droppedError({ config }: RestreamJob): {
  readonly code: ErrorCode;
  readonly message: string;
} {
  const message = `The destination table ${config.destTableNameWithType} was dropped while it was being built.`;
  return { code: 'TABLE_NOT_FOUND', message };
}

function decideInit(job: RestreamJob, seen: Observation, settings: RestreamSettings): Decision {
  if (!job.init.isMade) return { kind: 'act', job, action: 'make' };
  if (!job.init.isHeld) return { kind: 'act', job, action: 'release' };
  if (seen.requests.isResumeWanted) {
    return { kind: 'write', job: { ...job, init: { ...job.init, isHeld: false } } };
  }
  return { kind: 'wait', job, delayMs: settings.pollMs };
}

function decideStream(
  job: RestreamJob,
  seen: Observation,
  settings: RestreamSettings,
  moment: Moment,
): Decision {
  const before = job.stream ?? {
    startedMs: moment.nowMs,
    probedMs: null,
    lagMessages: null,
    lagByPartition: {},
    offsets: {},
    idleMs: 0,
  };
  const known =
    seen.failure === undefined && seen.consumption !== undefined
      ? readProgress(seen.consumption)
      : undefined;
  const stopped = seen.consumption?.partitions.find(({ state }) => state === 'STOPPED');
  if (stopped !== undefined) {
    const reason = stopped.error ?? 'The engine reports no reason.';
    return fail(
      job,
      'INGESTION_FAILED',
      `Partition ${stopped.partition} of the destination has stopped. ${reason}`,
      moment,
    );
  }
  const offsets = seen.failure === undefined ? knownOffsetsOf(seen.consumption) : {};
  const hasMoved = Object.entries(offsets).some(
    ([name, offset]) => offset > (before.offsets[name] ?? -1),
  );
  const stream = {
    ...before,
    // A lag that cannot be read is unknown; the previous one does not apply.
    probedMs: moment.nowMs,
    lagMessages: known?.lagMessages ?? null,
    lagByPartition: known?.lagByPartition ?? {},
    offsets: { ...before.offsets, ...offsets },
    idleMs: hasMoved ? 0 : before.idleMs + moment.elapsedMs,
  };
  const targetOffsets = job.targetOffsets ?? known?.latestOffsets ?? null;
  const watched: RestreamJob = { ...job, stream, targetOffsets };
  if (
    known !== undefined &&
    targetOffsets !== null &&
    hasCaughtUp(known, targetOffsets, job.config.maxTableStreamLag)
  ) {
    const outcome = `Every partition has passed its target; the largest lag is ${known.lagMessages} messages.`;
    const next = enterStage(watched, 'FORCE_COMMIT', moment.nowMs, outcome);
    return { kind: 'write', job: { ...next, commit: newCommit(moment.nowMs) } };
  }
  if (stream.idleMs > settings.noProgressMaxMs) {
    return fail(watched, ...stalled(watched, seen, settings), moment);
  }
  return { kind: 'wait', job: watched, delayMs: settings.pollMs };
}

/** The offsets of the partitions that have one: others may be unknown for a long time. */
function knownOffsetsOf(consumption: Consumption | undefined): Readonly<Record<string, number>> {
  const known = (consumption?.partitions ?? []).filter(
    ({ currentOffset }) => currentOffset !== null,
  );
  return Object.fromEntries(
    known.map(({ partition, currentOffset }) => [String(partition), currentOffset ?? 0]),
  );
}

interface Progress {
  readonly offsets: Readonly<Record<string, number>>;
  readonly latestOffsets: Readonly<Record<string, number>>;
  readonly lagByPartition: Readonly<Record<string, number>>;
  readonly lagMessages: number;
}

/**
 * Returns the progress; undefined while the segment of any partition is being created, because an
 * unknown lag is not zero.
 */
function readProgress({ isReady, partitions }: Consumption): Progress | undefined {
  if (!isReady || partitions.length === 0) return undefined;
  const isKnown = partitions.every(
    ({ currentOffset, latestOffset, lagMessages }) =>
      currentOffset !== null && latestOffset !== null && lagMessages !== null,
  );
  if (!isKnown) return undefined;
  const byPartition = (
    of: (partition: PartitionConsumption) => number | null,
  ): Record<string, number> =>
    Object.fromEntries(
      partitions.map((partition) => [String(partition.partition), of(partition) ?? 0]),
    );
  return {
    offsets: byPartition(({ currentOffset }) => currentOffset),
    latestOffsets: byPartition(({ latestOffset }) => latestOffset),
    lagByPartition: byPartition(({ lagMessages }) => lagMessages),
    lagMessages: Math.max(...partitions.map(({ lagMessages }) => lagMessages ?? 0)),
  };
}

function hasCaughtUp(
  known: Progress,
  targetOffsets: Readonly<Record<string, number>>,
  lagMax: number,
): boolean {
  const isPast = Object.entries(targetOffsets).every(
    ([name, target]) => (known.offsets[name] ?? -1) >= target,
  );
  return isPast && Object.values(known.lagByPartition).every((lag) => lag <= lagMax);
}

function stalled(
  job: RestreamJob,
  seen: Observation,
  settings: RestreamSettings,
): [ErrorCode, string] {
  const idle = formatDurationMs(settings.noProgressMaxMs);
  const partition = seen.consumption?.partitions.find(({ error }) => error !== null);
  const why =
    seen.failure?.message ??
    partition?.error ??
    (seen.consumption?.isPaused === true
      ? 'The destination is paused.'
      : 'The engine reports no reason.');
  return [
    'STREAM_UNAVAILABLE',
    `The destination has consumed nothing for ${idle}: ${progressOf(job)}. ${why}`,
  ];
}

function newCommit(nowMs: number): NonNullable<RestreamJob['commit']> {
  return {
    startedMs: nowMs,
    probedMs: null,
    engineJobId: null,
    waitedMs: 0,
    waitedSinceAskedMs: 0,
    attemptCount: 0,
    pause: 'none',
    segmentNames: [],
    pendingSegmentNames: [],
  };
}

function decideCommit(
  job: RestreamJob,
  seen: Observation,
  settings: RestreamSettings,
  moment: Moment,
): Decision {
  const before = job.commit ?? newCommit(moment.nowMs);
  let commit = {
    ...before,
    waitedMs: before.waitedMs + moment.elapsedMs,
    waitedSinceAskedMs: before.waitedSinceAskedMs + moment.elapsedMs,
  };
  if (seen.commit !== undefined && seen.commit !== 'gone') {
    commit = {
      ...commit,
      probedMs: moment.nowMs,
      pendingSegmentNames: seen.commit.pendingSegmentNames,
    };
  }
  const isCommitted =
    seen.failure === undefined &&
    seen.commit !== 'gone' &&
    commit.engineJobId !== null &&
    commit.probedMs !== null &&
    commit.pendingSegmentNames.length === 0;
  // An engine that was slow to answer may have finished in time.
  if (!isCommitted && commit.waitedMs > settings.commitMaxMs) {
    return fail({ ...job, commit }, ...stuck(commit, seen, settings), moment);
  }
  if (seen.failure !== undefined) {
    return { kind: 'wait', job: { ...job, commit }, delayMs: settings.pollMs };
  }
  if (seen.commit === 'gone') {
    // A paused destination accepts no request to commit.
    if (commit.pause !== 'none') return { kind: 'act', job: { ...job, commit }, action: 'release' };
    commit = { ...commit, engineJobId: null };
  }
  if (commit.engineJobId === null) {
    return { kind: 'act', job: { ...job, commit }, action: 'commit' };
  }
  if (isCommitted) {
    if (commit.pause !== 'none') return { kind: 'act', job: { ...job, commit }, action: 'release' };
    const next = enterStage(
      { ...job, commit },
      'REBALANCE',
      moment.nowMs,
      `${commit.segmentNames.length} segments are committed.`,
    );
    const rebalance = {
      startedMs: moment.nowMs,
      engineJobId: null,
      status: null,
      description: null,
      waitedMs: 0,
    };
    return { kind: 'write', job: { ...next, rebalance } };
  }
  if (commit.pause === 'wanted') {
    return { kind: 'act', job: { ...job, commit }, action: 'retryCommit' };
  }
  if (commit.waitedSinceAskedMs > settings.commitRetryMs) {
    if (commit.pause === 'done') {
      return { kind: 'act', job: { ...job, commit }, action: 'retryCommit' };
    }
    const message = `${pendingOf(commit)}, ${formatDurationMs(commit.waitedMs)} after the stage began; a short pause of the destination commits it, too.`;
    const stuckJob = withProblem(job, { code: 'ENGINE_UNAVAILABLE', message }, moment.nowMs);
    // Recorded before the pause: a controller that continues after a crash must not leave the
    // destination paused.
    return { kind: 'write', job: { ...stuckJob, commit: { ...commit, pause: 'wanted' } } };
  }
  return { kind: 'wait', job: { ...job, commit }, delayMs: settings.pollMs };
}

function stuck(
  commit: NonNullable<RestreamJob['commit']>,
  seen: Observation,
  settings: RestreamSettings,
): [ErrorCode, string] {
  const why = seen.failure === undefined ? '' : ` ${seen.failure.message}`;
  const limit = formatDurationMs(settings.commitMaxMs);
  return [
    'ENGINE_UNAVAILABLE',
    `The consuming segments were not committed within ${limit}. ${pendingOf(commit)}.${why}`,
  ];
}

function pendingOf({ pendingSegmentNames: names }: NonNullable<RestreamJob['commit']>): string {
  return names.length === 0
    ? 'The engine did not accept the force commit'
    : `Still not committed: ${names.slice(0, 5).join(', ')}`;
}

function decideRebalance(
  job: RestreamJob,
  seen: Observation,
  settings: RestreamSettings,
  moment: Moment,
): Decision {
  const before = job.rebalance ?? {
    startedMs: moment.nowMs,
    engineJobId: null,
    status: null,
    description: null,
    waitedMs: 0,
  };
  let rebalance = { ...before, waitedMs: before.waitedMs + moment.elapsedMs };
  if (seen.rebalance !== undefined && seen.rebalance !== 'gone') {
    const { status, description } = seen.rebalance;
    rebalance = { ...rebalance, status, description };
  }
  const isDone = rebalance.status === 'DONE' || rebalance.status === 'NO_OP';
  const isLate = rebalance.waitedMs > job.config.maxRebalanceTimeMin * 60_000;
  if (isLate && (!isDone || seen.failure !== undefined)) {
    return { kind: 'act', job: { ...job, rebalance }, action: 'cancelRebalance' };
  }
  if (seen.failure !== undefined) {
    return { kind: 'wait', job: { ...job, rebalance }, delayMs: settings.pollMs };
  }
  if (seen.rebalance === 'gone' && rebalance.status === 'IN_PROGRESS') {
    rebalance = { ...rebalance, engineJobId: null, status: null };
  }
  const watched: RestreamJob = { ...job, rebalance };
  switch (rebalance.status) {
    case null:
      return { kind: 'act', job: watched, action: 'rebalance' };
    case 'NO_OP':
    case 'DONE':
      return { kind: 'act', job: watched, action: 'compare' };
    case 'FAILED':
    case 'CANCELLED': {
      const message =
        `The rebalance of the destination ended as ${rebalance.status}. ${rebalance.description ?? ''}`.trim();
      return fail(watched, 'CONFLICT', message, moment);
    }
    case 'IN_PROGRESS':
      return { kind: 'wait', job: watched, delayMs: settings.pollMs };
  }
}

/**
 * Returns the next step after the end: the destination is paused or dropped; one that was kept, or
 * could not be dropped, can still be dropped later.
 */
function decideCleanup(job: RestreamJob, seen: Observation): Decision {
  const wantsDrop = seen.requests.cancel?.dropDestination === true && job.status !== 'DONE';
  if (wantsDrop && (job.cleanup?.kind !== 'DROP' || hasDropFailed(job))) {
    return { kind: 'write', job: { ...job, cleanup: newCleanup('DROP') } };
  }
  if (job.cleanup === null || job.cleanup.isDone) return { kind: 'end' };
  return { kind: 'act', job, action: job.cleanup.kind === 'DROP' ? 'drop' : 'pause' };
}

function newCleanup(kind: Cleanup['kind']): Cleanup {
  return { kind, isDone: false, waitedMs: 0, problem: null };
}

function end(
  job: RestreamJob,
  status: RestreamStatus,
  outcome: string,
  kind: Cleanup['kind'],
  nowMs: number,
): RestreamJob {
  return { ...enterStage(job, status, nowMs, outcome), cleanup: newCleanup(kind) };
}

function fail(job: RestreamJob, code: ErrorCode, message: string, { nowMs }: Moment): Decision {
  return { kind: 'write', job: failedJob(job, { code, message }, nowMs) };
}
