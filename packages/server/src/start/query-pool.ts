import type { BrokerMetrics } from '@quire/broker';
import { isLeftoverKeeper, isQuireError, type ObjectStore, type StoreCall } from '@quire/core';
import type { OpenTable } from '@quire/engine-duckdb';
import { resultPrefix, type WriteOrder } from '@quire/results';
import { type FileIdentity, VerificationHost } from '@quire/table-server/queries';
import { WorkerPool } from '../workers/worker-pool.ts';
import type { Logger } from 'pino';
import type { LiveSettings } from '../live-settings.ts';
import {
  askForTables,
  type QueryWorkerSettings,
  type QueryWorkerSetup,
  addVerifiedName,
  findVerifiedName,
  storeCallName,
  storeRetryName,
  type StoreRetry,
} from './query-worker-setup.ts';

export interface QueryPoolDependencies {
  readonly metrics: BrokerMetrics;
  readonly logger: Logger;
}

/**
 * Opens the processes that queries run in. The first one opens the tables: what it finds out is
 * handed to the others.
 *
 * @throws INVALID_SETTING when a table cannot be read, or a limit or the store cannot be used
 */
export async function openQueryPool(
  { current: settings }: LiveSettings,
  dependencies: QueryPoolDependencies,
): Promise<{ readonly pool: WorkerPool; readonly tables: readonly OpenTable[] }> {
  const { metrics, logger } = dependencies;
  const {
    store,
    backends,
    storageClasses,
    tables,
    tableServer,
    duckdb,
    query,
    statement,
    engine,
    pinot,
    tls,
    workers,
  } = settings;
  const places = { store, backends, storageClasses };
  const shared: QueryWorkerSettings = {
    ...places,
    engine,
    pinot,
    tls,
    tables,
    tableServer,
    duckdb,
    query,
    statement,
  };
  const setup: QueryWorkerSetup = { settings: shared, tables: undefined };
  // Processes come and go: what one has read and found whole, none reads again.
  const verified = new VerificationHost();
  const pool = new WorkerPool({
    work: 'query',
    // Beside this file, and in the same form: source or built.
    module: new URL(
      import.meta.url.endsWith('.ts') ? './query-worker.ts' : './query-worker.js',
      import.meta.url,
    ),
    setup,
    sizeMax: query.concurrencyMax,
    sizeMin: Math.min(workers.idleCountMin, query.concurrencyMax),
    idleMs: workers.idleMs,
    killGraceMs: workers.killGraceMs,
    memory: { maxBytes: workers.memoryBytesMax, setting: 'engine.broker.workers.memory.maxMB' },
    nodeFlags: ['--max-semi-space-size=2'],
    threadPoolSize: 8,
    handlers: {
      [findVerifiedName]: (files) => verified.find(files as readonly FileIdentity[]),
      [addVerifiedName]: (files) => verified.add(files as readonly FileIdentity[]),
      [storeCallName]: async (call) => metrics.observeStoreCall(call as StoreCall),
      [storeRetryName]: async (retry) =>
        logger.warn(retry as StoreRetry, 'store call failed, will be tried again'),
    },
    onKilled: ({ pid, reason, detail }) => {
      metrics.observeKilledWorker(reason);
      logger.warn(
        { pid, reason, detail },
        'a worker ended with its query; another one replaces it',
      );
    },
    onStartFailed: (error) => logger.error({ err: error }, 'a worker could not be started'),
  });
  let opened: readonly OpenTable[];
  try {
    opened = (await pool.run(askForTables)) as readonly OpenTable[];
    pool.replaceSetup({ ...setup, tables: opened });
    // It has looked at all files, and is the larger for it. Until another one is ready, it answers.
    pool.replaceAll();
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
  metrics.watchWorkers(() => pool.status);
  return { pool, tables: opened };
}

/**
 * Removes what a worker that died has left beside the objects of the store: its file on the way, or
 * its unfinished upload.
 */
export async function removeLeftovers(
  backend: ObjectStore,
  {
    order,
    pid,
    logger,
  }: { readonly order: WriteOrder; readonly pid: number; readonly logger: Logger },
): Promise<void> {
  try {
    if (isLeftoverKeeper(backend)) {
      const prefix = resultPrefix(order.brokerId, order.requestId);
      await backend.leftovers.removeOfDeadWriter({ pid, prefix });
    }
  } catch (error) {
    if (!isQuireError(error)) throw error;
    logger.warn(
      { err: error, requestId: order.requestId },
      'the leftovers of a killed worker could not be removed; the cleaner will remove them',
    );
  }
}
