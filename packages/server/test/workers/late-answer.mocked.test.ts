import { EventEmitter } from 'node:events';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test, vi } from 'vitest';
import { openTestPool } from './test-pool.ts';

/** A process that behaves as the test says. It opens at once. */
class FakeProcess extends EventEmitter {
  readonly pid = processes.length + 1;
  readonly stdio = [];
  readonly connected = true;
  readonly inputs: unknown[] = [];
  killCount = 0;

  send(message: { readonly kind: string; readonly input?: unknown }): void {
    if (message.kind === 'run') this.inputs.push(message.input);
    if (message.kind === 'open') {
      this.#tell({ kind: 'opened', outcome: { isGood: true, value: undefined }, directories: [] });
    }
    if (message.kind === 'stop') this.exit();
  }

  kill(): void {
    this.killCount += 1;
  }

  /** Messages of a killed process that it had sent before the kill arrive afterwards. */
  answer(value: unknown): void {
    this.emit('message', { kind: 'done', outcome: { isGood: true, value }, residentBytes: 0 });
  }

  exit(): void {
    queueMicrotask(() => this.emit('close', null, 'SIGKILL'));
  }

  #tell(message: unknown): void {
    queueMicrotask(() => this.emit('message', message));
  }
}

const processes: FakeProcess[] = [];

vi.mock(import('node:child_process'), async (original) => ({
  ...(await original()),
  fork: (() => {
    const process = new FakeProcess();
    processes.push(process);
    return process;
  }) as never,
}));

const slowWork = { kind: 'echo', value: 'slow' } as const;
const innocentWork = { kind: 'echo', value: 'innocent' } as const;

test('a worker whose kill was sent takes no further work, though its answer came before its end', async () => {
  const clock = new ManualClock();
  const pool = openTestPool({ clock, sizeMax: 1, killGraceMs: 350 });
  const call = new AbortController();
  const slow = pool.run(slowWork, { signal: call.signal });
  await clock.advance(0);
  const [first] = processes as [FakeProcess];
  expect(first.inputs).toEqual([slowWork]);
  call.abort(new QuireError('QUERY_TIMED_OUT', 'It took too long.'));
  await clock.advance(350);
  expect(first.killCount).toBe(1);

  first.answer('just in time');
  let isSettled = false;
  void slow.finally(() => (isSettled = true));
  const innocent = pool.run(innocentWork);
  await clock.advance(0);
  // Its place is taken until the process has exited.
  expect([isSettled, pool.status.busyCount, processes.length, first.inputs]).toEqual([
    false,
    1,
    1,
    [slowWork],
  ]);

  first.exit();
  expect(await slow).toBe('just in time');
  await clock.advance(0);
  const [, second] = processes as [FakeProcess, FakeProcess];
  expect([first.inputs, second.inputs]).toEqual([[slowWork], [innocentWork]]);
  second.answer('done');
  expect(await innocent).toBe('done');
  expect(pool.status.killed).toEqual({ time: 1, memory: 0, crash: 0 });
  await pool[Symbol.asyncDispose]();
});
