import { type CallOptions, isQuireError, type QuireError } from '@quire/core';
import type { Consumption, ForceCommitJob, RebalanceJob } from '@quire/core/table-engine';
import type { RestreamEngine } from './restream-engine.ts';
import type { JobRequests } from './job-records.ts';
import type { RestreamJob } from './restream-job.ts';

/** The state of the engine, as far as the stage of the job needs it. */
export interface Observation {
  readonly requests: JobRequests;
  readonly isSourceGone: boolean;
  readonly isDestinationGone: boolean;
  /** The consumption of the destination. */
  readonly consumption: Consumption | undefined;
  /** `gone` if the engine no longer knows the job. */
  readonly commit: ForceCommitJob | 'gone' | undefined;
  readonly rebalance: RebalanceJob | 'gone' | undefined;
  /** The error of reading the engine's state; the other members are then unknown. */
  readonly failure: QuireError | undefined;
}

const nothing = {
  isSourceGone: false,
  isDestinationGone: false,
  consumption: undefined,
  commit: undefined,
  rebalance: undefined,
  failure: undefined,
};

/** Reads the state that the stage of a job depends on; changes nothing. */
export async function observe(
  engine: RestreamEngine,
  job: RestreamJob,
  requests: JobRequests,
  options: CallOptions,
): Promise<Observation> {
  const seen: Observation = { ...nothing, requests };
  try {
    switch (job.status) {
      case 'INIT':
        return { ...seen, isDestinationGone: await isHeldAndGone(engine, job, options) };
      case 'TABLE_STREAM':
        return { ...seen, ...(await observeStream(engine, job, options)) };
      case 'FORCE_COMMIT':
        return { ...seen, ...(await observeCommit(engine, job, options)) };
      case 'REBALANCE':
        return { ...seen, ...(await observeRebalance(engine, job, options)) };
      default:
        return seen;
    }
  } catch (error) {
    if (!isQuireError(error) || error.kind === 'aborted') throw error;
    if (error.code === 'TABLE_NOT_FOUND') return { ...seen, isDestinationGone: true };
    return { ...seen, failure: error };
  }
}

async function observeStream(
  engine: RestreamEngine,
  { config }: RestreamJob,
  options: CallOptions,
): Promise<Partial<Observation>> {
  const isSourceGone = await isGone(engine, config.tableNameWithType, options);
  if (isSourceGone) return { isSourceGone };
  return { consumption: await engine.readConsumption(config.destTableNameWithType, options) };
}

async function observeCommit(
  engine: RestreamEngine,
  job: RestreamJob,
  options: CallOptions,
): Promise<Partial<Observation>> {
  const isDestinationGone = await isGone(engine, job.config.destTableNameWithType, options);
  const engineJobId = job.commit?.engineJobId ?? null;
  if (isDestinationGone || engineJobId === null) return { isDestinationGone };
  return { commit: await unlessMissing(engine.readForceCommit(engineJobId, options)) };
}

async function observeRebalance(
  engine: RestreamEngine,
  job: RestreamJob,
  options: CallOptions,
): Promise<Partial<Observation>> {
  const isDestinationGone = await isGone(engine, job.config.destTableNameWithType, options);
  const engineJobId = job.rebalance?.engineJobId ?? null;
  if (isDestinationGone || engineJobId === null) return { isDestinationGone };
  return { rebalance: await unlessMissing(engine.readRebalance(engineJobId, options)) };
}

/** A job that waits at its start performs no action that could fail. */
async function isHeldAndGone(
  engine: RestreamEngine,
  { init, config }: RestreamJob,
  options: CallOptions,
): Promise<boolean> {
  return init.isMade && init.isHeld && isGone(engine, config.destTableNameWithType, options);
}

async function isGone(
  engine: RestreamEngine,
  tableNameWithType: string,
  options: CallOptions,
): Promise<boolean> {
  try {
    await engine.readTable(tableNameWithType, options);
    return false;
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return true;
    throw error;
  }
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | 'gone'> {
  try {
    return await reading;
  } catch (error) {
    if (isQuireError(error, 'JOB_NOT_FOUND')) return 'gone';
    throw error;
  }
}
