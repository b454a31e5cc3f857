import { MiB } from '@quire/core';
import type { WorkerPoolOptions } from '../../src/workers/worker-pool.ts';

/** Options of a pool that runs `test-work.process.ts`. */
export const testPoolOptions: WorkerPoolOptions = {
  work: 'work',
  module: new URL('./test-work.process.ts', import.meta.url),
  setup: 'test',
  sizeMax: 2,
  sizeMin: 0,
  idleMs: 60_000,
  killGraceMs: 50,
  memory: { maxBytes: 256 * MiB, setting: 'workers.memory.max' },
  nodeFlags: [],
  threadPoolSize: 2,
};
