/**
 * A process whose workers are all stuck, each in another way; it prints their process ids, and
 * waits to be killed.
 */
import { openTestPool } from './test-pool.ts';

const pool = openTestPool({ sizeMax: 3 });
const stuck: unknown[] = [];
const handlers = {
  blocking: async (pid: unknown) => {
    if (stuck.push(pid) === 3) process.stdout.write(`${JSON.stringify(stuck)}\n`);
  },
};
const kinds = ['block', 'block the thread pool', 'block the thread pool'] as const;
await Promise.all(kinds.map((kind) => pool.run({ kind }, { handlers })));
