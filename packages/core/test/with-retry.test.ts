import {
  type ObjectEntry,
  QuireError,
  retry,
  type RetryEvent,
  type RetryOptions,
  withRetry,
} from '@quire/core';
import { collect, ManualClock, SeededRandom } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, failing, stubStore, unavailable } from './stub-store.ts';

const notFound = new QuireError('OBJECT_NOT_FOUND', 'There is no such object.');
const timedOut = new QuireError('STORE_TIMED_OUT', 'Too slow.');
const full = new QuireError('STORE_FULL', 'No room.');

interface Setup {
  readonly options: RetryOptions;
  readonly events: RetryEvent[];
  readonly clock: ManualClock;
  /** Returns the outcome of the call, given unlimited time. */
  readonly run: <T>(call: Promise<T>) => Promise<T>;
}

function setUp(overrides: Partial<RetryOptions> = {}): Setup {
  const clock = new ManualClock();
  const events: RetryEvent[] = [];
  const random = { bytes: (count: number) => new Uint8Array(count), fraction: () => 0.5 };
  const onRetry = (event: RetryEvent): void => void events.push(event);
  const options = {
    clock,
    random,
    attemptsMax: 4,
    delayMs: 100,
    delayMaxMs: 250,
    onRetry,
    ...overrides,
  };
  return {
    options,
    events,
    clock,
    run: async (call) => {
      call.catch(() => undefined);
      await clock.advance(60_000);
      return call;
    },
  };
}

describe('withRetry', () => {
  test('withRetry tries again what is unavailable or too slow, with growing waits, and says so', async () => {
    const { options, events, run } = setUp();
    const store = withRetry(
      stubStore({ head: failing([unavailable(), timedOut, unavailable()], entryOf('k')) }),
      options,
    );
    expect(await run(store.head('k'))).toEqual(entryOf('k'));
    expect(events).toEqual([
      { call: 'head k', attempt: 1, delayMs: 75, error: unavailable() },
      { call: 'head k', attempt: 2, delayMs: 150, error: timedOut },
      { call: 'head k', attempt: 3, delayMs: 187.5, error: unavailable() },
    ]);
  });

  test('withRetry gives up after the last attempt, with its error', async () => {
    const { options, events, run } = setUp({ attemptsMax: 2 });
    const last = unavailable();
    const store = withRetry(stubStore({ delete: failing([timedOut, last]) }), options);
    await expect(run(store.delete('k'))).rejects.toBe(last);
    expect(events).toHaveLength(1);
  });

  test('withRetry waits for a random part of the upper half', async () => {
    const { options, events, run } = setUp({
      random: new SeededRandom(3),
      attemptsMax: 50,
      delayMs: 100,
      delayMaxMs: 100,
    });
    const failures = Array.from({ length: 49 }, unavailable);
    await run(withRetry(stubStore({ head: failing(failures, entryOf('k')) }), options).head('k'));
    const delays = events.map((event) => event.delayMs);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...delays)).toBeLessThan(100);
    expect(new Set(delays).size).toBe(49);
  });

  test.each([notFound, full, new TypeError('a defect')])(
    'withRetry does not try again after $message',
    async (error) => {
      const { options, events, run } = setUp();
      const fail = failing([error]);
      await expect(run(withRetry(stubStore({ get: fail }), options).get('k'))).rejects.toBe(error);
      expect(events).toEqual([]);
    },
  );

  test('withRetry does not try again for a caller who has aborted, and an abort ends the wait', async () => {
    const { options, events, clock } = setUp();
    const controller = new AbortController();
    const reason = timedOut;
    const store = withRetry(stubStore({ head: failing([unavailable()], entryOf('k')) }), options);
    const call = store.head('k', { signal: controller.signal });
    await clock.untilSleeping();
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(clock.sleeperCount).toBe(0);
    expect(events).toHaveLength(1);

    const late = withRetry(stubStore({ head: failing([reason]) }), options);
    await expect(late.head('k', { signal: controller.signal })).rejects.toBe(reason);
    expect(events).toHaveLength(1);
  });

  test('bytes are put again; each attempt gets all of them', async () => {
    const { options, run } = setUp();
    const given: unknown[] = [];
    const answers = failing([unavailable()], entryOf('k'));
    const store = withRetry(
      stubStore({ put: (_, body) => (given.push(body), answers()) }),
      options,
    );
    await run(store.put('k', bytes(1, 2)));
    expect(given).toEqual([bytes(1, 2), bytes(1, 2)]);
  });

  test('a source is put again as long as nobody has begun it, even when the store has closed it', async () => {
    const { options, events, run } = setUp();
    let attempt = 0;
    const store = withRetry(
      stubStore({
        async put(key, body) {
          const source = body as AsyncIterable<Uint8Array>;
          attempt += 1;
          if (attempt === 1) throw unavailable();
          if (attempt === 2) {
            await source[Symbol.asyncIterator]().return?.();
            throw unavailable();
          }
          return entryOf(key, (await collect(source)).length);
        },
      }),
      options,
    );
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes(1);
      yield bytes(2);
    }
    expect(await run(store.put('k', source()))).toEqual(entryOf('k', 2));
    expect(events.map((event) => event.attempt)).toEqual([1, 2]);
  });

  test('a source that was begun is not put again', async () => {
    const { options, events, run } = setUp();
    const error = unavailable();
    const store = withRetry(
      stubStore({
        async put(_, body) {
          for await (const _chunk of body as AsyncIterable<Uint8Array>) throw error;
          return entryOf('k');
        },
      }),
      options,
    );
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield bytes(1);
      } finally {
        isClosed = true;
      }
    }
    await expect(run(store.put('k', source()))).rejects.toBe(error);
    expect(events).toEqual([]);
    expect(isClosed).toBe(true);
  });

  test('a body that fails on the way is not read again: it might be of another object by then', async () => {
    const { options, events, run } = setUp();
    const error = unavailable();
    const object = bodyOf([]);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes(1);
      throw error;
    }
    const opened = {
      sizeBytes: 2,
      body: broken(),
      [Symbol.asyncDispose]: async () => object[Symbol.asyncDispose](),
    };
    const store = withRetry(stubStore({ get: failing([unavailable()], opened) }), options);
    const { body } = await run(store.get('k'));
    await expect(collect(body)).rejects.toBe(error);
    expect(events.map((event) => event.call)).toEqual(['get k']);
  });

  test('a listing goes on after its last entry, and each entry makes the attempts start again', async () => {
    const { options, events, run } = setUp({ attemptsMax: 2 });
    const all = ['a', 'b', 'c', 'd'].map((key) => entryOf(key));
    const afters: unknown[] = [];
    const store = withRetry(
      stubStore({
        async *list(_, listOptions) {
          const after = listOptions?.after ?? '';
          afters.push(after);
          const next = all.filter(({ key }) => key > after).slice(0, 1);
          yield* next;
          if (next.length > 0) throw unavailable();
        },
      }),
      options,
    );
    expect(await run(collect(store.list('', { after: 'a' })))).toEqual(all.slice(1));
    expect(afters).toEqual(['a', 'b', 'c', 'd']);
    expect(events.map((event) => event.attempt)).toEqual([1, 1, 1]);
  });

  test('a listing that gets nowhere gives up', async () => {
    const { options, run } = setUp({ attemptsMax: 3 });
    let attempts = 0;
    const store = withRetry(
      stubStore({
        async *list() {
          attempts += 1;
          yield* [];
          throw unavailable();
        },
      }),
      options,
    );
    await expect(run(collect(store.list('p')))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(attempts).toBe(3);
  });

  test('a reader who leaves a listing closes the one inside', async () => {
    const { options } = setUp();
    let isClosed = false;
    async function* endless(): AsyncGenerator<ObjectEntry> {
      try {
        for (;;) yield entryOf('a');
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of withRetry(stubStore({ list: endless }), options).list('')) break;
    expect(isClosed).toBe(true);
  });

  test.each([
    { attemptsMax: 0 },
    { attemptsMax: 1.5 },
    { delayMs: -1 },
    { delayMs: Number.NaN },
    { delayMs: 300 },
  ])('withRetry refuses %j', (overrides) => {
    const { options } = setUp(overrides);
    expect(() => withRetry(stubStore({}), options)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });
});

test('retry repeats any operation', async () => {
  const { options, run } = setUp();
  expect(await run(retry(options, 'read k', failing([unavailable()], 'answer')))).toBe('answer');
});
