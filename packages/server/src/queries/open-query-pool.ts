import type { BrokerMetrics } from '@quire/broker';
import { type Clock, hasLeftovers, type ObjectStore, type StoreCall } from '@quire/core';
import { resultPrefix, type WriteOrder } from '@quire/results';
import type { Logger } from 'pino';
import { engineKindOf } from '../engines/engine-kinds.ts';
import type { LiveSettings } from '../live-settings.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { type QuerySetup, type QueryWork, storeCalls, type StoreRetry } from './query-work.ts';
import { workerKind } from './query-kind.ts';

/** The resident memory above which the first process is replaced: a new one has some 130 MB. */
const firstBytesMax = 150_000_000;

/** The query processes, and the first one's findings about the tables. */
export interface OpenQueryPool {
  readonly pool: WorkerPool<QuerySetup, QueryWork, unknown>;
  readonly findings: unknown;
}

/**
 * Opens the query processes. The first one examines the tables, for all of them.
 *
 * @throws INVALID_SETTING when a table cannot be read, or a limit or the store cannot be used
 */
export async function openQueryPool(
  { current: settings }: LiveSettings,
  {
    clock,
    metrics,
    logger,
  }: { readonly clock: Clock; readonly metrics: BrokerMetrics; readonly logger: Logger },
): Promise<OpenQueryPool> {
  const pool = WorkerPool.open(workerKind, settings, {
    clock,
    handlers: {
      ...(await engineKindOf(settings).openHandlers?.()),
      [storeCalls.call]: async (call) => metrics.observeStoreCall(call as StoreCall),
      [storeCalls.retry]: async (retry) =>
        logger.warn(retry as StoreRetry, 'store call failed, will be retried'),
    },
    logger,
    onKilled: ({ reason }) => metrics.observeKilledWorker(reason),
  });
  let findings: unknown;
  try {
    findings = await pool.run({ kind: 'findings' });
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
  pool.replaceSetup({ ...workerKind.setup(settings), isFirst: false, findings });
  // The first process has read all files. If it uses more memory for them, it serves queries until
  // another one is ready.
  pool.replaceAbove(firstBytesMax);
  metrics.watchWorkers(() => pool.status);
  return { pool, findings };
}

/**
 * Removes the leftovers of a dead worker in the store: its staged file, or its unfinished upload.
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
    if (hasLeftovers(backend)) {
      const prefix = resultPrefix(order.brokerId, order.requestId);
      await backend.leftovers.removeOfDeadWriter({ pid, prefix });
    }
  } catch (error) {
    logger.warn(
      { err: error, requestId: order.requestId },
      'the leftovers of a killed worker could not be removed; the cleaner will remove them',
    );
  }
}
