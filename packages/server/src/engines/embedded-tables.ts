import { QuireError } from '@quire/core';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';
import type { LiveSettings } from '../live-settings.ts';
import { PreviewSources } from '../stores/preview-sources.ts';
import { chunkJobsIn, workerKind as streamKind } from '../tables/stream-kind.ts';
import { subtasksIn, workerKind as taskKind } from '../tables/task-kind.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import type { OpenTables, TablesContext } from './engine-kind.ts';

/**
 * Opens the tables in the directory of the settings, with the worker processes for their tasks and
 * messages.
 *
 * @throws INVALID_SETTING when the settings have no directory
 */
export async function openEmbeddedTables(
  live: LiveSettings,
  { environment, logger }: TablesContext,
): Promise<OpenTables> {
  const { tableServer, server } = live.current;
  const { dataDir: directory } = tableServer;
  if (directory === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      'engine.tables.data.dir must be set: the role server needs a directory for its tables.',
    );
  }
  const { clock, random } = environment;
  const sources = new PreviewSources(live.current, environment);
  const tasks = WorkerPool.open(taskKind, live.current, { clock, logger });
  const messages = WorkerPool.open(streamKind, live.current, { clock, logger });
  const closeAll = async (): Promise<void> => {
    for (const each of [messages, tasks, sources]) await each[Symbol.asyncDispose]();
  };
  const opening = EmbeddedTableEngine.open({
    runChunkJob: chunkJobsIn(messages, live),
    runSubtask: subtasksIn(tasks, live),
    subtasksMax: live.current.taskWorkers.countMax,
    dataDirectory: directory,
    clock,
    random,
    tenants: tableServer.tenants,
    host: server.brokerHostName,
    openStream: (config) => openStream(config, { ...live.current.streams, clock }),
    consumerEvents: {
      onBadMessages: (table, partition, bad) => {
        for (const { offset, problem } of bad) {
          logger.warn(
            { table, partition, offset, problem },
            'message could not be converted to a row',
          );
        }
      },
      onRetry: (table, partition, error) =>
        logger.warn({ table, partition, err: error }, 'stream cannot be consumed, will be retried'),
    },
    onTaskFailed: (error) =>
      logger.error({ err: error }, 'task could not be created, run or recorded'),
    onSetAside: (subject, error) =>
      logger.error({ subject, err: error }, 'set aside: a record is damaged'),
    onGarbage: ({ path, action, reason }) =>
      logger.info({ audit: true, path, reason }, `file of a table ${action}`),
    onRevisionUnwritten: (path, error) =>
      logger.warn(
        { path, err: error },
        'revision of a record could not be recorded: an older copy of it would not be recognized',
      ),
    get trashRetentionMs() {
      return live.current.tableServer.trashRetentionMs;
    },
    onUpkeepFailed: (error) =>
      logger.error(
        { err: error },
        'retention or garbage collection of files failed, will be retried',
      ),
    onDiskProblem: (problem) => {
      if (problem === undefined) logger.info('the disk of the tables takes writes again');
      else logger.error(problem);
    },
    onSegmentDamaged: ({ path, ...damage }) =>
      logger.error(
        { ...damage, file: path },
        'segment is damaged: queries of its table are refused',
      ),
    onSegmentRestored: ({ tableName, segmentName }) =>
      logger.info({ tableName, segmentName }, 'segment is valid again'),
    scrubPeriodMs: tableServer.scrubPeriodMs,
    scrubBytesPerSecondMax: tableServer.scrubRateBytesMax,
    // Twice the timeout of a query, because its files must exist until it has ended.
    get graceMs() {
      return 2 * live.current.query.timeoutMs;
    },
    uploadDirectory: live.current.store.tempDir,
    get finder() {
      return sources.finderOf(live.current.preview.sources);
    },
    get rowBytesMax() {
      return live.current.preview.rowBytesMax;
    },
  });
  const engine = await opening.catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  return {
    engine,
    directory,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await closeAll();
    },
  };
}
