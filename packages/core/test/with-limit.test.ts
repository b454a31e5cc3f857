import { type ObjectBody, type ObjectEntry, type ObjectStore, withLimit } from '@quire/core';
import { collect } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore, unavailable } from './stub-store.ts';

/** A store whose heads wait until the test answers them, in order. */
class WaitingStore {
  readonly begun: string[] = [];
  readonly #answers: (() => void)[] = [];
  readonly store: ObjectStore = stubStore({
    head: (key) => {
      this.begun.push(key);
      return new Promise((resolve) => this.#answers.push(() => resolve(entryOf(key))));
    },
    get: async (key) => {
      this.begun.push(key);
      return bodyOf([bytes(1), bytes(2), bytes(3)]);
    },
    async *list() {
      yield entryOf('a');
      yield entryOf('b');
    },
    delete: async (key) => void this.begun.push(key),
  });

  async answer(): Promise<void> {
    this.#answers.shift()?.();
    await settled();
  }
}

describe('withLimit', () => {
  test('as many calls as allowed are at work; the others wait in order', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 2 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((key) => store.head(key));
    await settled();
    expect(waiting.begun).toEqual(['a', 'b']);
    await waiting.answer();
    expect(waiting.begun).toEqual(['a', 'b', 'c']);
    for (let index = 0; index < 4; index += 1) await waiting.answer();
    expect((await Promise.all(calls)).map((entry) => entry.key)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('a call that fails gives its slot back', async () => {
    const failing = stubStore({ head: () => Promise.reject(unavailable()), get: () => Promise.reject(unavailable()) });
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
    expect(waiting.begun).toEqual(['first', 'last']);
  });

  const endings: Record<string, (object: ObjectBody) => Promise<unknown>> = {
    'its body has ended': (object) => collect(object.body),
    'its body was left': async (object) => {
      for await (const _ of object.body) break;
    },
    'it was disposed without being read': async (object) => object[Symbol.asyncDispose](),
    'it was disposed in mid-body': async (object) => {
      await object.body[Symbol.asyncIterator]().next();
      await object[Symbol.asyncDispose]();
    },
  };

  test.each(Object.entries(endings))('a get keeps its slot until %s', async (_, end) => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const object = await store.get('first');
    const second = store.delete('second');
    await settled();
    expect(waiting.begun).toEqual(['first']);
    await end(object);
    await second;
    expect(waiting.begun).toEqual(['first', 'second']);
    await object[Symbol.asyncDispose]();
  });

  test('a reader who is slow with the last chunk holds up nobody', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    const object = await store.get('first', { range: { start: 0, end: 3 } });
    const second = store.delete('second');
    const seen: number[] = [];
    for await (const chunk of object.body) {
      await settled();
      seen.push(chunk[0] ?? 0);
      expect(waiting.begun).toEqual(seen.length === 3 ? ['first', 'second'] : ['first']);
    }
    await second;
  });

  test('the reader of a listing may call the store, even with one slot', async () => {
    const waiting = new WaitingStore();
    const store = withLimit(waiting.store, { concurrentMax: 1 });
    for await (const { key } of store.list('')) await store.delete(key);
    expect(waiting.begun).toEqual(['a', 'b']);
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

  test.each([0, -1, 1.5, Number.NaN])('refuses concurrentMax %d', (concurrentMax) => {
    expect(() => withLimit(stubStore({}), { concurrentMax })).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });
});

/** Lets run what can. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
