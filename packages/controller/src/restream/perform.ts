import { type CallOptions, formatDurationMs, isQuireError, type QuireError } from '@quire/core';
import type { Consumption, RebalanceJob } from '@quire/core/table-engine';
import type { RestreamEngine } from './restream-engine.ts';
import { type Action, failedJob } from './decide.ts';
import {
  destinationConfigOf,
  destinationSchemaOf,
  isCreatedBy,
  isSameSchema,
} from './destination.ts';
import { enterStage, type RestreamJob } from './restream-job.ts';

/**
 * Performs one action in the engine, and returns the job afterwards. Every action may be repeated:
 * if a controller is killed between an action and its record, the next one performs it again.
 *
 * @throws the errors of the engine
 */
export async function perform(
  action: Action,
  engine: RestreamEngine,
  job: RestreamJob,
  nowMs: number,
  options: CallOptions,
): Promise<RestreamJob> {
  const { destTableNameWithType: destination } = job.config;
  switch (action) {
    case 'make':
      await make(engine, job, options);
      return { ...job, init: { ...job.init, isMade: true } };
    case 'release':
      return release(engine, job, nowMs, options);
    case 'commit':
      return askForCommit(engine, job, options);
    case 'retryCommit':
      return retryCommit(engine, job, options);
    case 'rebalance':
      return afterRebalance(job, await engine.rebalance(destination, options));
    case 'cancelRebalance':
      await engine.cancelRebalance(destination, options);
      return failedJob(job, tookTooLong(job), nowMs);
    case 'compare':
      return finish(engine, job, nowMs, options);
    case 'pause':
      await unlessMissing(
        engine.pauseConsumption(destination, {
          ...options,
          comment: `Restream job ${job.jobId} has ended.`,
        }),
      );
      return afterwards(job);
    case 'drop':
      return afterwards(job, await drop(engine, job, options));
  }
}

/** Creates the schema and the table, unless this job has created them already. */
async function make(
  engine: RestreamEngine,
  { jobId, config, init }: RestreamJob,
  options: CallOptions,
): Promise<void> {
  const source = await engine.readTable(config.tableNameWithType, options);
  if (init.makesSchema) {
    const schema = destinationSchemaOf(source.schema, config);
    try {
      await engine.createSchema(schema, options);
    } catch (error) {
      const isOurs =
        isQuireError(error, 'SCHEMA_EXISTS') &&
        isSameSchema(await engine.readSchema(schema.schemaName, options), schema);
      if (!isOurs) throw error;
    }
  }
  try {
    const made = destinationConfigOf(source.config, config, jobId);
    await engine.createTable(made, { ...options, isPaused: config.debugPause });
  } catch (error) {
    const isOurs =
      isQuireError(error, 'TABLE_EXISTS') &&
      isCreatedBy(await engine.readTable(config.destTableNameWithType, options), jobId);
    if (!isOurs) throw error;
    // The attempt that created it may have failed to pause it.
    if (config.debugPause) await engine.pauseConsumption(config.destTableNameWithType, options);
  }
}

/**
 * Resumes the consumption of the destination: at the start of the job, or after a pause that
 * committed stuck segments.
 */
async function release(
  engine: RestreamEngine,
  job: RestreamJob,
  nowMs: number,
  options: CallOptions,
): Promise<RestreamJob> {
  const { destTableNameWithType: destination, debugPause } = job.config;
  if (job.status !== 'INIT') {
    await engine.resumeConsumption(destination, { ...options, from: 'lastConsumed' });
    return job.commit === null ? job : { ...job, commit: { ...job.commit, pause: 'none' } };
  }
  if (debugPause) await engine.resumeConsumption(destination, { ...options, from: 'lastConsumed' });
  const next = enterStage(
    job,
    'TABLE_STREAM',
    nowMs,
    `${destination} was created and consumes its stream from the earliest offset.`,
  );
  return {
    ...next,
    stream: {
      startedMs: nowMs,
      probedMs: null,
      lagMessages: null,
      lagByPartition: {},
      offsets: {},
      idleMs: 0,
    },
  };
}

async function askForCommit(
  engine: RestreamEngine,
  job: RestreamJob,
  options: CallOptions,
): Promise<RestreamJob> {
  const asked = await engine.forceCommit(job.config.destTableNameWithType, options);
  const { commit } = job;
  if (commit === null) return job;
  return {
    ...job,
    commit: {
      ...commit,
      engineJobId: asked.jobId,
      waitedSinceAskedMs: 0,
      attemptCount: commit.attemptCount + 1,
      segmentNames: [...new Set([...commit.segmentNames, ...asked.segmentNames])].toSorted(),
      pendingSegmentNames: asked.pendingSegmentNames,
    },
  };
}

/**
 * Retries a commit that is stuck: pauses the destination, which commits as well, and resumes it
 * afterwards.
 */
async function retryCommit(
  engine: RestreamEngine,
  job: RestreamJob,
  options: CallOptions,
): Promise<RestreamJob> {
  const { destTableNameWithType: destination } = job.config;
  const { commit } = job;
  if (commit === null) return job;
  if (commit.pause === 'done') {
    await engine.resumeConsumption(destination, { ...options, from: 'lastConsumed' });
    // The next commit is a new request.
    return {
      ...job,
      commit: { ...commit, pause: 'none', engineJobId: null, waitedSinceAskedMs: 0 },
    };
  }
  await engine.pauseConsumption(destination, {
    ...options,
    comment: `Restream job ${job.jobId} commits segments that are stuck.`,
  });
  return {
    ...job,
    commit: {
      ...commit,
      pause: 'done',
      waitedSinceAskedMs: 0,
      attemptCount: commit.attemptCount + 1,
    },
  };
}

function afterRebalance(job: RestreamJob, asked: RebalanceJob): RestreamJob {
  if (job.rebalance === null) return job;
  return {
    ...job,
    rebalance: {
      ...job.rebalance,
      engineJobId: asked.jobId,
      status: asked.status,
      description: asked.description,
    },
  };
}

/**
 * Compares the contents of both tables. A failed comparison does not affect the job, which is still
 * DONE.
 *
 * @throws TABLE_NOT_FOUND when the destination was dropped
 */
async function finish(
  engine: RestreamEngine,
  job: RestreamJob,
  nowMs: number,
  options: CallOptions,
): Promise<RestreamJob> {
  const { tableNameWithType: source, destTableNameWithType: destination } = job.config;
  try {
    const { isOneMoment, ...comparison } = await compare(engine, job, options);
    const { destinationRows, sourceRows } = comparison;
    const rows = `${destination} holds ${destinationRows} rows; ${source} holds ${sourceRows}.`;
    const outcome = isOneMoment
      ? rows
      : `${rows} Both tables continued to consume: the offsets were read after the counts.`;
    return { ...enterStage(job, 'DONE', nowMs, rebalancedOf(job), outcome), comparison };
  } catch (error) {
    if (!isQuireError(error) || error.kind === 'aborted' || error.kind === 'unavailable') {
      throw error;
    }
    // Without the source there is nothing to compare; without the destination the job has failed.
    if (error.code === 'TABLE_NOT_FOUND') await engine.readTable(destination, options);
    return uncompared(job, error, nowMs);
  }
}

/** Returns the job as DONE without a comparison. */
export function uncompared(job: RestreamJob, error: QuireError, nowMs: number): RestreamJob {
  const outcome = `Source and destination could not be compared: ${error.message}`;
  return enterStage(job, 'DONE', nowMs, rebalancedOf(job), outcome);
}

function rebalancedOf({ rebalance }: RestreamJob): string {
  return rebalance?.description ?? 'Segments are on the servers that their tenants require.';
}

/** The maximum number of counts until one is found during which no offset has moved. */
const comparisonsMax = 5;

/**
 * Returns the rows and offsets of both tables, at one moment if the stream pauses for the duration
 * of a count.
 */
async function compare(
  engine: RestreamEngine,
  { config }: RestreamJob,
  options: CallOptions,
): Promise<NonNullable<RestreamJob['comparison']> & { readonly isOneMoment: boolean }> {
  const { tableNameWithType: source, destTableNameWithType: destination } = config;
  const readOffsets = (): Promise<readonly Record<string, number>[]> =>
    Promise.all(
      [source, destination].map(async (name) =>
        offsetsOf(await engine.readConsumption(name, options)),
      ),
    );
  let before = await readOffsets();
  for (let attempt = 1; ; attempt += 1) {
    const [sourceRows, destinationRows] = await Promise.all([
      engine.countRows(source, options),
      engine.countRows(destination, options),
    ]);
    const after = await readOffsets();
    const isOneMoment = JSON.stringify(after) === JSON.stringify(before);
    if (isOneMoment || attempt === comparisonsMax) {
      const [sourceOffsets = {}, destinationOffsets = {}] = after;
      return { sourceRows, destinationRows, sourceOffsets, destinationOffsets, isOneMoment };
    }
    before = after;
  }
}

function offsetsOf({ partitions }: Consumption): Record<string, number> {
  return Object.fromEntries(
    partitions.flatMap(({ partition, currentOffset }) =>
      currentOffset === null ? [] : [[String(partition), currentOffset]],
    ),
  );
}

/**
 * Drops the table and schema that this job has created, but nothing that has replaced them. Returns
 * a sentence about the remaining parts of the destination; null if there are none.
 */
async function drop(
  engine: RestreamEngine,
  { jobId, config, init }: RestreamJob,
  options: CallOptions,
): Promise<string | null> {
  const { destTableNameWithType: destination } = config;
  const table = await unlessMissing(engine.readTable(destination, options));
  if (table !== undefined && !isCreatedBy(table, jobId)) {
    return `The table ${destination} that exists now was not created by this job and is kept.`;
  }
  if (table !== undefined) await unlessMissing(engine.deleteTable(destination, options));
  const { schemaName } = destinationSchemaOf({ schemaName: '' }, config);
  if (!init.makesSchema) {
    return `The schema ${schemaName}, which existed before this job, is kept.`;
  }
  try {
    await engine.deleteSchema(schemaName, options);
  } catch (error) {
    if (isQuireError(error, 'SCHEMA_IN_USE')) {
      return `The schema ${schemaName} is used by another table and is kept.`;
    }
    if (!isQuireError(error, 'SCHEMA_NOT_FOUND')) throw error; // it was never created
  }
  return null;
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return undefined;
    throw error;
  }
}

function tookTooLong({ config, rebalance }: RestreamJob): {
  readonly code: 'REQUEST_TIMED_OUT';
  readonly message: string;
} {
  const state = rebalance?.description ?? 'The engine has not reported its progress.';
  return {
    code: 'REQUEST_TIMED_OUT',
    message: `The rebalance of ${config.destTableNameWithType} exceeded its limit of ${formatDurationMs(config.maxRebalanceTimeMin * 60_000)}. ${state}`,
  };
}

function afterwards(job: RestreamJob, leftover: string | null = null): RestreamJob {
  return job.cleanup === null
    ? job
    : { ...job, cleanup: { ...job.cleanup, isDone: true, leftover }, lastProblem: null };
}
