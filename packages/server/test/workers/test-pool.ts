import { MiB } from '@quire/core';
import type { WorkerLimits } from '../../src/workers/worker-kind.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../src/workers/worker-pool.ts';
import { type TestWork, workerKind } from './test-work.process.ts';

/** A pool of processes that run `test-work.process.ts`. */
export type TestPool = WorkerPool<string, TestWork, unknown>;

export const testLimits: WorkerLimits = {
  sizeMax: 2,
  sizeMin: 0,
  idleMs: 60_000,
  killGraceMs: 50,
  memory: { maxBytes: 256 * MiB, setting: 'workers.memory.max' },
  nodeFlags: [],
  threadPoolSize: 2,
};

/** The options of a pool and its limits in a test. */
export type TestPoolOptions = Partial<WorkerPoolOptions<string> & WorkerLimits>;

export function openTestPool({
  setup = 'test',
  handlers,
  clock,
  onKilled,
  onStartFailed,
  ...limits
}: TestPoolOptions = {}): TestPool {
  return new WorkerPool(workerKind, {
    setup,
    limits: { ...testLimits, ...limits },
    handlers,
    ...(clock && { clock }),
    ...(onKilled && { onKilled }),
    ...(onStartFailed && { onStartFailed }),
  });
}
