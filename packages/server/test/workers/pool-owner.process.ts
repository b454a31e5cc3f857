/**
 * A process whose workers are all stuck, each in another way; it tells their process ids, and waits
 * to be killed.
 */
import { WorkerPool } from '../../src/workers/worker-pool.ts';
import { testPoolOptions } from './test-pool.ts';

const pool = new WorkerPool({ ...testPoolOptions, sizeMax: 3 });
const stuck: unknown[] = [];
const handlers = {
  blocking: async (pid: unknown) => {
    if (stuck.push(pid) === 3) process.stdout.write(`${JSON.stringify(stuck)}\n`);
  },
};
const kinds = ['block', 'block the thread pool', 'block the thread pool'];
await Promise.all(kinds.map((kind) => pool.run({ kind }, { handlers })));
