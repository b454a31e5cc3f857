import type { Clock } from '@quire/core';
import type { RunSubtaskJob, SubtaskOutput } from '@quire/table-server';
import { WorkerPool } from '../workers/worker-pool.ts';
import type { Logger } from 'pino';
import type { LiveSettings } from '../live-settings.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { taskProgress, type TaskWork } from './task-worker-setup.ts';
import { heapFlags } from './worker-heap.ts';

/**
 * The processes that tasks run in. They start when there is a task, and stop when there was none
 * for a while.
 */
export class TaskPool implements AsyncDisposable {
  readonly #live: LiveSettings;
  readonly #pool: WorkerPool;

  constructor(
    live: LiveSettings,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    const { store, backends, taskWorkers } = live.current;
    const { countMax, memoryBytesMax, idleMs, killGraceMs } = taskWorkers;
    const setup: LocationSettings = { store, backends };
    this.#live = live;
    this.#pool = new WorkerPool({
      work: 'task',
      // Beside this file, and in the same form: source or built.
      module: new URL(
        import.meta.url.endsWith('.ts') ? './task-worker.ts' : './task-worker.js',
        import.meta.url,
      ),
      setup,
      sizeMax: countMax,
      sizeMin: 0,
      idleMs,
      killGraceMs,
      memory: { maxBytes: memoryBytesMax, setting: 'engine.tables.task.workers.memory.maxMB' },
      nodeFlags: heapFlags(memoryBytesMax),
      threadPoolSize: 4,
      clock,
      onKilled: ({ pid, reason, detail }) =>
        logger.warn({ pid, reason, detail }, 'a worker ended with its subtask'),
    });
  }

  /**
   * @throws what the subtask throws; QUERY_LIMIT_EXCEEDED over its memory, INTERNAL when its
   * process died; SHUTTING_DOWN, ABORTED
   */
  readonly run: RunSubtaskJob = async (job, { signal, onProgress }) => {
    const { sources, rowBytesMax } = this.#live.current.preview;
    const work: TaskWork = { job, sources, rowBytesMax };
    const handlers = { [taskProgress]: async (sentence: unknown) => onProgress(String(sentence)) };
    return (await this.#pool.run(work, { signal, handlers })) as SubtaskOutput;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
