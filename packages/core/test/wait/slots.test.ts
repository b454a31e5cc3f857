import { QuireError } from '@quire/core';
import { KeyedQueue, Slots } from '@quire/core/wait';
import { describe, expect, it } from 'vitest';

const never = new AbortController().signal;

/** A task that ends on request. */
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

function bounded(count: number, waitingMax: number): Slots {
  const error = ({ takenCount, waitingCount }: Slots): QuireError =>
    new QuireError('TOO_MANY_QUERIES', `${takenCount} run and ${waitingCount} wait.`);
  return new Slots(count, { waitingMax, error });
}

describe('Slots', () => {
  it('Slots runs as many at once as it may, and the others in the order in which they came', async () => {
    const slots = bounded(2, 2);
    const tasks = [task(), task(), task(), task()];
    const results = tasks.map(({ run }) => slots.run(run, never));
    expect(tasks.map(({ started }) => started())).toEqual([true, true, false, false]);
    expect([slots.takenCount, slots.waitingCount]).toEqual([2, 2]);
    tasks[1]?.end('b');
    expect(await results[1]).toBe('b');
    expect(tasks.map(({ started }) => started())).toEqual([true, true, true, false]);
    expect([slots.takenCount, slots.waitingCount]).toEqual([2, 1]);
    for (const [index, { end }] of tasks.entries()) end(String(index));
    expect(await Promise.all(results)).toEqual(['0', 'b', '2', '3']);
    expect([slots.takenCount, slots.waitingCount]).toEqual([0, 0]);
  });

  it('Slots refuses at once what it cannot let wait', async () => {
    const slots = bounded(1, 0);
    const first = task();
    const running = slots.run(first.run, never);
    await expect(slots.run(task().run, never)).rejects.toMatchObject({
      code: 'TOO_MANY_QUERIES',
      message: '1 run and 0 wait.',
    });
    first.end('done');
    expect(await running).toBe('done');
    expect(await slots.run(() => Promise.resolve('next'), never)).toBe('next');
  });

  it('Slots gives the place on when a task fails', async () => {
    const slots = bounded(1, 1);
    const failing = slots.run(() => Promise.reject(new Error('failed')), never);
    const next = slots.run(() => Promise.resolve('next'), never);
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(slots.takenCount).toBe(0);
  });

  it('Slots forgets who gives up waiting', async () => {
    const slots = bounded(1, 2);
    const [first, second, third] = [task(), task(), task()];
    const abort = new AbortController();
    const running = slots.run(first.run, never);
    const waiting = slots.run(second.run, abort.signal);
    const next = slots.run(third.run, never);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    expect(slots.waitingCount).toBe(1);
    first.end('first');
    third.end('third');
    expect(await Promise.all([running, next])).toEqual(['first', 'third']);
    expect(second.started()).toBe(false);
  });

  it('Slots does not begin what is aborted already', async () => {
    const slots = bounded(1, 1);
    const { run, started } = task();
    await expect(slots.run(run, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    expect([started(), slots.takenCount]).toEqual([false, 0]);
  });

  it('Slots lets any number wait without a limit', async () => {
    const slots = new Slots(1);
    const release = await slots.acquire();
    const waiting = Array.from({ length: 100 }, (_, index) =>
      slots.run(() => Promise.resolve(index)),
    );
    expect(slots.waitingCount).toBe(100);
    release();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('Slots takes a slot back once only', async () => {
    const slots = new Slots(2);
    const release = await slots.acquire();
    await slots.acquire();
    release();
    release();
    expect(slots.takenCount).toBe(1);
  });
});

describe('KeyedQueue', () => {
  it('KeyedQueue runs tasks of one key one after the other, and of different keys side by side', async () => {
    const queue = new KeyedQueue<string>();
    const [first, second, other] = [task(), task(), task()];
    const results = [
      queue.run('a', first.run),
      queue.run('a', second.run),
      queue.run('b', other.run),
    ];
    expect([first, second, other].map(({ started }) => started())).toEqual([true, false, true]);
    first.end('first');
    expect(await results[0]).toBe('first');
    expect(second.started()).toBe(true);
    second.end('second');
    other.end('other');
    expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
  });

  it('KeyedQueue goes on after a failure, which is for its own caller', async () => {
    const queue = new KeyedQueue<string>();
    const failing = queue.run('a', () => Promise.reject(new Error('failed')));
    const next = queue.run('a', () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
