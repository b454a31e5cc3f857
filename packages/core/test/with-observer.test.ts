import {
  type ByteRange,
  isCachedReader,
  type ObjectStore,
  type StoreCall,
  type StoreCapabilities,
  withObserver,
} from '@quire/core';
import { collect, ManualClock } from '@quire/core/testing';
import { assert, describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore, unavailable } from './stub-store.ts';

const nothing = { range: undefined, bytes: 0, entryCount: 0, durationMs: 0 };

function setUp(verbs: Partial<ObjectStore & StoreCapabilities>): {
  store: ObjectStore;
  clock: ManualClock;
  calls: StoreCall[];
} {
  const clock = new ManualClock();
  const calls: StoreCall[] = [];
  return { clock, calls, store: withObserver(stubStore(verbs), (call) => calls.push(call), clock) };
}

describe('withObserver', () => {
  test('withObserver reports head and delete with their duration', async () => {
    const { store, clock, calls } = setUp({
      head: async (key) => {
        await clock.sleep(7);
        return entryOf(key);
      },
      delete: async () => undefined,
    });
    const heading = store.head('a');
    await clock.advance(7);
    await heading;
    await store.delete('b');
    expect(calls).toEqual([
      { ...nothing, op: 'head', key: 'a', durationMs: 7, outcome: 'ok' },
      { ...nothing, op: 'delete', key: 'b', outcome: 'ok' },
    ]);
  });

  test('withObserver reports a get once its body has ended, with the bytes delivered', async () => {
    const { store, calls } = setUp({ get: async () => bodyOf([bytes(1, 2), bytes(3)]) });
    const range = { start: 5, end: 8 };
    const object = await store.get('k', { range });
    expect(calls).toEqual([]);
    await collect(object.body);
    await object[Symbol.asyncDispose]();
    expect(calls).toEqual([{ ...nothing, op: 'get', key: 'k', range, bytes: 3, outcome: 'ok' }]);
  });

  test('a body that is left or disposed is abandoned', async () => {
    const { store, calls } = setUp({ get: async () => bodyOf([bytes(1, 2), bytes(3)]) });
    for await (const _ of (await store.get('left')).body) break;
    await (await store.get('disposed'))[Symbol.asyncDispose]();
    expect(calls).toEqual([
      { ...nothing, op: 'get', key: 'left', bytes: 2, outcome: 'abandoned' },
      { ...nothing, op: 'get', key: 'disposed', outcome: 'abandoned' },
    ]);
  });

  test('withObserver reports the bytes that a put took, from bytes and from a source', async () => {
    const { store, calls } = setUp({
      put: async (key, body) =>
        entryOf(key, body instanceof Uint8Array ? 0 : (await collect(body)).length),
    });
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes(1, 2);
      yield bytes(3);
    }
    await store.put('bytes', bytes(1, 2, 3, 4));
    await store.put('source', source());
    expect(calls).toEqual([
      { ...nothing, op: 'put', key: 'bytes', bytes: 4, outcome: 'ok' },
      { ...nothing, op: 'put', key: 'source', bytes: 3, outcome: 'ok' },
    ]);
  });

  test('withObserver reports the entries of a listing, ended or abandoned', async () => {
    const { store, calls } = setUp({
      async *list() {
        yield entryOf('a');
        yield entryOf('b');
      },
    });
    await collect(store.list('p'));
    for await (const _ of store.list('q')) break;
    expect(calls).toEqual([
      { ...nothing, op: 'list', key: 'p', entryCount: 2, outcome: 'ok' },
      { ...nothing, op: 'list', key: 'q', entryCount: 1, outcome: 'abandoned' },
    ]);
  });

  test('withObserver reports failures by their code, and lets them through', async () => {
    const error = unavailable();
    const defect = new TypeError('a defect');
    async function* failing(): AsyncGenerator<never> {
      yield* [];
      throw error;
    }
    const { store, calls } = setUp({
      head: () => Promise.reject(error),
      delete: () => Promise.reject(defect),
      list: failing,
      get: async (key) => {
        if (key === 'closed') throw error;
        return { sizeBytes: 1, body: failing(), [Symbol.asyncDispose]: () => Promise.resolve() };
      },
    });
    await expect(store.head('k')).rejects.toBe(error);
    await expect(store.delete('k')).rejects.toBe(defect);
    await expect(collect(store.list('p'))).rejects.toBe(error);
    await expect(store.get('closed')).rejects.toBe(error);
    await expect(collect((await store.get('opened')).body)).rejects.toBe(error);
    expect(calls.map(({ op, key, outcome }) => [op, key, outcome])).toEqual([
      ['head', 'k', 'STORE_UNAVAILABLE'],
      ['delete', 'k', 'INTERNAL'],
      ['list', 'p', 'STORE_UNAVAILABLE'],
      ['get', 'closed', 'STORE_UNAVAILABLE'],
      ['get', 'opened', 'STORE_UNAVAILABLE'],
    ]);
  });

  test('withObserver reports a cached read, and not one of bytes that are not cached', () => {
    const readCached = (_key: string, range: ByteRange, target: Uint8Array): boolean => {
      target.fill(7);
      return range.start === 2;
    };
    const { store, calls } = setUp({ readCached });
    const target = new Uint8Array(3);
    assert(isCachedReader(store));
    expect(store.readCached('k', { start: 1, end: 4 }, target)).toBe(false);
    expect(store.readCached('k', { start: 2, end: 5 }, target)).toBe(true);
    expect(calls).toEqual([
      { ...nothing, op: 'get', key: 'k', range: { start: 2, end: 5 }, bytes: 3, outcome: 'ok' },
    ]);
    expect([...target]).toEqual([7, 7, 7]);
  });
});
