export { createQueryWorker, type QueryWorkerParts } from './query/query-worker.ts';
export { QueryWorkers, type QueryWorkersOptions } from './query/query-workers.ts';
export type {
  CallHandlers,
  MemoryLimit,
  WorkerEnd,
  WorkerEndReason,
  WorkerProcessOptions,
} from './worker-process.ts';
export type { OpenWorker, WorkContext, WorkerHost, WorkRunner } from './worker-module.ts';
export {
  type RunOptions,
  WorkerPool,
  type WorkerPoolOptions,
  type WorkerPoolStatus,
} from './worker-pool.ts';
