import {
  type Clock,
  isQuireError,
  type ObjectStore,
  readObject,
  type RetryOptions,
  withRetry,
} from '@quire/core';
import {
  collect,
  type Fault,
  faultOn,
  type FaultPlan,
  FaultStore,
  randomFailures,
  SeededRandom,
  chunksOf,
  patternBytes,
} from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const keys = ['a/1', 'a/2', 'b/1', 'c'];

/** A clock on which every sleep ends at once. */
const hurriedClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: () => Promise.resolve(),
};

function setUp(plan: FaultPlan): { store: ObjectStore; inner: MemoryObjectStore } {
  const inner = new MemoryObjectStore({ sizeMaxBytes: 10_000_000 });
  const random = new SeededRandom(1);
  const options: RetryOptions = {
    clock: hurriedClock,
    random,
    attemptsMax: 50,
    delayMs: 1,
    delayMaxMs: 1,
  };
  return { inner, store: withRetry(new FaultStore(inner, { plan }), options) };
}

test('behind retries, a store that loses every third call or answer behaves like one that loses none', async () => {
  const steps = fc.array(
    fc.record({
      verb: fc.constantFrom('put', 'delete', 'get', 'head', 'list'),
      key: fc.constantFrom(...keys),
      length: fc.nat(50),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer(), async (sequence, seed) => {
      const { store } = setUp(randomFailures(new SeededRandom(seed), 0.33));
      const model = new Map<string, number>();
      for (const { verb, key, length } of sequence) {
        if (verb === 'put') model.set(key, (await store.put(key, patternBytes(length))).sizeBytes);
        if (verb === 'delete') await store.delete(key);
        if (verb === 'delete') model.delete(key);
        const found =
          verb === 'get'
            ? readObject(store, key).then((bytes) => bytes.byteLength)
            : store.head(key).then((entry) => entry.sizeBytes);
        expect(await found.catch(() => undefined)).toBe(model.get(key));
        const listed = (await collect(store.list(''))).map((entry): [string, number] => [
          entry.key,
          entry.sizeBytes,
        ]);
        expect(new Map(listed)).toEqual(model);
        expect(listed.map(([name]) => name)).toEqual([...model.keys()].toSorted());
      }
    }),
    { numRuns: 60, seed: 20260101 },
  );
});

test.each<[string, Fault, string, number]>([
  ['before its source was begun is repeated', { kind: 'fail-before' }, 'resolved', 1000],
  [
    'in the middle of its source is not, and the old object stands',
    { kind: 'cut', afterBytes: 500 },
    'STORE_UNAVAILABLE',
    10,
  ],
  // The effect is unknown here: callers must not take such a failure for the absence of the object.
  [
    'after its effect is not, and the new object stands',
    { kind: 'fail-after' },
    'STORE_UNAVAILABLE',
    1000,
  ],
])('a put of a source that fails %s', async (_, fault, expected, sizeBytes) => {
  const { store, inner } = setUp(faultOn('put', fault, 1));
  await inner.put('k', patternBytes(10, 1));
  const outcome = await store.put('k', chunksOf(patternBytes(1000, 2), 300)).then(
    () => 'resolved',
    (error: unknown) => (isQuireError(error) ? error.code : error),
  );
  expect({ outcome, entries: await collect(inner.list('')) }).toMatchObject({
    outcome: expected,
    entries: [{ key: 'k', sizeBytes }],
  });
});
