import { systemClock } from '@quire/core';
import { type ChunkJob, runChunkJob } from '@quire/table-server/consumption';
import type { WorkRunner } from '../workers/worker-module.ts';
import { chunkBegins } from './stream-worker-setup.ts';

/** Opens a process that makes rows of messages (../workers). */
export async function openWorker(): Promise<WorkRunner> {
  return {
    run: async (input, { signal, call }) => {
      await call(chunkBegins, undefined);
      return runChunkJob(input as ChunkJob, { clock: systemClock, signal });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
