import { systemClock, systemRandom } from '@quire/core';
import { runSubtask } from '@quire/table-server/tasks';
import type { WorkRunner } from '../workers/worker-module.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { PreviewSources } from './preview-sources.ts';
import { taskProgress, type TaskWork } from './task-worker-setup.ts';

/** Opens a process that runs subtasks (../workers); files are opened in it. */
export async function openWorker(setup: unknown): Promise<WorkRunner> {
  const [clock, random] = [systemClock, systemRandom];
  const places = new PreviewSources(setup as LocationSettings, { clock, random });
  return {
    run: async (input, { signal, call }) => {
      const { job, sources, rowBytesMax } = input as TaskWork;
      const onProgress = (sentence: string): void => {
        call(taskProgress, sentence).catch(() => undefined); // nobody waits for the task any more
      };
      return runSubtask(job, {
        clock,
        random,
        finder: places.finderOf(sources),
        rowBytesMax,
        signal,
        onProgress,
      });
    },
    [Symbol.asyncDispose]: () => places[Symbol.asyncDispose](),
  };
}
