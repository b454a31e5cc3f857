import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { openTestPool } from './test-pool.ts';

let start = (): unknown => undefined;
let startCount = 0;

vi.mock(import('node:child_process'), async (original) => ({
  ...(await original()),
  fork: (() => {
    startCount += 1;
    return start();
  }) as never,
}));

beforeEach(() => {
  startCount = 0;
});

/** A process that the system refused to start: without streams, it reports the failure later. */
function refusedProcess(message: string): EventEmitter {
  const refused = Object.assign(new EventEmitter(), { connected: false });
  queueMicrotask(() => {
    refused.emit('error', new Error(message));
    refused.emit('close', -24, null);
  });
  return refused;
}

test('a pool of workers starts no more processes ahead than are missing, though each start fails', async () => {
  const failure = new Error('spawn ENOMEM');
  start = () => {
    // Each start counts as one from here on, so that a loop until enough have started ends.
    if (startCount > 10) return refusedProcess('spawned too often');
    throw failure;
  };
  const failures: unknown[] = [];
  const reported = Promise.withResolvers<void>();
  const onStartFailed = (error: unknown): void => {
    if (failures.push(error) === 2) reported.resolve();
  };
  await using pool = openTestPool({ sizeMin: 2, onStartFailed });
  pool.startAhead();
  await reported.promise;
  expect([failures, startCount]).toEqual([[failure, failure], 2]);
  await expect(pool.run({ kind: 'pid' })).rejects.toBe(failure);
  expect(pool.status).toMatchObject({ count: 0, busyCount: 0 });
});

test('a process without streams, for which no file descriptor was free, fails its work alone', async () => {
  start = () => refusedProcess('spawn EMFILE');
  await using pool = openTestPool();
  await expect(pool.run({ kind: 'pid' })).rejects.toMatchObject({
    code: 'INTERNAL',
    message: 'The process of the work ended unexpectedly (spawn EMFILE).',
  });
  expect(pool.status).toMatchObject({ count: 0, busyCount: 0, killed: { crash: 1 } });
});
