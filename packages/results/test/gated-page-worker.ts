/**
 * The page thread with a gate: it waits before a part whose text begins with shared memory while
 * the first word of that is 0. The value 2 ends the thread, and 3 damages its input.
 */
import { parentPort } from 'node:worker_threads';
import type { ToThread } from '../src/threads/part-work.ts';

parentPort?.on('message', ({ work }: ToThread) => {
  const gate = work.options.around?.before.buffer;
  if (!(gate instanceof SharedArrayBuffer)) return;
  const word = new Int32Array(gate, 0, 1);
  Atomics.wait(word, 0, 0);
  if (Atomics.load(word, 0) === 2) process.exit(3);
  if (Atomics.load(word, 0) === 3) new Uint8Array(work.input).fill(0);
});
await import('../src/threads/page-worker.ts');
