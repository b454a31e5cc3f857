import { type Clock, QuireError } from '@quire/core';
import { Deadline } from '@quire/core/wait';
import type { ChunkLost, ChunkOutput, RunChunkJob } from '@quire/table-server';
import type { WorkerEnd } from '../workers/worker-process.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import type { Logger } from 'pino';
import type { LiveSettings } from '../live-settings.ts';
import { chunkBegins } from './stream-worker-setup.ts';
import { heapFlags } from './worker-heap.ts';

/**
 * The processes that make rows of messages. They start with the first messages, and stop when there
 * were none for a while.
 */
export class StreamPool implements AsyncDisposable {
  readonly #live: LiveSettings;
  readonly #clock: Clock;
  readonly #pool: WorkerPool;

  constructor(
    live: LiveSettings,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    const { countMax, memoryBytesMax, idleMs } = live.current.streamWorkers;
    this.#live = live;
    this.#clock = clock;
    this.#pool = new WorkerPool({
      work: 'batch of messages',
      // Beside this file, and in the same form: source or built.
      module: new URL(
        import.meta.url.endsWith('.ts') ? './stream-worker.ts' : './stream-worker.js',
        import.meta.url,
      ),
      setup: undefined,
      sizeMax: countMax,
      sizeMin: 0,
      idleMs,
      killGraceMs,
      memory: { maxBytes: memoryBytesMax, setting: 'engine.tables.stream.workers.memory.maxMB' },
      // Rows are dropped as soon as they are written. With the usual room for new objects a process
      // of the default size takes more than half of its memory within one batch, and the pool would
      // start another for the next one.
      nodeFlags: [...heapFlags(memoryBytesMax), '--max-semi-space-size=4'],
      threadPoolSize: 2,
      clock,
      onKilled: ({ pid, reason, detail }) =>
        logger.warn({ pid, reason, detail }, 'a worker ended with its messages'),
    });
  }

  /** @throws what the work throws; SHUTTING_DOWN, ABORTED */
  readonly run: RunChunkJob = async (job, { signal }) => {
    const { timeMaxMs } = this.#live.current.streamWorkers;
    // One that does not even begin is stuck: that is not the fault of its messages.
    using deadline = new Deadline({
      clock: this.#clock,
      signal,
      timeoutMs: 3 * timeMaxMs,
      error: tooLong,
    });
    let hasBegun = false;
    const begin = async (): Promise<void> => {
      hasBegun = true;
      // Putting files together takes as long as they are large; nothing of it is of a stranger's
      // making.
      deadline.start(job.kind === 'fill' ? timeMaxMs : mergeTimeMaxMs);
    };
    const handlers = { [chunkBegins]: begin };
    let end: WorkerEnd | undefined;
    try {
      const options = {
        signal: deadline.signal,
        handlers,
        onGone: (gone: WorkerEnd) => (end = gone),
      };
      return (await this.#pool.run(job, options)) as ChunkOutput;
    } catch (error) {
      if (deadline.isOver && hasBegun) return { lost: tooLong(timeMaxMs).message };
      if (signal?.aborted !== true && end !== undefined && end.reason !== 'stopped') {
        return lostBy(error);
      }
      throw error;
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}

/** Work that is told to end looks whether it is, or never will. */
const killGraceMs = 500;
const mergeTimeMaxMs = 3_600_000;

function tooLong(timeoutMs: number): QuireError {
  const message = `The batch of messages took longer than ${timeoutMs} ms (engine.tables.stream.workers.timeout) and was ended.`;
  return new QuireError('QUERY_TIMED_OUT', message);
}

function lostBy(error: unknown): ChunkLost {
  return { lost: error instanceof Error ? error.message : String(error) };
}
