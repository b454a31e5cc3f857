import { type ObjectEntry, type ObjectStore, QuireError, readObject } from '@quire/core';
import {
  collect,
  type Fault,
  faultAt,
  faultOn,
  FaultStore,
  ManualClock,
  randomFailures,
  SeededRandom,
} from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore } from './stub-store.ts';

/** Creates a store of two objects that records the calls that reach it. */
function noting(log: string[]): ObjectStore {
  return stubStore({
    head: async (key) => (log.push(`head ${key}`), entryOf(key)),
    get: async (key) => (
      log.push(`get ${key}`),
      bodyOf([bytes(1, 2), bytes(3, 4)], () => log.push(`released ${key}`))
    ),
    async put(key, body) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        chunks.push(Uint8Array.from(chunk));
      }
      log.push(`put ${key} ${Buffer.concat(chunks).toString('hex')}`);
      return entryOf(key);
    },
    async *list() {
      log.push('list');
      yield entryOf('a');
      yield entryOf('b');
    },
    delete: async (key) => void log.push(`delete ${key}`),
  });
}

async function* source(): AsyncGenerator<Uint8Array> {
  yield bytes(1, 2);
  yield bytes(3, 4);
}

async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error as QuireError).code);
}

const custom = new QuireError('STORE_TIMED_OUT', 'Injected.');

describe('FaultStore', () => {
  test('FaultStore passes everything without a plan', async () => {
    const log: string[] = [];
    const store = new FaultStore(noting(log));
    await store.put('k', source());
    expect(await readObject(store, 'k')).toEqual(bytes(1, 2, 3, 4));
    expect(await collect(store.list(''))).toEqual([entryOf('a'), entryOf('b')]);
    expect(await store.head('k')).toEqual(entryOf('k'));
    await store.delete('k');
    expect(log).toEqual(['put k 01020304', 'get k', 'released k', 'list', 'head k', 'delete k']);
    expect(store.callCount).toBe(5);
  });

  const fail = (kind: 'fail-before' | 'fail-after'): Fault => ({ kind });

  test.each<[Fault, string[]]>([
    [fail('fail-before'), []],
    [fail('fail-after'), ['head k', 'delete k', 'put k 01020304', 'get k', 'released k', 'list']],
  ])('FaultStore: %j fails every verb, without or with its effect', async (fault, effects) => {
    const log: string[] = [];
    const store = new FaultStore(noting(log), { plan: () => fault });
    const outcomes = [
      await outcomeOf(store.head('k')),
      await outcomeOf(store.delete('k')),
      await outcomeOf(store.put('k', source())),
      await outcomeOf(store.get('k')),
      await outcomeOf(collect(store.list(''))),
    ];
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'STORE_UNAVAILABLE'));
    expect(log).toEqual(effects);
  });

  test('FaultStore throws the error of the plan', async () => {
    const store = new FaultStore(noting([]), {
      plan: () => ({ kind: 'fail-before', error: custom }),
    });
    await expect(store.head('k')).rejects.toBe(custom);
  });

  test('FaultStore cuts a body short, silently or not', async () => {
    const store = new FaultStore(noting([]), { plan: () => ({ kind: 'cut', afterBytes: 3 }) });
    expect(await collect((await store.get('k')).body)).toEqual([bytes(1, 2), bytes(3)]);
    store.plan = () => ({ kind: 'cut', afterBytes: 0 });
    expect(await collect((await store.get('k')).body)).toEqual([]);
    store.plan = () => ({ kind: 'cut', afterBytes: 2, error: custom });
    const seen: Uint8Array[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of (await store.get('k')).body) seen.push(chunk);
    };
    await expect(reading()).rejects.toBe(custom);
    expect(seen).toEqual([bytes(1, 2)]);
  });

  test('FaultStore cuts a source: the put inside sees it fail', async () => {
    const log: string[] = [];
    const store = new FaultStore(noting(log), {
      plan: () => ({ kind: 'cut', afterBytes: 3, error: custom }),
    });
    await expect(store.put('k', source())).rejects.toBe(custom);
    await expect(store.put('k', bytes(1, 2, 3, 4))).rejects.toBe(custom);
    expect(log).toEqual([]);
  });

  test('FaultStore cuts a listing after so many entries', async () => {
    const store = new FaultStore(noting([]), { plan: () => ({ kind: 'cut', afterBytes: 1 }) });
    const seen: ObjectEntry[] = [];
    const listing = async (): Promise<void> => {
      for await (const entry of store.list('')) seen.push(entry);
    };
    await expect(listing()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(seen).toEqual([entryOf('a')]);
  });

  test('a full disk fails puts only', async () => {
    const log: string[] = [];
    const store = new FaultStore(noting(log), { plan: () => ({ kind: 'full', afterBytes: 4 }) });
    await expect(store.put('k', source())).rejects.toMatchObject({ code: 'STORE_FULL' });
    await store.head('k');
    expect(await readObject(store, 'k')).toEqual(bytes(1, 2, 3, 4));
    expect(log).toEqual(['head k', 'get k', 'released k']);
  });

  test('slow calls take their time, chunk by chunk', async () => {
    const clock = new ManualClock();
    const store = new FaultStore(noting([]), {
      clock,
      plan: () => ({ kind: 'slow', delayMs: 100 }),
    });
    const reading = readObject(store, 'k');
    await clock.advance(1000);
    expect(await reading).toEqual(bytes(1, 2, 3, 4));
    const times: number[] = [];
    const startMs = clock.monotonicMs();
    const listing = (async () => {
      for await (const _ of store.list('')) times.push(clock.monotonicMs() - startMs);
    })();
    await clock.advance(1000);
    await listing;
    expect(times).toEqual([200, 300]);
  });

  test.each<[string, Fault, string[]]>([
    ['before', { kind: 'crash', when: 'before' }, []],
    ['after', { kind: 'crash', when: 'after' }, ['put k 01020304']],
    ['midway', { kind: 'crash', when: { midwayBytes: 3 } }, []],
  ])('FaultStore does nothing any more after a crash %s a call', async (_, fault, effects) => {
    const log: string[] = [];
    const store = new FaultStore(noting(log), { plan: faultOn('put', fault) });
    await expect(store.put('k', source())).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(store.isCrashed).toBe(true);
    await expect(store.delete('k')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(store.get('k')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(collect(store.list(''))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(log).toEqual(effects);
  });

  test('a crash ends what is under way', async () => {
    const store = new FaultStore(noting([]), {
      plan: faultOn('head', { kind: 'crash', when: 'before' }),
    });
    const object = await store.get('k');
    const body = object.body[Symbol.asyncIterator]();
    await body.next();
    await expect(store.head('k')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(body.next()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('plans', () => {
  test('faultAt hits one call, faultOn a kind of call so many times', async () => {
    const store = new FaultStore(noting([]), { plan: faultAt(2, { kind: 'fail-before' }) });
    const heads = async (): Promise<unknown[]> => [
      await outcomeOf(store.head('k')),
      await outcomeOf(store.head('k')),
      await outcomeOf(store.head('k')),
    ];
    expect(await heads()).toEqual([entryOf('k'), 'STORE_UNAVAILABLE', entryOf('k')]);
    store.plan = faultOn('head', { kind: 'fail-before' }, 2);
    await store.delete('k');
    expect(await heads()).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE', entryOf('k')]);
  });

  test('randomFailures repeats for a seed, and fails about as often as told', async () => {
    const run = async (): Promise<unknown[]> => {
      const store = new FaultStore(noting([]), { plan: randomFailures(new SeededRandom(5), 0.25) });
      const outcomes: unknown[] = [];
      for (let index = 0; index < 400; index += 1) outcomes.push(await outcomeOf(store.head('k')));
      return outcomes;
    };
    const outcomes = await run();
    expect(await run()).toEqual(outcomes);
    const failureCount = outcomes.filter((outcome) => outcome === 'STORE_UNAVAILABLE').length;
    expect(failureCount).toBeGreaterThan(70);
    expect(failureCount).toBeLessThan(130);
  });
});
