import type { QuireError } from '@quire/core';
import type { RestreamSettings } from './decide.ts';
import type { RestreamJob } from './restream-job.ts';

/**
 * Whether an action that failed so may be tried again: a table that is set aside goes on once its
 * file is restored.
 */
export function mayPass(error: QuireError): boolean {
  return error.kind === 'unavailable' || error.kind === 'corrupt';
}

/**
 * The job after a step that failed for now, and how long such steps have been tried in its stage.
 */
export function waitedInVain(
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

/** How long the stage of a job may take while nothing comes of it. */
export function patienceMs(job: RestreamJob, settings: RestreamSettings): number {
  if (job.cleanup !== null) return settings.noProgressMaxMs;
  if (job.status === 'FORCE_COMMIT') return settings.commitMaxMs;
  if (job.status === 'REBALANCE') return job.config.maxRebalanceTimeMin * 60_000;
  return settings.noProgressMaxMs;
}
