export type { CallHandlers, MemoryLimit, WorkerEnd, WorkerEndReason } from './worker-process.ts';
export type { OpenWorker, WorkContext, WorkRunner } from './worker-module.ts';
export { WorkerPool, type WorkerPoolOptions, type WorkerPoolStatus } from './worker-pool.ts';
