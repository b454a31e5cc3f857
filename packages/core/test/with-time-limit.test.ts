import { type ObjectBody, type ObjectEntry, type ObjectStore, withTimeLimit } from '@quire/core';
import { collect, ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore } from './stub-store.ts';

const timedOut = { code: 'STORE_TIMED_OUT' };

function setUp(verbs: Partial<ObjectStore>): { store: ObjectStore; clock: ManualClock } {
  const clock = new ManualClock();
  return {
    clock,
    store: withTimeLimit(stubStore(verbs), { clock, callTimeoutMs: 1000, idleTimeoutMs: 100 }),
  };
}

/** Never answers, and records the signal of the call. */
function stuck(
  signals: AbortSignal[],
): (key: string, bodyOrOptions?: unknown, options?: unknown) => Promise<never> {
  return (_, ...rest) => {
    const options = rest.at(-1) as { signal: AbortSignal };
    signals.push(options.signal);
    return new Promise(() => undefined);
  };
}

describe('withTimeLimit', () => {
  test.each<[string, (store: ObjectStore) => Promise<unknown>]>([
    ['head', (store) => store.head('k')],
    ['get', (store) => store.get('k')],
    ['put', (store) => store.put('k', bytes(1))],
    ['delete', (store) => store.delete('k')],
  ])('a %s that the store does not answer is STORE_TIMED_OUT, and aborted', async (op, call) => {
    const signals: AbortSignal[] = [];
    const { store, clock } = setUp({ [op]: stuck(signals) });
    let isOver = false;
    const calling = call(store).finally(() => (isOver = true));
    calling.catch(() => undefined);
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await expect(calling).rejects.toMatchObject({
      ...timedOut,
      message: `${op} k in stub: made no progress for 1000 ms.`,
    });
    expect(signals.map((signal) => signal.reason as unknown)).toMatchObject([timedOut]);
    expect(clock.sleeperCount).toBe(0);
  });

  test('withTimeLimit leaves no timer behind for calls that are answered', async () => {
    const { store, clock } = setUp({
      head: async (key) => entryOf(key),
      get: async () => bodyOf([bytes(1), bytes(2)]),
      put: async (key, body) =>
        entryOf(key, body instanceof Uint8Array ? 1 : (await collect(body)).length),
      async *list() {
        yield entryOf('a');
      },
      delete: async () => undefined,
    });
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes(1);
    }
    await store.head('k');
    await collect((await store.get('k')).body);
    await store.put('k', bytes(1));
    await store.put('k', source());
    await collect(store.list(''));
    await store.delete('k');
    await clock.advance(0);
    expect(clock.sleeperCount).toBe(0);
  });

  test('a body that comes after the caller was answered is disposed', async () => {
    let isReleased = false;
    let answer: (object: ObjectBody) => void = () => undefined;
    const { store, clock } = setUp({ get: () => new Promise((resolve) => (answer = resolve)) });
    const calling = store.get('k');
    calling.catch(() => undefined);
    await clock.advance(1000);
    await expect(calling).rejects.toMatchObject(timedOut);
    answer(bodyOf([bytes(1)], () => (isReleased = true)));
    await clock.advance(0);
    expect(isReleased).toBe(true);
  });

  test('a body is timed from chunk to chunk, and only while the store has the turn', async () => {
    const gate = new Gate();
    const { store, clock } = setUp({
      get: async () => ({
        sizeBytes: 3,
        body: (async function* () {
          yield bytes(1);
          await clock.sleep(99);
          yield bytes(2);
          await gate.opened;
          yield bytes(3);
        })(),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    });
    const object = await store.get('k');
    const body = object.body[Symbol.asyncIterator]();
    expect(await body.next()).toEqual({ done: false, value: bytes(1) });
    await clock.advance(10_000); // the reader's own time
    const second = body.next();
    await clock.advance(99);
    expect(await second).toEqual({ done: false, value: bytes(2) });
    const third = body.next();
    third.catch(() => undefined);
    await clock.advance(99);
    await clock.advance(1);
    await expect(third).rejects.toMatchObject({
      ...timedOut,
      message: 'get k in stub: made no progress for 100 ms.',
    });
    await object[Symbol.asyncDispose]();
    expect(clock.sleeperCount).toBe(0);
  });

  test('a listing is timed from entry to entry', async () => {
    const { store, clock } = setUp({
      async *list(_, options) {
        yield entryOf('a');
        await clock.sleep(99);
        yield entryOf('b');
        await clock.sleep(5000, options?.signal);
      },
    });
    const seen: ObjectEntry[] = [];
    const listing = (async () => {
      for await (const entry of store.list('p')) seen.push(entry);
    })();
    listing.catch(() => undefined);
    await clock.advance(500);
    await expect(listing).rejects.toMatchObject({
      ...timedOut,
      message: 'list p in stub: made no progress for 100 ms.',
    });
    expect(seen).toEqual([entryOf('a'), entryOf('b')]);
    expect(clock.sleeperCount).toBe(0);
  });

  test('a put is timed while the store has the turn, not while its source has it', async () => {
    const { store, clock } = setUp({
      async put(key, body) {
        for await (const _ of body as AsyncIterable<Uint8Array>) await clock.sleep(60);
        await clock.sleep(60);
        return entryOf(key);
      },
    });
    async function* slowSource(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 3; index += 1) {
        await clock.sleep(5000);
        yield bytes(index);
      }
    }
    const putting = store.put('k', slowSource());
    await clock.advance(20_000);
    expect(await putting).toEqual(entryOf('k'));
  });

  test.each([
    ['before the first pull', 0],
    ['between two pulls', 1],
    ['after the end of the source', 2],
  ])('a put is STORE_TIMED_OUT when the store hangs %s', async (_, pullsAnswered) => {
    let signal: AbortSignal | undefined;
    const { store, clock } = setUp({
      async put(_key, body, options) {
        signal = options?.signal;
        const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        for (let count = 0; count < pullsAnswered; count += 1) await iterator.next();
        return new Promise<ObjectEntry>(() => undefined);
      },
    });
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes(1);
    }
    const putting = store.put('k', source());
    putting.catch(() => undefined);
    await clock.advance(99);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    await expect(putting).rejects.toMatchObject(timedOut);
    expect(signal?.reason).toMatchObject(timedOut);
  });

  test('the caller may still abort, and its own reason comes out', async () => {
    const { store } = setUp({
      head: (_, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
        }),
    });
    const controller = new AbortController();
    const calling = store.head('k', { signal: controller.signal });
    const reason = new Error('the client hung up');
    controller.abort(reason);
    await expect(calling).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
  });

  test.each([
    { callTimeoutMs: 0, idleTimeoutMs: 1 },
    { callTimeoutMs: 1, idleTimeoutMs: -1 },
    { callTimeoutMs: Number.NaN, idleTimeoutMs: 1 },
  ])('withTimeLimit refuses %j', (limits) => {
    const options = { clock: new ManualClock(), ...limits };
    expect(() => withTimeLimit(stubStore({}), options)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });
});

class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
