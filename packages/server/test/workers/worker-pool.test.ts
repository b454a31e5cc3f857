import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/workers/worker-pool.ts';
import { openTestPool, type TestPool, type TestPoolOptions } from './test-pool.ts';
import type { TestWork } from './test-work.process.ts';

const pools: TestPool[] = [];

function openPool(options: TestPoolOptions = {}): TestPool {
  const pool = openTestPool(options);
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool[Symbol.asyncDispose]()));
});

function run(pool: TestPool, work: TestWork, options: RunOptions = {}): Promise<unknown> {
  return pool.run(work, options);
}

/** Reports whether a process exists that has not ended. */
function isAlive(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

describe('a pool of workers', () => {
  it('a pool of workers runs work in another process, and the next work in the same one', async () => {
    const pool = openPool();
    const first = await run(pool, { kind: 'pid' });
    expect(first).not.toBe(process.pid);
    expect(await run(pool, { kind: 'pid' })).toBe(first);
    expect(pool.status).toEqual({
      count: 1,
      busyCount: 0,
      killed: { time: 0, memory: 0, crash: 0 },
    });
  });

  it('a pool of workers gives the work of an idle process that has just ended to another one', async () => {
    const ends: unknown[] = [];
    const pool = openPool({ onKilled: ({ pid }) => void ends.push(pid) });
    const first = await run(pool, { kind: 'pid' });
    // The end of the process is not known yet when the work is given to it.
    process.kill(Number(first), 'SIGKILL');
    const gone: unknown[] = [];
    const second = await run(pool, { kind: 'pid' }, { onGone: ({ pid }) => void gone.push(pid) });
    expect(second).not.toBe(first);
    expect({ ends, gone }).toEqual({ ends: [first], gone: [] });
  });

  it('a pool of workers passes bytes, 64-bit integers and dates both ways', async () => {
    const value = {
      bytes: new Uint8Array([1, 2, 255]),
      integer: 2n ** 62n,
      date: new Date(0),
      nothing: undefined,
    };
    expect(await run(openPool(), { kind: 'echo', value })).toEqual(value);
  });

  it('a pool of workers releases the answers of a process from memory while it runs', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const pool = openPool({ sizeMax: 1 });
    const answerOf = async (): Promise<WeakRef<object>> =>
      new WeakRef((await run(pool, { kind: 'echo', value: {} })) as object);
    const answers = [await answerOf(), await answerOf()];
    // The parser of messages may refer to the last one.
    await run(pool, { kind: 'pid' });
    const retainedCount = (): number => {
      collectGarbage();
      return answers.filter((answer) => answer.deref() !== undefined).length;
    };
    await expect.poll(retainedCount).toBe(0);
    expect(pool.status.count).toBe(1);
  });

  it('a pool of workers sets variables of its processes, except those that this process has', async () => {
    const { PATH } = process.env;
    const pool = openPool({ variables: { QUIRE_TEST_VARIABLE: 'set', PATH: 'other' } });
    expect(await run(pool, { kind: 'variable', name: 'QUIRE_TEST_VARIABLE' })).toBe('set');
    expect(await run(pool, { kind: 'variable', name: 'PATH' })).toBe(PATH);
  });

  it('a pool of workers throws the errors of work as themselves, and what is unexpected as INTERNAL', async () => {
    const pool = openPool();
    await expect(run(pool, { kind: 'fail' })).rejects.toMatchObject({
      code: 'QUERY_SYNTAX',
      message: 'This is not SQL.',
    });
    await expect(run(pool, { kind: 'fail unexpectedly' })).rejects.toMatchObject({
      code: 'INTERNAL',
      cause: { message: 'Nobody thought of this.' },
    });
  });

  it('a pool of workers throws what keeps a worker from opening, at each work', async () => {
    const pool = openPool({ setup: 'cannot open' });
    for (const _ of [1, 2]) {
      await expect(run(pool, { kind: 'pid' })).rejects.toMatchObject({
        code: 'INVALID_SETTING',
        message: 'The setup is not right.',
      });
    }
    expect(pool.status).toMatchObject({ count: 0, busyCount: 0 });
  });

  it('a pool of workers lets work call back, and throws there what the handler throws', async () => {
    const pool = openPool();
    const handlers = {
      double: async (value: unknown) => Number(value) * 2,
      refuse: async () => {
        throw new QuireError('QUERY_LIMIT_EXCEEDED', 'There is no room.');
      },
    };
    expect(await run(pool, { kind: 'ask', name: 'double', value: 21 }, { handlers })).toBe(42);
    await expect(
      run(pool, { kind: 'ask', name: 'refuse', value: 1 }, { handlers }),
    ).rejects.toMatchObject({
      code: 'QUERY_LIMIT_EXCEEDED',
    });
    await expect(
      run(pool, { kind: 'ask', name: 'nothing', value: 1 }, { handlers }),
    ).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('a pool of workers fails a call whose answer cannot be transferred, and runs the next work', async () => {
    const pool = openPool();
    const handlers = { makeFunction: async () => ({ run: () => 1 }) };
    await expect(
      run(pool, { kind: 'ask', name: 'makeFunction', value: 1 }, { handlers }),
    ).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(/could not be cloned/),
    });
    expect(await run(pool, { kind: 'echo', value: 1 })).toBe(1);
  });

  it('a pool of workers cancels work when its signal is aborted, and keeps the process if it stops in time', async () => {
    const pool = openPool({ killGraceMs: 60_000 });
    const call = new AbortController();
    const waiting = Promise.withResolvers<unknown>();
    const running = run(
      pool,
      { kind: 'wait until cancelled' },
      { signal: call.signal, handlers: { waiting: async (pid) => waiting.resolve(pid) } },
    );
    const pid = await waiting.promise;
    expect(pool.status.busyCount).toBe(1);
    call.abort(new QuireError('QUERY_TIMED_OUT', 'It took too long.'));
    await expect(running).rejects.toMatchObject({
      code: 'QUERY_TIMED_OUT',
      message: 'It took too long.',
    });
    expect(await run(pool, { kind: 'pid' })).toBe(pid);
  });

  it.each(['block', 'block the thread pool'] as const)(
    'a pool of workers kills work that does not stop (%s), and only then calls it ended',
    async (kind) => {
      const pool = openPool();
      const call = new AbortController();
      const blocking = Promise.withResolvers<unknown>();
      const handlers = { blocking: async (pid: unknown) => blocking.resolve(pid) };
      const running = run(pool, { kind }, { signal: call.signal, handlers });
      const pid = await blocking.promise;
      call.abort(new QuireError('QUERY_TIMED_OUT', 'It took too long.'));
      await expect(running).rejects.toMatchObject({
        code: 'QUERY_TIMED_OUT',
        message: 'It took too long.',
      });
      expect(isAlive(pid)).toBe(false);
      expect(pool.status).toEqual({
        count: 0,
        busyCount: 0,
        killed: { time: 1, memory: 0, crash: 0 },
      });
      expect(await run(pool, { kind: 'echo', value: 'and on' })).toBe('and on');
    },
  );

  it('a pool of workers ends work that takes more memory than it may, and names the limit and its setting', async () => {
    const killed: unknown[] = [];
    const pool = openPool({ onKilled: ({ reason }) => killed.push(reason) });
    await expect(run(pool, { kind: 'take memory' })).rejects.toMatchObject({
      code: 'QUERY_LIMIT_EXCEEDED',
      message:
        'The work exceeded its memory limit of 256 MB (workers.memory.max) and was terminated.',
    });
    expect(killed).toEqual(['memory']);
    expect(await run(pool, { kind: 'echo', value: 'and on' })).toBe('and on');
  });

  it('a pool of workers ends work that exhausts the heap of JavaScript, and names the same limit', async () => {
    const pool = openPool({ nodeFlags: ['--max-old-space-size=32'] });
    await expect(run(pool, { kind: 'fill the heap' })).rejects.toMatchObject({
      code: 'QUERY_LIMIT_EXCEEDED',
      message:
        'The work exceeded its memory limit of 256 MB (workers.memory.max) and was terminated.',
    });
    expect(pool.status.killed).toEqual({ time: 0, memory: 1, crash: 0 });
  });

  it('a pool of workers costs nobody else anything when a process crashes or is killed from outside', async () => {
    const pool = openPool();
    const other = new AbortController();
    const waiting = Promise.withResolvers<unknown>();
    const neighbour = run(
      pool,
      { kind: 'wait until cancelled' },
      { signal: other.signal, handlers: { waiting: async (pid) => waiting.resolve(pid) } },
    );
    await waiting.promise;
    await expect(run(pool, { kind: 'crash' })).rejects.toMatchObject({ code: 'INTERNAL' });
    const blocking = Promise.withResolvers<unknown>();
    const killed = run(
      pool,
      { kind: 'block' },
      { handlers: { blocking: async (pid) => blocking.resolve(pid) } },
    );
    process.kill(Number(await blocking.promise), 'SIGKILL');
    await expect(killed).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(pool.status.killed).toEqual({ time: 0, memory: 0, crash: 2 });
    other.abort();
    await expect(neighbour).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('a pool of workers removes the directories of a worker that died before it ends its work', async () => {
    const pool = openPool();
    const directory = String(await run(pool, { kind: 'directory' }));
    expect(existsSync(directory)).toBe(true);
    await expect(run(pool, { kind: 'crash' })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(existsSync(directory)).toBe(false);
  });

  it('a pool of workers lets work wait for its turn when all processes are busy', async () => {
    const pool = openPool({ sizeMax: 1, killGraceMs: 60_000 });
    const waiting = Promise.withResolvers<unknown>();
    const call = new AbortController();
    const handlers = { waiting: async (pid: unknown) => waiting.resolve(pid) };
    const first = run(pool, { kind: 'wait until cancelled' }, { signal: call.signal, handlers });
    const second = run(pool, { kind: 'pid' });
    const givenUp = new AbortController();
    const third = run(pool, { kind: 'pid' }, { signal: givenUp.signal });
    givenUp.abort();
    await expect(third).rejects.toMatchObject({ code: 'ABORTED' });
    const pid = await waiting.promise;
    call.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await second).toBe(pid);
  });

  it('a pool of workers keeps so many processes ready as it is to, and replaces those that die', async () => {
    const pool = openPool({ sizeMin: 1 });
    pool.startAhead();
    expect(pool.status.count).toBe(1);
    await expect(run(pool, { kind: 'crash' })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(pool.status.count).toBeGreaterThanOrEqual(1);
  });

  it('a pool of workers has others take the place of all; until they are ready, the former work', async () => {
    const pool = openPool({ sizeMin: 1 });
    const former = await run(pool, { kind: 'pid' });
    pool.replaceAbove(0);
    expect(await run(pool, { kind: 'pid' })).toBe(former);
    await expect.poll(() => pool.status.count).toBe(1);
    const latter = await run(pool, { kind: 'pid' });
    expect(latter).not.toBe(former);
    expect(await run(pool, { kind: 'pid' })).toBe(latter);
    expect(pool.status.killed).toEqual({ time: 0, memory: 0, crash: 0 });
  });

  it('a pool of workers keeps the processes that use little memory, and starts those that are missing', async () => {
    const pool = openPool({ sizeMin: 2 });
    const former = await run(pool, { kind: 'pid' });
    pool.replaceAbove(2 ** 40);
    expect(pool.status.count).toBe(2);
    expect(await run(pool, { kind: 'pid' })).toBe(former);
    expect(pool.status.count).toBe(2);
  });

  it('a pool of workers lets a process that is replaced do its work first', async () => {
    const pool = openPool({ sizeMin: 1 });
    const former = await run(pool, { kind: 'pid' });
    const call = new AbortController();
    const started = Promise.withResolvers<void>();
    const handlers = { waiting: async () => started.resolve() };
    const working = run(
      pool,
      { kind: 'wait until cancelled' },
      { signal: call.signal, handlers },
    ).catch(() => 'cancelled');
    await started.promise;
    pool.replaceAbove(0);
    const latter = await run(pool, { kind: 'pid' });
    expect(latter).not.toBe(former);
    expect(pool.status).toMatchObject({ count: 2, busyCount: 1 });
    call.abort();
    expect(await working).toBe('cancelled');
    await expect.poll(() => pool.status.count).toBe(1);
    expect(await run(pool, { kind: 'pid' })).toBe(latter);
  });

  it('a pool of workers gives work the process that is starting already', async () => {
    const pool = openPool({ sizeMin: 1 });
    pool.startAhead();
    const first = run(pool, { kind: 'pid' });
    expect(pool.status.count).toBe(1);
    const pid = await first;
    expect(pool.status.count).toBe(1);
    expect(await run(pool, { kind: 'pid' })).toBe(pid);
  });

  it('a pool of workers keeps the process that started for work which was given up meanwhile', async () => {
    const pool = openPool();
    const call = new AbortController();
    const givenUp = run(pool, { kind: 'pid' }, { signal: call.signal });
    await expect.poll(() => pool.status.count).toBe(1);
    call.abort();
    await expect(givenUp).rejects.toMatchObject({ code: 'ABORTED' });
    await run(pool, { kind: 'pid' });
    expect(pool.status.count).toBe(1);
  });

  it('a pool of workers stops processes that were not used for a while, down to the number that is kept ready', async () => {
    const pool = openPool({ sizeMin: 1, idleMs: 1 });
    const pids = await Promise.all([run(pool, { kind: 'pid' }), run(pool, { kind: 'pid' })]);
    await expect.poll(() => pids.filter(isAlive).length).toBe(1);
    expect(pool.status.count).toBe(1);
  });

  it('a pool of workers waits by one timer for each process, however often it works, and stops it when its last work was so long ago', async () => {
    const clock = new ManualClock();
    const pool = openPool({ idleMs: 1000, clock });
    for (let turn = 0; turn < 5; turn += 1) await run(pool, { kind: 'pid' });
    expect(clock.sleeperCount).toBe(1);
    await clock.advance(600);
    await run(pool, { kind: 'pid' });
    await clock.advance(999);
    expect(pool.status.count).toBe(1);
    await clock.advance(1);
    expect(pool.status.count).toBe(0);
  });

  it('a pool of workers ends all processes when it is closed, also those whose work does not stop', async () => {
    const pool = openPool();
    const blocking = Promise.withResolvers<unknown>();
    const running = run(
      pool,
      { kind: 'block' },
      { handlers: { blocking: async (pid) => blocking.resolve(pid) } },
    );
    const idle = await run(pool, { kind: 'pid' });
    const busy = await blocking.promise;
    const failure = running.catch((error: unknown) => error);
    await pool[Symbol.asyncDispose]();
    expect(await failure).toMatchObject({ code: 'SHUTTING_DOWN' });
    expect([idle, busy].filter(isAlive)).toEqual([]);
    await expect(run(pool, { kind: 'pid' })).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('a pool of workers ends with all of its processes, also those that are replaced after their work', async () => {
    const pool = openPool({ killGraceMs: 60_000 });
    const pid = await run(pool, { kind: 'pid' });
    const waiting = Promise.withResolvers<unknown>();
    const handlers = { waiting: async () => waiting.resolve(undefined) };
    const running = run(pool, { kind: 'wait until cancelled' }, { handlers });
    const failure = running.catch((error: unknown) => error);
    await waiting.promise;
    pool.replaceAbove(0);
    await pool[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
    expect(await failure).toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
