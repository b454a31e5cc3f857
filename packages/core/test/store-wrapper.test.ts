import * as core from '@quire/core';
import {
  type ByteRange,
  isCachedReader,
  isConditionalWriter,
  isFolderDeleter,
  isLinkSigner,
  isSharingAware,
  type ObjectStore,
  type StoreCapabilities,
  StoreWrapper,
} from '@quire/core';
import * as testing from '@quire/core/testing';
import fc from 'fast-check';
import { assert, describe, expect, test } from 'vitest';
import { storeWrappers } from '../src/conformance/wrapped-stores.ts';
import { stubStore } from './stub-store.ts';

const readCached = (key: string, { start }: ByteRange, target: Uint8Array): boolean => {
  target.fill(start);
  return key === 'cached';
};
const capabilities: StoreCapabilities = {
  readCached,
  putIfAbsent: async (key, bytes) =>
    key === 'old' ? undefined : { key, sizeBytes: bytes.byteLength, lastModifiedMs: 1 },
  deleteFolder: async (keys) => keys.length === 2,
  signLink: async (key, lifetimeMs) => `https://${key}?${lifetimeMs}`,
  isShared: false,
};
const names = Object.keys(capabilities) as (keyof StoreCapabilities)[];

/** Returns the answers of all capabilities of the store. */
async function answersOf(store: ObjectStore): Promise<Record<string, unknown>> {
  const target = new Uint8Array(2);
  const range = { start: 5, end: 7 };
  return {
    ...(isCachedReader(store) && {
      readCached: [
        store.readCached('cached', range, target),
        [...target],
        store.readCached('elsewhere', range, target),
      ],
    }),
    ...(isConditionalWriter(store) && {
      putIfAbsent: [
        await store.putIfAbsent('old', new Uint8Array(1)),
        await store.putIfAbsent('new', new Uint8Array(2)),
      ],
    }),
    ...(isFolderDeleter(store) && {
      deleteFolder: [await store.deleteFolder(['a/b', 'a/c']), await store.deleteFolder(['a/b'])],
    }),
    ...(isLinkSigner(store) && { signLink: await store.signLink('k', 1000) }),
    ...(isSharingAware(store) && { isShared: store.isShared }),
  };
}

describe('every wrapper of a store', () => {
  test('every wrapper of a store has exactly the capabilities of the store inside, however many wrappers are around it', async () => {
    const wrapping = fc.array(fc.constantFrom(...Object.values(storeWrappers)), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), wrapping, async (subset, wraps) => {
        const own = Object.fromEntries(subset.map((name) => [name, capabilities[name]]));
        const store = stubStore(own);
        const answers = await answersOf(wraps.reduce((inner, wrap) => wrap(inner), store));
        expect(answers).toEqual(await answersOf(store));
        expect(Object.keys(answers)).toEqual(subset);
      }),
    );
  });

  test('every wrapper of a store is among those that are tried', () => {
    const isWrapper = (value: unknown): boolean =>
      typeof value === 'function' && value.prototype instanceof StoreWrapper;
    const exported = [
      ...Object.keys(core).filter((name) => /^with[A-Z]/.test(name)),
      ...Object.entries(testing).flatMap(([name, value]) => (isWrapper(value) ? [name] : [])),
    ];
    expect(Object.keys(storeWrappers).toSorted()).toEqual(exported.toSorted());
  });
});

test('a cached read with a planned fault is left to the get that has that fault', async () => {
  const store = new testing.FaultStore(stubStore({ readCached }), {
    plan: testing.faultAt(2, { kind: 'fail-before' }),
  });
  assert(isCachedReader(store));
  const target = new Uint8Array(1);
  const cached = [1, 2, 3].map((start) =>
    store.readCached('cached', { start, end: start + 1 }, target),
  );
  expect(cached).toEqual([true, false, false]);
  await expect(store.get('cached')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(store.readCached('cached', { start: 3, end: 4 }, target)).toBe(true);
  expect(store.callCount).toBe(3);
});

test('a recording has the cached reads that were made, as gets', () => {
  const store = new testing.RecordingStore(stubStore({ readCached }));
  assert(isCachedReader(store));
  const range = { start: 1, end: 4 };
  store.readCached('elsewhere', range, new Uint8Array(3));
  store.readCached('cached', range, new Uint8Array(3));
  expect(store.calls).toEqual([
    { op: 'get', key: 'cached', range, bytes: 3, entryCount: 0, outcome: 'ok' },
  ]);
});
