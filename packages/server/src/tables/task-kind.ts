import { systemClock, systemRandom } from '@quire/core';
import { moduleBeside } from '@quire/core/process';
import type { Settings } from '@quire/settings';
import type { RunSubtaskJob, SubtaskJob, SubtaskOutput } from '@quire/table-server';
import type { LiveSettings } from '../live-settings.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { PreviewSources } from '../stores/preview-sources.ts';
import { heapFlags, type WorkerKind } from '../workers/worker-kind.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

/** A subtask, with the live settings at its start. */
interface TaskWork {
  readonly job: SubtaskJob;
  readonly sources: Settings['preview']['sources'];
  readonly rowBytesMax: number;
}

/** The call with a sentence about the progress of a subtask. */
const progressCall = 'task progress';

/** Runs subtasks of table tasks. Files are opened in the process of the subtask. */
export const workerKind: WorkerKind<LocationSettings, TaskWork, SubtaskOutput> = {
  name: 'task',
  module: moduleBeside(import.meta.url, 'task-kind').href,
  setup: ({ store, backends }) => ({ store, backends }),
  limits: ({ taskWorkers: { countMax, memoryBytesMax, idleMs, killGraceMs } }) => ({
    sizeMax: countMax,
    sizeMin: 0,
    idleMs,
    killGraceMs,
    memory: { maxBytes: memoryBytesMax, setting: 'engine.tables.task.workers.memory.maxMB' },
    nodeFlags: heapFlags(memoryBytesMax),
    threadPoolSize: 4,
  }),
  open: async (setup) => {
    const { runSubtask } = await import('@quire/table-server/tasks');
    const [clock, random] = [systemClock, systemRandom];
    const files = new PreviewSources(setup, { clock, random });
    return {
      run: ({ job, sources, rowBytesMax }, { signal, call }) => {
        const finder = files.finderOf(sources);
        const onProgress = (sentence: string): void => {
          call(progressCall, sentence).catch(() => undefined); // the task was cancelled
        };
        return runSubtask(job, { clock, random, finder, rowBytesMax, signal, onProgress });
      },
      [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
    };
  },
};

/** Returns a function that runs subtasks in the processes of a pool. */
export function subtasksIn(
  pool: WorkerPool<LocationSettings, TaskWork, SubtaskOutput>,
  live: LiveSettings,
): RunSubtaskJob {
  return (job, { signal, onProgress }) => {
    const { sources, rowBytesMax } = live.current.preview;
    const handlers = { [progressCall]: async (sentence: unknown) => onProgress(String(sentence)) };
    return pool.run({ job, sources, rowBytesMax }, { signal, handlers });
  };
}
