import { MiB, QuireError } from '@quire/core';
import { runChunkJob } from './consumption/chunk-job.ts';
import { ForceCommits } from './consumption/force-commits.ts';
import { DiskSpace } from './directory/disk-space.ts';
import { Records } from './directory/records.ts';
import { TableDirectory } from './directory/table-directory.ts';
import type { EmbeddedTableEngineOptions } from './embedded-table-engine-options.ts';
import { TableRegistry } from './table-registry.ts';
import { TaskEngine } from './tasks/task-engine.ts';
import { taskTypes } from './tasks/task-types.ts';
import { Scrub } from './upkeep/scrub.ts';
import { Upkeep } from './upkeep/upkeep.ts';
import { join } from 'node:path';
import { isErrno } from '@quire/core/process';
import { tryLockFile } from '@quire/streams';

const dayMs = 86_400_000;
/** The default pace at which the files of tables are verified. */
const scrubDefaults = { periodMs: 7 * dayMs, bytesPerSecondMax: 20 * MiB } as const;

/** The open components of an embedded table engine. */
export interface EngineParts {
  readonly instanceName: string;
  readonly lock: AsyncDisposable;
  readonly registry: TableRegistry;
  readonly tasks: TaskEngine;
  readonly forceCommits: ForceCommits;
  readonly upkeep: Upkeep;
  readonly scrub: Scrub;
  readonly space: DiskSpace;
}

/** @throws INVALID_SETTING when another server has the directory open */
export async function openParts(options: EmbeddedTableEngineOptions): Promise<EngineParts> {
  const {
    dataDirectory,
    clock,
    random,
    host,
    tenants,
    openStream,
    consumerEvents = {},
    onSetAside,
  } = options;
  const directory = new TableDirectory(dataDirectory);
  await directory.make();
  const lock = await lockDirectory(dataDirectory);
  const space = new DiskSpace(dataDirectory);
  const records = new Records({ random, onRevisionUnwritten: options.onRevisionUnwritten });
  const instanceName = `Server_${host}`;
  const shared = { directory, records, clock, random, instanceName, onSetAside };
  const registry = await TableRegistry.open({
    ...shared,
    tenants,
    openStream,
    consumerEvents: {
      ...consumerEvents,
      onRetry: (table, partition, error) => {
        space.note(error);
        consumerEvents.onRetry?.(table, partition, error);
      },
    },
    taskTypes,
    runChunkJob: options.runChunkJob ?? ((job, how) => runChunkJob(job, { clock, ...how })),
  });
  const tasks = await TaskEngine.open({
    ...shared,
    registry,
    ingestion: options,
    onFailed: (error) => {
      space.note(error);
      options.onTaskFailed?.(error);
    },
  });
  const forceCommits = await ForceCommits.open({ ...shared, tables: () => registry.tables });
  const upkeep = new Upkeep({
    directory,
    clock,
    registry,
    space,
    otherRecords: () => [
      directory.taskQueues,
      directory.forceCommits,
      ...tasks.names.map((name) => directory.task(name)),
    ],
    hasDamagedTasks: () => tasks.problems.length > 0,
    graceMs: () => options.graceMs,
    trashRetentionMs: () => options.trashRetentionMs ?? dayMs,
    onFailed: options.onUpkeepFailed,
    onRound: options.onUpkeepRound,
    onGarbage: options.onGarbage,
  });
  const scrub = new Scrub({
    clock,
    tables: () => registry.tables,
    periodMs: () => options.scrubPeriodMs ?? scrubDefaults.periodMs,
    bytesPerSecondMax: () => options.scrubBytesPerSecondMax ?? scrubDefaults.bytesPerSecondMax,
    onDamaged: options.onSegmentDamaged,
    onRestored: options.onSegmentRestored,
    onFailed: options.onUpkeepFailed,
  });
  scrub.start();
  return { instanceName, lock, registry, tasks, forceCommits, upkeep, scrub, space };
}

/**
 * Locks the directory of a table server until the lock is disposed of or the process ends.
 *
 * @throws INVALID_SETTING when another server has locked it, or nothing can be written to it
 */
async function lockDirectory(root: string): Promise<AsyncDisposable> {
  const lock = await tryLock(join(root, '.lock'), root);
  if (lock !== undefined) return lock;
  throw new QuireError(
    'INVALID_SETTING',
    `${root} is open in another table server: each needs a directory of its own.`,
  );
}

async function tryLock(path: string, root: string): Promise<AsyncDisposable | undefined> {
  try {
    return await tryLockFile(path);
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    const message = `${root} cannot be written: a table server needs a directory that its user may write to.`;
    throw new QuireError('INVALID_SETTING', message, { cause: error });
  }
}
