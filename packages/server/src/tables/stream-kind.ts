import { isQuireError, systemClock } from '@quire/core';
import { moduleBeside } from '@quire/core/process';
import type { ChunkLost, ChunkOutput, RunChunkJob } from '@quire/table-server';
import type { ChunkJob } from '@quire/table-server/consumption';
import type { LiveSettings } from '../live-settings.ts';
import { heapFlags, type WorkerKind } from '../workers/worker-kind.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { WorkerEnd } from '../workers/worker-process.ts';

/** The grace period of cancelled work, which either ends soon or is stuck. */
const killGraceMs = 500;
/** The timeout for merging files, which depends on their size and not on a message. */
const mergeTimeMaxMs = 3_600_000;

/** Converts batches of messages to rows, and merges files of such rows into segments. */
export const workerKind: WorkerKind<undefined, ChunkJob, ChunkOutput | ChunkLost> = {
  name: 'batch of messages',
  module: moduleBeside(import.meta.url, 'stream-kind').href,
  setup: () => undefined,
  limits: ({ streamWorkers: { countMax, memoryBytesMax, idleMs } }) => ({
    sizeMax: countMax,
    sizeMin: 0,
    idleMs,
    killGraceMs,
    memory: { maxBytes: memoryBytesMax, setting: 'engine.tables.stream.workers.memory.maxMB' },
    // Rows are dropped as soon as they are written. With the default size of the young generation a
    // process uses more than half of its memory within one batch, and the pool would replace it.
    nodeFlags: [...heapFlags(memoryBytesMax), '--max-semi-space-size=4'],
    threadPoolSize: 2,
  }),
  open: async () => {
    const { runChunkJob } = await import('@quire/table-server/consumption');
    return {
      run: (job, { signal }) => runChunkJob(job, { clock: systemClock, signal }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};

/**
 * Returns a function that converts messages to rows in the processes of a pool. A batch whose
 * process dies fails without a retry, because a retry would kill another process.
 */
export function chunkJobsIn(
  pool: WorkerPool<undefined, ChunkJob, ChunkOutput | ChunkLost>,
  live: LiveSettings,
): RunChunkJob {
  return async (job, { signal }) => {
    const { timeMaxMs } = live.current.streamWorkers;
    const timeLimit = {
      maxMs: job.kind === 'fill' ? timeMaxMs : mergeTimeMaxMs,
      setting: 'engine.tables.stream.workers.timeout',
      // A batch that did not start in time is retried, because it cannot be the cause.
      startMaxMs: 3 * timeMaxMs,
    };
    let end: WorkerEnd | undefined;
    try {
      return await pool.run(job, { signal, timeLimit, onGone: (gone) => (end = gone) });
    } catch (error) {
      const hasKilled = end !== undefined && end.reason !== 'stopped' && signal?.aborted !== true;
      if (!hasKilled && !isQuireError(error, 'QUERY_LIMIT_EXCEEDED')) throw error;
      return { lost: error instanceof Error ? error.message : String(error) };
    }
  };
}
