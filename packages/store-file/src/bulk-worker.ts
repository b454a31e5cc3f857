import { constants, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type BulkOutcome, type BulkTask, PathChecker, runBulkTask } from './bulk-work.ts';
import { DirectoryCache } from './directory-cache.ts';

/** One job and its number, which its answer repeats. */
export interface BulkRequest {
  readonly number: number;
  readonly task: BulkTask;
}

export type BulkAnswer =
  | { readonly number: number; readonly value: BulkOutcome }
  | { readonly number: number; readonly errno: string; readonly message: string };

// Errors for directories that are not empty are routine, and their stack traces are not read.
Error.stackTraceLimit = 0;

// Readers of pages have priority. On Linux a thread has its own priority; elsewhere it would be
// that of the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const cache = new DirectoryCache();

parentPort?.on('message', (requests: readonly BulkRequest[]) => {
  const checker = new PathChecker();
  parentPort?.postMessage(requests.map(({ number, task }) => answer(number, task, checker)));
});

function answer(number: number, task: BulkTask, checker: PathChecker): BulkAnswer {
  try {
    return { number, value: runBulkTask(task, cache, checker) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { number, errno: 'code' in error ? String(error.code) : 'EIO', message: error.message };
  }
}
