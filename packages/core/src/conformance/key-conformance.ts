import type { QuireError } from '../errors.ts';
import { readObject } from '../store/read-object.ts';
import { collect } from '../testing/index.ts';
import { expect } from 'vitest';
import { expectRejection, expectStoreFailure } from './store-expectations.ts';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { chunksOf, patternBytes } from '../testing/byte-sources.ts';

const badKeys = [
  '',
  '/',
  'a/',
  '/a',
  'a//b',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/..',
  '.hidden',
  'a/.hidden',
  '.staging/x',
  '-rf',
  'a/-rf',
  'a b',
  'a\\b',
  'a\0b',
  'a%2e',
  'ä',
  `${'a'.repeat(256)}`,
  `${'a/'.repeat(256)}a`,
];

const goodKeys = [
  'a',
  '_',
  '0',
  'A/B/C',
  'a.b-c_d',
  `x/${'y'.repeat(255)}`,
  `${'a/'.repeat(255)}ab`,
];

/** The cases for keys. */
export const keyCases: readonly StoreCase[] = casesOf<OpenStoreFixture>('keys', (test) => {
  for (const key of badKeys) {
    test(`${JSON.stringify(key)} is refused by every call, before the source of a put is touched`, async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      let isStarted = false;
      async function* source(): AsyncGenerator<Uint8Array> {
        isStarted = true;
        yield patternBytes(1);
      }
      await expectRejection(store.head(key), 'INVALID_OBJECT_KEY');
      await expectRejection(store.get(key), 'INVALID_OBJECT_KEY');
      await expectRejection(store.put(key, patternBytes(1)), 'INVALID_OBJECT_KEY');
      await expectRejection(store.put(key, source()), 'INVALID_OBJECT_KEY');
      await expectRejection(store.delete(key), 'INVALID_OBJECT_KEY');
      expect(isStarted).toBe(false);
      expect(await collect(store.list(''))).toEqual([]);
      expect(await fixture.leftovers()).toEqual([]);
    });
  }

  for (const key of goodKeys) {
    test(`${key} is accepted`, async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const entry = await store.put(key, patternBytes(3));
      expect(await collect(store.list(''))).toEqual([entry]);
      expect(await readObject(store, key)).toEqual(patternBytes(3));
      await store.delete(key);
      expect(await collect(store.list(''))).toEqual([]);
    });
  }

  for (const [first, second] of [
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['a', 'a/b/c'],
    ['a/b/c', 'a'],
    ['a/b/c', 'a/b'],
  ] as const) {
    test(`${first} and then ${second}: the second is refused, or both exist`, async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const firstEntry = await store.put(first, patternBytes(3, 1));
      const putting = store.put(second, chunksOf(patternBytes(5, 2), 2));
      const isRefused = await putting.then(
        () => false,
        () => true,
      );
      await (isRefused && expectStoreFailure(putting, 'INVALID_OBJECT_KEY', second, store));
      const secondBytes = await readObject(store, second).catch(
        (error: unknown) => (error as QuireError).code,
      );
      const secondHead = await store
        .head(second)
        .catch((error: unknown) => (error as QuireError).code);
      expect({
        first: await readObject(store, first),
        second: [secondHead, secondBytes],
        entries: (await collect(store.list(''))).length,
        leftovers: await fixture.leftovers(),
      }).toEqual({
        first: patternBytes(3, 1),
        second: isRefused
          ? ['OBJECT_NOT_FOUND', 'OBJECT_NOT_FOUND']
          : [await putting, patternBytes(5, 2)],
        entries: isRefused ? 1 : 2,
        leftovers: [],
      });
      await store.delete(second);
      expect(await collect(store.list(''))).toEqual([firstEntry]);
    });
  }

  test('keys that differ only in case are different keys', async (open) => {
    await using fixture = await open();
    const { store } = fixture;
    const entries = [];
    for (const [index, key] of ['X/data', 'X/datA', 'x/data'].entries()) {
      entries.push(await store.put(key, patternBytes(index)));
    }
    await store.delete('X/data');
    await expectRejection(store.head('X/data'), 'OBJECT_NOT_FOUND');
    expect(await readObject(store, 'X/datA')).toEqual(patternBytes(1));
    expect(await readObject(store, 'x/data')).toEqual(patternBytes(2));
    expect(await collect(store.list(''))).toEqual(entries.slice(1));
  });

  test('once a key is deleted, a key below it can be stored, and vice versa', async (open) => {
    await using fixture = await open();
    const { store } = fixture;
    await store.put('a', patternBytes(1, 1));
    await store.delete('a');
    await store.put('a/b', patternBytes(2, 2));
    await store.delete('a/b');
    await store.put('a', patternBytes(3, 3));
    expect(await readObject(store, 'a')).toEqual(patternBytes(3, 3));
  });
});
