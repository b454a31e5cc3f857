import type { QuireError } from '@quire/core';
import type { RestreamSettings } from './decide.ts';
import type { RestreamJob } from './restream-job.ts';

/**
 * Reports whether a failed action may be retried: a table that is set aside works again once its
 * file is restored.
 */
export function isRetryable(error: QuireError): boolean {
  return error.kind === 'unavailable' || error.kind === 'corrupt';
}

/**
 * Returns the job after a step that failed temporarily, and the time for which such steps have been
 * tried in its stage.
 */
export function addRetryTime(
  job: RestreamJob,
  elapsedMs: number,
): { readonly job: RestreamJob; readonly waitedMs: number } {
  if (job.cleanup !== null) {
    const cleanup = { ...job.cleanup, waitedMs: job.cleanup.waitedMs + elapsedMs };
    return { job: { ...job, cleanup }, waitedMs: cleanup.waitedMs };
  }
  if (job.commit !== null && job.status === 'FORCE_COMMIT') {
    const commit = { ...job.commit, waitedMs: job.commit.waitedMs + elapsedMs };
    return { job: { ...job, commit }, waitedMs: commit.waitedMs };
  }
  if (job.rebalance !== null) {
    const rebalance = { ...job.rebalance, waitedMs: job.rebalance.waitedMs + elapsedMs };
    return { job: { ...job, rebalance }, waitedMs: rebalance.waitedMs };
  }
  const init = { ...job.init, waitedMs: job.init.waitedMs + elapsedMs };
  return { job: { ...job, init }, waitedMs: init.waitedMs };
}

/** Returns the timeout of a job's stage without progress. */
export function retryTimeoutMs(job: RestreamJob, settings: RestreamSettings): number {
  if (job.cleanup !== null) return settings.noProgressMaxMs;
  if (job.status === 'FORCE_COMMIT') return settings.commitMaxMs;
  if (job.status === 'REBALANCE') return job.config.maxRebalanceTimeMin * 60_000;
  return settings.noProgressMaxMs;
}
