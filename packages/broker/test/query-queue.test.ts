import { describe, expect, it } from 'vitest';
import { QueryQueue } from '../src/query-queue.ts';

const never = new AbortController().signal;

/** A task that ends when it is told to. */
function task(): {
  readonly run: () => Promise<string>;
  readonly end: (result: string) => void;
  readonly started: () => boolean;
} {
  let isStarted = false;
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    run: () => {
      isStarted = true;
      return promise;
    },
    end: resolve,
    started: () => isStarted,
  };
}

describe('QueryQueue', () => {
  it('runs as many at once as it may, and the others in the order in which they came', async () => {
    const queue = new QueryQueue({ runningMax: 2, queuedMax: 2 });
    const tasks = [task(), task(), task(), task()];
    const results = tasks.map(({ run }) => queue.run(run, never));
    expect(tasks.map(({ started }) => started())).toEqual([true, true, false, false]);
    expect([queue.runningCount, queue.queuedCount]).toEqual([2, 2]);
    tasks[1]?.end('b');
    expect(await results[1]).toBe('b');
    expect(tasks.map(({ started }) => started())).toEqual([true, true, true, false]);
    expect([queue.runningCount, queue.queuedCount]).toEqual([2, 1]);
    for (const [index, { end }] of tasks.entries()) end(String(index));
    expect(await Promise.all(results)).toEqual(['0', 'b', '2', '3']);
    expect([queue.runningCount, queue.queuedCount]).toEqual([0, 0]);
  });

  it('refuses at once what it cannot let wait', async () => {
    const queue = new QueryQueue({ runningMax: 1, queuedMax: 0 });
    const first = task();
    const running = queue.run(first.run, never);
    await expect(queue.run(task().run, never)).rejects.toMatchObject({ code: 'TOO_MANY_QUERIES' });
    first.end('done');
    expect(await running).toBe('done');
    expect(await queue.run(() => Promise.resolve('next'), never)).toBe('next');
  });

  it('gives the place on when a task fails', async () => {
    const queue = new QueryQueue({ runningMax: 1, queuedMax: 1 });
    const failing = queue.run(() => Promise.reject(new Error('failed')), never);
    const next = queue.run(() => Promise.resolve('next'), never);
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(queue.runningCount).toBe(0);
  });

  it('forgets who gives up waiting', async () => {
    const queue = new QueryQueue({ runningMax: 1, queuedMax: 2 });
    const [first, second, third] = [task(), task(), task()];
    const abort = new AbortController();
    const running = queue.run(first.run, never);
    const waiting = queue.run(second.run, abort.signal);
    const next = queue.run(third.run, never);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    expect(queue.queuedCount).toBe(1);
    first.end('first');
    third.end('third');
    expect(await Promise.all([running, next])).toEqual(['first', 'third']);
    expect(second.started()).toBe(false);
  });

  it('does not begin what is aborted already', async () => {
    const queue = new QueryQueue({ runningMax: 1, queuedMax: 1 });
    const { run, started } = task();
    await expect(queue.run(run, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    expect([started(), queue.runningCount]).toEqual([false, 0]);
  });
});
