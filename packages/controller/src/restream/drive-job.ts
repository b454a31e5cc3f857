import { abortError, type Clock, isQuireError, QuireError, throwIfAborted } from '@quire/core';
import { type SpanAttributes, startSpan, traced } from '@quire/core/trace';
import type { RestreamEngine } from './restream-engine.ts';
import { decide, droppedError, failedJob, type RestreamSettings } from './decide.ts';
import type { JobRecords } from './job-records.ts';
import { observe } from './observe.ts';
import { isRetryable, retryTimeoutMs, addRetryTime } from './retry-timeout.ts';
import { perform, uncompared } from './perform.ts';
import { hasDropFailed, type RestreamJob, withProblem } from './restream-job.ts';

/** The log of jobs; a pino logger fits. */
export interface RestreamLog {
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
}

export interface DriveOptions {
  readonly engine: RestreamEngine;
  readonly records: JobRecords;
  readonly clock: Clock;
  readonly settings: () => RestreamSettings;
  readonly log?: RestreamLog | undefined;
  /** Called with every record that was written. */
  readonly onWritten: (job: RestreamJob) => void;
  /** Resolves after the delay, or as soon as there is a request for the job. @throws ABORTED */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Drives a job until nothing is left to do: observe, decide, write, act, and repeat. The record is
 * written before the work of the next stage starts, so that after a crash any controller continues
 * from there.
 *
 * @throws ABORTED when the signal is aborted
 */
export async function driveJob(
  options: DriveOptions,
  jobId: string,
  signal: AbortSignal,
): Promise<RestreamJob> {
  const { engine, records, clock, settings } = options;
  let job = await records.read(jobId, { signal });
  let lookedMs = clock.monotonicMs();
  for (;;) {
    throwIfAborted(signal);
    const seen = await observe(engine, job, await records.readRequests(jobId, { signal }), {
      signal,
    });
    const moment = { nowMs: clock.nowMs(), elapsedMs: clock.monotonicMs() - lookedMs };
    lookedMs = clock.monotonicMs();
    const decision = decide(job, seen, settings(), moment);
    if (decision.kind === 'end') return job;
    const { job: next, isInVain } =
      decision.kind === 'act'
        ? await act(options, decision, moment.elapsedMs, signal)
        : { job: decision.job, isInVain: decision.kind === 'wait' };
    throwIfAborted(signal);
    if (next !== job) await write(options, job, next);
    job = next;
    if (isInVain) {
      await options.wait(decision.kind === 'wait' ? decision.delayMs : settings().pollMs, signal);
    }
  }
}

async function act(
  { engine, clock, settings, log }: DriveOptions,
  { job, action }: { readonly job: RestreamJob; readonly action: Parameters<typeof perform>[0] },
  elapsedMs: number,
  signal: AbortSignal,
): Promise<{ readonly job: RestreamJob; readonly isInVain: boolean }> {
  try {
    const performed = await traced(
      `restream.${action}`,
      () => perform(action, engine, job, clock.nowMs(), { signal }),
      { parent: job.trace ?? null, attributes: spanAttributesOf(job) },
    );
    return { job: performed, isInVain: false };
  } catch (thrown) {
    if (signal.aborted) throw abortError(signal);
    const error = isQuireError(thrown)
      ? thrown
      : new QuireError('INTERNAL', `The step '${action}' failed unexpectedly.`, { cause: thrown });
    log?.warn(
      { jobId: job.jobId, stage: job.status, action, reason: error.code, err: error },
      'restream step failed',
    );
    if (await isDropped(engine, job, error, signal)) {
      return { job: failedJob(job, droppedError(job), clock.nowMs()), isInVain: false };
    }
    const waited = addRetryTime(job, elapsedMs);
    if (isRetryable(error) && waited.waitedMs <= retryTimeoutMs(job, settings())) {
      return { job: withProblem(waited.job, error, clock.nowMs()), isInVain: true };
    }
    if (action === 'compare' && isRetryable(error)) {
      return { job: uncompared(waited.job, error, clock.nowMs()), isInVain: false };
    }
    if (waited.job.cleanup !== null) {
      const cleanup = { ...waited.job.cleanup, isDone: true, problem: error.message };
      return { job: { ...waited.job, cleanup }, isInVain: false };
    }
    return { job: failedJob(waited.job, error, clock.nowMs()), isInVain: false };
  }
}

/** Reports whether a step failed because the destination no longer exists. */
async function isDropped(
  engine: RestreamEngine,
  job: RestreamJob,
  error: QuireError,
  signal: AbortSignal,
): Promise<boolean> {
  if (error.code !== 'TABLE_NOT_FOUND' || !job.init.isMade || job.cleanup !== null) return false;
  try {
    await engine.readTable(job.config.destTableNameWithType, { signal });
    return false;
  } catch (problem) {
    return isQuireError(problem, 'TABLE_NOT_FOUND');
  }
}

async function write(
  { records, log, onWritten }: DriveOptions,
  before: RestreamJob,
  job: RestreamJob,
): Promise<void> {
  // A request that is found beside the record of a failed drop must be one made after the failure.
  // It is removed first: if the controller is killed in between, the next one tries the drop again,
  // whereas the reverse order could remove a request of a caller who has seen the failure.
  if (hasDropFailed(job)) await records.removeCancel(job.jobId);
  await records.write(job);
  onWritten(job);
  if (job.status === before.status) return;
  traceStage(before, job);
  const { jobId, config, error } = job;
  const members = {
    jobId,
    table: config.tableNameWithType,
    destination: config.destTableNameWithType,
    from: before.status,
  };
  if (error === null) {
    log?.info({ ...members, status: job.status }, 'restream job enters its next stage');
  } else {
    log?.warn(
      { ...members, status: job.status, reason: error.code, problem: error.message },
      'restream job failed',
    );
  }
}

/**
 * Records the stage that a job has left as a span, once its end is known: a stage may outlive the
 * controller in which it started.
 */
function traceStage(before: RestreamJob, job: RestreamJob): void {
  const stage = job.stages.findLast((each) => each.stage === before.status);
  if (stage === undefined) return;
  const span = startSpan(`restream ${stage.stage}`, {
    parent: job.trace ?? null,
    attributes: spanAttributesOf(before),
    startMs: stage.startedMs,
  });
  const isFailed = job.error?.stage === stage.stage;
  span?.end(isFailed ? job.error?.code : undefined, stage.endedMs ?? undefined);
}

function spanAttributesOf({ jobId, status, config }: RestreamJob): SpanAttributes {
  return {
    'quire.restream.job_id': jobId,
    'quire.restream.stage': status,
    'db.collection.name': config.tableNameWithType,
  };
}
