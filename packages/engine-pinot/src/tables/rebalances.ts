import type { CallOptions } from '@quire/core';
import type { RebalanceJob, RebalanceStatus } from '@quire/core/table-engine';
import { type AdminCalls, type Json, numberIn, objectIn, textIn } from './admin-calls.ts';
import { readConfig, typedName } from './table-configs.ts';

const statuses: Readonly<Record<string, RebalanceStatus>> = {
  NO_OP: 'NO_OP',
  IN_PROGRESS: 'IN_PROGRESS',
  DONE: 'DONE',
  CANCELLED: 'CANCELLED',
  ABORTED: 'CANCELLED',
};

/**
 * The rebalances of a cluster. The cluster does not record those without work, so they are recorded
 * here.
 */
export class Rebalances {
  readonly #calls: AdminCalls;
  readonly #finished = new Map<string, RebalanceJob>();

  constructor(calls: AdminCalls) {
    this.#calls = calls;
  }

  async start(
    tableNameWithType: string,
    { isDryRun = false, ...options }: CallOptions & { readonly isDryRun?: boolean },
  ): Promise<RebalanceJob> {
    const { rawName, type } = typedName(tableNameWithType);
    await readConfig(this.#calls, tableNameWithType, options);
    const path = `/tables/${encodeURIComponent(rawName)}/rebalance`;
    const parameters = {
      type,
      dryRun: String(isDryRun),
      reassignInstances: 'true',
      includeConsuming: 'true',
    };
    const errors = { 400: 'CONFLICT', 404: 'TABLE_NOT_FOUND', 409: 'CONFLICT' } as const;
    const answer = await this.#calls.object({ method: 'POST', path, parameters, errors }, options);
    const moves = objectIn(objectIn(answer, 'rebalanceSummaryResult'), 'segmentInfo');
    const status = statuses[textIn(answer, 'status')] ?? 'FAILED';
    const nowMs = this.#calls.controller.http.clock.nowMs();
    const count = numberIn(moves, 'totalSegmentsToBeMoved') ?? 0;
    const job: RebalanceJob = {
      jobId: textIn(answer, 'jobId'),
      tableNameWithType,
      status,
      startedMs: nowMs,
      endedMs: status === 'IN_PROGRESS' ? null : nowMs,
      description: textIn(answer, 'description'),
      segmentsToMoveCount: count,
      segmentsMovedCount: status === 'DONE' && !isDryRun ? count : 0,
    };
    if (status !== 'IN_PROGRESS') this.#finished.set(job.jobId, job);
    return job;
  }

  /** @throws JOB_NOT_FOUND */
  async read(jobId: string, options: CallOptions): Promise<RebalanceJob> {
    const known = this.#finished.get(jobId);
    if (known !== undefined) return known;
    const path = `/rebalanceStatus/${encodeURIComponent(jobId)}`;
    return describe(
      jobId,
      await this.#calls.object({ method: 'GET', path, errors: { 404: 'JOB_NOT_FOUND' } }, options),
    );
  }

  async cancel(tableNameWithType: string, options: CallOptions): Promise<readonly string[]> {
    const { rawName, type } = typedName(tableNameWithType);
    await readConfig(this.#calls, tableNameWithType, options);
    const path = `/tables/${encodeURIComponent(rawName)}/rebalance`;
    return this.#calls.names(
      { method: 'DELETE', path, parameters: { type }, errors: { 404: 'TABLE_NOT_FOUND' } },
      options,
    );
  }
}

function describe(jobId: string, answer: Json): RebalanceJob {
  const progress = objectIn(answer, 'tableRebalanceProgressStats');
  const status = statuses[textIn(progress, 'status')] ?? 'FAILED';
  const startedMs = numberIn(progress, 'startTimeMs') ?? 0;
  const seconds = numberIn(progress, 'timeToFinishInSeconds') ?? 0;
  const overall = objectIn(progress, 'rebalanceProgressStatsOverall');
  const toMove = numberIn(overall, 'totalSegmentsToBeAdded') ?? 0;
  const remaining = numberIn(overall, 'totalRemainingSegmentsToBeAdded') ?? 0;
  return {
    jobId,
    tableNameWithType:
      textIn(objectIn(answer, 'tableRebalanceContext'), 'tableNameWithType') ||
      textIn(progress, 'tableNameWithType'),
    status,
    startedMs,
    endedMs: status === 'IN_PROGRESS' ? null : startedMs + seconds * 1000,
    description:
      textIn(progress, 'completionStatusMsg') || `The rebalance is ${textIn(progress, 'status')}.`,
    segmentsToMoveCount: toMove,
    segmentsMovedCount: Math.max(0, toMove - remaining),
  };
}
