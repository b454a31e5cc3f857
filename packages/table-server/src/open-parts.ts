import { MiB, QuireError } from '@quire/core';
import { runChunkJob } from './consumption/chunk-job.ts';
import { ForceCommits } from './consumption/force-commits.ts';
import { assertDirectory } from './directory/disk-problem.ts';
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
/** The default rate at which the files of tables are verified. */
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

/** @throws INVALID_SETTING when another server has the directory open, or it cannot be written */
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
  const lock = await makeAndLock(directory);
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
    onDiskProblem: options.onDiskProblem,
    onRound: options.onUpkeepRound,
    onGarbage: options.onGarbage,
  });
  const scrub = new Scrub({
    clock,
    tables: () => registry.tables,
    assertDirectory: () => assertDirectory(dataDirectory),
    periodMs: () => options.scrubPeriodMs ?? scrubDefaults.periodMs,
    bytesPerSecondMax: () => options.scrubBytesPerSecondMax ?? scrubDefaults.bytesPerSecondMax,
    onDamaged: options.onSegmentDamaged,
    onRestored: options.onSegmentRestored,
    onFailed: options.onUpkeepFailed,
  });
  scrub.start();
  return { instanceName, lock, registry, tasks, forceCommits, upkeep, scrub, space };
}

/** Errors of a directory that an operator must fix before a table server can open it. */
const unusableErrnos = [
  'EACCES',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTDIR',
  'EPERM',
  'EROFS',
] as const;

/**
 * Creates the directory of a table server if it does not exist, and locks it until the lock is
 * disposed of or the process ends.
 *
 * @throws INVALID_SETTING when it cannot be created or written, or another server has locked it
 */
async function makeAndLock(directory: TableDirectory): Promise<AsyncDisposable> {
  const { root } = directory;
  let lock: AsyncDisposable | undefined;
  try {
    await directory.make();
    lock = await tryLockFile(join(root, '.lock'));
  } catch (error) {
    if (!isErrno(error, ...unusableErrnos)) throw error;
    throw new QuireError(
      'INVALID_SETTING',
      `engine.tables.data.dir = ${root}: ${(error as Error).message}; a table server needs a directory that its user may write to.`,
      { cause: error },
    );
  }
  if (lock !== undefined) return lock;
  throw new QuireError(
    'INVALID_SETTING',
    `engine.tables.data.dir = ${root} is open in another table server: each needs a directory of its own.`,
  );
}
