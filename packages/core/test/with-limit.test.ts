import {
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  SingleUseBody,
  withLimit,
} from '@quire/core';
import { collect } from '@quire/core/testing';
import { Slots } from '@quire/core/wait';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore, unavailable } from './stub-store.ts';

/** A store whose `head` calls wait until the test answers them, in order. */
class WaitingStore {
  readonly started: string[] = [];
  readonly #answers: (() => void)[] = [];
  readonly store: ObjectStore = stubStore({
    head: (key) => {
      this.started.push(key);
      return new Promise((resolve) => this.#answers.push(() => resolve(entryOf(key))));
    },
    get: async (key) => {
      this.started.push(key);
      return bodyOf([bytes(1), bytes(2), bytes(3)]);
    },
    async *list() {
      yield entryOf('a');
      yield entryOf('b');
    },
    delete: async (key) => void this.started.push(key),
  });

  async answer(): Promise<void> {
    this.#answers.shift()?.();
    await settled();
  }
}

/**
 * A store whose bodies of two bytes deliver each byte when the test releases it, in the order of
 * the requests.
 */
class WaitingChunks {
  readonly released: string[] = [];
  readonly #deliveries: (() => void)[] = [];
  readonly store: ObjectStore = stubStore({
    get: async (key) =>
      new SingleUseBody({
        key,
        sizeBytes: 2,
        chunks: () => this.#chunks(),
        release: () => void this.released.push(key),
      }),
  });

  get waitingCount(): number {
    return this.#deliveries.length;
  }

  async deliver(): Promise<void> {
    this.#deliveries.shift()?.();
    await settled();
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (const byte of [1, 2]) {
      await new Promise<void>((resolve) => this.#deliveries.push(resolve));
      yield bytes(byte);
    }
  }
}

describe('withLimit', () => {
  test('withLimit has as many calls at work as are allowed; the others wait in order', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 2 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((key) => store.head(key));
    await settled();
    expect(waiting.started).toEqual(['a', 'b']);
    await waiting.answer();
    expect(waiting.started).toEqual(['a', 'b', 'c']);
    for (let index = 0; index < 4; index += 1) await waiting.answer();
    expect((await Promise.all(calls)).map((entry) => entry.key)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('a call that fails gives its slot back', async () => {
    const failing = stubStore({
      head: () => Promise.reject(unavailable()),
      get: () => Promise.reject(unavailable()),
    });
    const store = withLimit(failing, { concurrentMax: 1 });
    for (let index = 0; index < 3; index += 1) {
      await expect(store.head('k')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(store.get('k')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
  });

  test('an aborted waiter leaves the queue and never reaches the store', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const controller = new AbortController();
    const first = store.head('first');
    const aborted = store.head('aborted', { signal: controller.signal });
    const last = store.head('last');
    await settled();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    await waiting.answer();
    await waiting.answer();
    await Promise.all([first, last]);
    expect(waiting.started).toEqual(['first', 'last']);
  });

  test('a body that is open and not read holds no slot', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const objects = await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)));
    const readers = objects.map(({ body }) => body[Symbol.asyncIterator]());
    for (const reader of readers) {
      expect(await reader.next()).toEqual({ done: false, value: bytes(1) });
    }
    await store.delete('other');
    expect(waiting.started).toEqual(['a', 'b', 'c', 'other']);
    for (const object of objects) await object[Symbol.asyncDispose]();
  });

  test('each chunk of a body waits for its turn, in order; what follows the last byte does not', async () => {
    const waiting = new WaitingChunks();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const objects = await Promise.all(
      ['a', 'b'].map((key) => store.get(key, { range: { start: 0, end: 2 } })),
    );
    const [first, second] = objects.map(({ body }) => body[Symbol.asyncIterator]());
    const seen: string[] = [];
    for (let index = 0; index < 2; index += 1) {
      void first?.next().then(() => seen.push(`a ${index}`));
      void second?.next().then(() => seen.push(`b ${index}`));
      await settled();
      expect(waiting.waitingCount).toBe(1);
      await waiting.deliver();
      expect(seen.at(-1)).toBe(`a ${index}`);
      await waiting.deliver();
      expect(seen.at(-1)).toBe(`b ${index}`);
    }
    const another = (await store.get('c')).body[Symbol.asyncIterator]();
    const taken = another.next();
    await settled();
    expect(await first?.next()).toEqual({ done: true, value: undefined });
    await waiting.deliver();
    await taken;
  });

  test('withLimit lets the body be read whose connection other calls wait for', async () => {
    const connection = new Slots(1);
    const inner = stubStore({
      get: async () => {
        const release = await connection.acquire();
        return bodyOf([bytes(1), bytes(2)], release);
      },
    });
    const store = withLimit(inner, { concurrentMax: 1 });
    const read = async (key: string): Promise<Uint8Array[]> => collect((await store.get(key)).body);
    expect(await Promise.all(['a', 'b', 'c'].map(read))).toEqual(
      Array.from({ length: 3 }, () => [bytes(1), bytes(2)]),
    );
  });

  test('a reader that is aborted while its chunk waits for a slot leaves the queue and gives its body back', async () => {
    const waiting = new WaitingChunks();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const controller = new AbortController();
    const holder = (await store.get('holder')).body[Symbol.asyncIterator]();
    const held = holder.next();
    const object = await store.get('body', { signal: controller.signal });
    const reading = collect(object.body);
    await settled();
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(waiting.released).toEqual(['body']);
    await waiting.deliver();
    await held;
    const again = (await store.get('again')).body[Symbol.asyncIterator]().next();
    await settled();
    await waiting.deliver();
    expect(await again).toEqual({ done: false, value: bytes(1) });
  });

  const endings: Record<string, (object: ObjectBody) => Promise<unknown>> = {
    'has ended': (object) => collect(object.body),
    'was left': async (object) => {
      for await (const _ of object.body) break;
    },
    'was disposed without being read': async (object) => object[Symbol.asyncDispose](),
    'was disposed in mid-body': async (object) => {
      await object.body[Symbol.asyncIterator]().next();
      await object[Symbol.asyncDispose]();
    },
  };

  test.each(Object.entries(endings))(
    'withLimit gives a body back to its store once it %s',
    async (_, end) => {
      let releaseCount = 0;
      const inner = stubStore({
        get: async () => bodyOf([bytes(1), bytes(2)], () => void (releaseCount += 1)),
      });
      const object = await withLimit(inner, { concurrentMax: 1 }).get('body');
      await end(object);
      await object[Symbol.asyncDispose]();
      expect(releaseCount).toBe(1);
    },
  );

  test('the reader of a listing may call the store, even with one slot', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    for await (const { key } of store.list('')) await store.delete(key);
    expect(waiting.started).toEqual(['a', 'b']);
  });

  test('a listing waits for its turn at each entry', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const head = store.head('first');
    const seen: ObjectEntry[] = [];
    const listing = (async () => {
      for await (const entry of store.list('')) seen.push(entry);
    })();
    await settled();
    expect(seen).toEqual([]);
    await waiting.answer();
    await Promise.all([head, listing]);
    expect(seen).toEqual([entryOf('a'), entryOf('b')]);
  });

  test.each([0, -1, 1.5, Number.NaN])('withLimit refuses concurrentMax %d', (concurrentMax) => {
    expect(() => withLimit(stubStore({}), { concurrentMax })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });
});

/** Lets pending callbacks run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
