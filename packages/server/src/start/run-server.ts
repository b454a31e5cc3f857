import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';
import { PreviewSources } from './preview-sources.ts';
import { StreamPool } from './stream-pool.ts';
import { TaskPool } from './task-pool.ts';
import { openSamples, type RunningSamples } from '../samples/open-samples.ts';
import type { RoleHooks } from './started-role.ts';

/**
 * A table server that is open, as its operator and the other parts of the process want to know it.
 */
export interface RunningServer {
  readonly dataDirectory: string;
  readonly engine: TableEngine;
  /** What there is to try out. */
  readonly samples: RunningSamples | undefined;
}

export interface ServerRun extends RoleHooks<RunningServer> {
  readonly environment: Environment;
  readonly logger: Logger;
}

/**
 * Opens the tables of a directory as the settings say, and looks after them until it is told to
 * stop.
 *
 * @throws INVALID_SETTING when the settings name no directory
 */
export async function runServer(
  live: LiveSettings,
  { environment, logger, onListening, untilStop }: ServerRun,
): Promise<void> {
  const { tableServer, server, engine: kept } = live.current;
  if (kept.kind === 'pinot') {
    throw new QuireError(
      'INVALID_SETTING',
      'engine.kind = pinot: the cluster keeps the tables, and the role server has nothing to do.',
    );
  }
  if (tableServer.dataDir === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      'engine.tables.data.dir must be set: the role server needs a directory for its tables.',
    );
  }
  await using sources = new PreviewSources(live.current, environment);
  await using tasks = new TaskPool(live, { clock: environment.clock, logger });
  await using messages = new StreamPool(live, { clock: environment.clock, logger });
  await using engine = await EmbeddedTableEngine.open({
    runChunkJob: messages.run,
    runSubtask: tasks.run,
    subtasksMax: live.current.taskWorkers.countMax,
    dataDirectory: tableServer.dataDir,
    clock: environment.clock,
    random: environment.random,
    tenants: tableServer.tenants,
    host: server.brokerHostName,
    openStream: (config) =>
      openStream(config, { ...live.current.streams, clock: environment.clock }),
    consumerEvents: {
      onBadMessages: (table, partition, bad) => {
        for (const { offset, problem } of bad) {
          logger.warn({ table, partition, offset, problem }, 'message is bad');
        }
      },
      onRetry: (table, partition, error) =>
        logger.warn({ table, partition, err: error }, 'stream cannot be consumed for now'),
    },
    onTaskFailed: (error) => logger.error({ err: error }, 'task could not be created or recorded'),
    onSetAside: (subject, error) =>
      logger.error({ subject, err: error }, 'set aside: a record is damaged'),
    onGarbage: ({ path, action, reason }) =>
      logger.info({ audit: true, path, reason }, `file of a table ${action}`),
    onRevisionUnwritten: (path, error) =>
      logger.warn(
        { path, err: error },
        'revision of a record could not be noted: an older copy of it would not be recognized',
      ),
    get trashRetentionMs() {
      return live.current.tableServer.trashRetentionMs;
    },
    onUpkeepFailed: (error) =>
      logger.error({ err: error }, 'retention or collection of files failed, will be tried again'),
    onSegmentDamaged: ({ path, ...damage }) =>
      logger.error(
        { ...damage, file: path },
        'segment is damaged: queries of its table are refused',
      ),
    onSegmentRestored: ({ tableName, segmentName }) =>
      logger.info({ tableName, segmentName }, 'segment is whole again'),
    scrubPeriodMs: tableServer.scrubPeriodMs,
    scrubBytesPerSecondMax: tableServer.scrubRateBytesMax,
    // Twice as long as a query may run: its files stay until it is done with them.
    get graceMs() {
      return 2 * live.current.query.timeoutMs;
    },
    get finder() {
      return sources.finderOf(live.current.preview.sources);
    },
    get rowBytesMax() {
      return live.current.preview.rowBytesMax;
    },
  });
  const tables = await engine.listTables();
  logger.info(
    { directory: tableServer.dataDir, tables: tables.map((table) => table.tableNameWithType) },
    'table server is open',
  );
  const { samplesDir } = tableServer;
  await using samples =
    samplesDir === undefined
      ? undefined
      : await openSamples(samplesDir, {
          engine,
          streams: live.current.streams.fileDirectory,
          clock: environment.clock,
          logger,
        });
  await onListening({ dataDirectory: tableServer.dataDir, engine, samples: samples?.running });
  await untilStop;
  logger.info('table server stops: what is being written is finished');
}
