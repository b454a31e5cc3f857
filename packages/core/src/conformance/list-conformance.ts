import { isObjectKey } from '../object-key.ts';
import type { ObjectEntry, ObjectStore } from '../object-store.ts';
import { collect } from '../testing/index.ts';
import { expect } from 'vitest';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { patternBytes } from '../testing/byte-sources.ts';

/** Keys in the order of their UTF-16 code units; a plain directory walk orders them differently. */
const keysInOrder = [
  '0',
  'A',
  'Z/9',
  '_',
  'a-b',
  'a-b-c/x',
  'a.b',
  'a.b.c/x',
  'a/0',
  'a/b-c',
  'a/b.c',
  'a/b/c',
  'a/b/d',
  'a/b0',
  'a0',
  'aa/b',
  'b/c/d/e/f',
  'z',
];

/** The cases for `list`. */
export const listingCases = (longCount: number): readonly StoreCase[] =>
  casesOf<OpenStoreFixture>('list', (test) => {
    test('yields every entry in key order', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const entries = new Map<string, ObjectEntry>();
      for (const key of keysInOrder.toReversed()) {
        entries.set(key, await store.put(key, patternBytes(key.length)));
      }
      expect(await collect(store.list(''))).toEqual(keysInOrder.map((key) => entries.get(key)));
    });

    test('an empty store yields nothing', async (open) => {
      await using fixture = await open();
      expect(await keysOf(fixture.store, '')).toEqual([]);
      expect(await keysOf(fixture.store, 'a/b')).toEqual([]);
    });

    test('a prefix is plain text: it may end within a segment and need not be a key', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      const texts = [
        '',
        '/',
        '.',
        '..',
        '../',
        '../..',
        './',
        'a',
        'a/',
        'a//',
        'a/b',
        'a/b/',
        'a/b/c',
        'a/b/c/',
        'a-',
        'a.',
        'a.b',
      ];
      for (const prefix of [
        ...texts,
        'b/c/d/e/f',
        'b/c/d/e/f/g',
        'b/x/y',
        'A',
        'ä',
        '\0',
        ' ',
        'z',
        'zz',
        '.staging/',
        '-',
        '_',
        '%',
        '*',
        'a?',
        'a%',
        'a_',
        'a[',
      ]) {
        expect([prefix, await keysOf(store, prefix)]).toEqual([
          prefix,
          keysInOrder.filter((key) => key.startsWith(prefix)),
        ]);
      }
    });

    test('after yields the keys that sort after it, whether it is a key or not', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      const marks = [
        ...keysInOrder,
        '',
        '.',
        '/',
        'a',
        'a/',
        'a/a',
        'a/b',
        'a/b/',
        'a/b/cc',
        'a1',
        'a.',
        'b/c/',
        'b/c/d/e/g',
        'zz',
        '~',
        '\uffff',
      ];
      for (const prefix of ['', 'a', 'a/', 'a/b']) {
        for (const after of marks) {
          const expected = keysInOrder.filter((key) => key.startsWith(prefix) && key > after);
          expect([prefix, after, await keysOf(store, prefix, after)]).toEqual([
            prefix,
            after,
            expected,
          ]);
        }
      }
    });

    test('skips only the folders for which skipsFolder returns true, and asks before it yields later keys', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      for (const prefix of ['', 'a', 'a/', 'a/b', 'b/c/']) {
        for (const known of [[], ['a/b/'], ['Z/', 'a/', 'aa/'], ['b/'], ['b/c/d/e/']]) {
          const [passed, given] = [new Set<string>(), [] as string[]];
          const skipsFolder = (folder: string): boolean => {
            // A store may have folders that contain no key.
            if (!isObjectKey(folder.slice(0, -1))) return false;
            expect(
              keysInOrder.some((key) => key.startsWith(folder) && folder.startsWith(prefix)),
            ).toBe(true);
            if (known.includes(folder)) passed.add(folder);
            expect(given.filter((key) => key > folder && !key.startsWith(folder))).toEqual([]);
            return passed.has(folder);
          };
          for await (const { key } of store.list(prefix, { skipsFolder })) given.push(key);
          const isPassed = (key: string): boolean =>
            [...passed].some((folder) => key.startsWith(folder));
          const expected = keysInOrder.filter((key) => key.startsWith(prefix));
          expect(given.filter((key) => !isPassed(key))).toEqual(
            expected.filter((key) => !isPassed(key)),
          );
          expect(expected.filter((key) => given.includes(key))).toEqual(given);
        }
      }
    });

    test('a long listing is complete, in order, and after any of its entries', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const keys = Array.from(
        { length: longCount },
        (_, index) => `many/${index % 7}/${index + 10_000}`,
      ).toSorted();
      await putConcurrently(store, [...keys, 'man', 'many-others', 'manz/0']);
      expect(await keysOf(store, '')).toEqual(['man', 'many-others', ...keys, 'manz/0']);
      // Indexes around the page sizes of servers.
      for (const index of [0, 99, 998, 999, 1000, 1999, longCount - 2]) {
        const after = keys[index] ?? 'many/9';
        expect([after, await keysOf(store, 'many/', after)]).toEqual([
          after,
          keys.filter((key) => key > after),
        ]);
      }

      // Deleting entries that were already yielded must not shift the rest of the listing.
      const seen: string[] = [];
      for await (const { key } of store.list('many/')) {
        seen.push(key);
        if (seen.length % 25 === 1) await store.delete(key);
      }
      expect(seen).toEqual(keys);
      expect(await keysOf(store, 'many/')).toEqual(keys.filter((_, index) => index % 25 !== 0));
    });

    test('an unchanged object is listed exactly once while others are created and deleted', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const staying = Array.from(
        { length: 60 },
        (_, index) => `s/${String(index * 10).padStart(3, '0')}/data`,
      );
      const going = Array.from(
        { length: 30 },
        (_, index) => `s/${String(index * 20 + 5).padStart(3, '0')}/data`,
      );
      for (const key of [...staying, ...going]) await store.put(key, patternBytes(1));
      const seen: string[] = [];
      for await (const { key } of store.list('s/')) {
        seen.push(key);
        const gone = going.pop();
        if (gone !== undefined) {
          await store.delete(gone);
          await store.put(gone.replace('5/data', '7/data'), patternBytes(1));
        }
      }
      expect(seen.filter((key) => key.endsWith('0/data'))).toEqual(staying);
      expect(seen).toEqual([...new Set(seen)].toSorted());
    });

    test('a listing whose reader deletes everything ends', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      for await (const { key } of store.list('')) await store.delete(key);
      expect(await keysOf(store, '')).toEqual([]);
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('a listing may be left early and restarted after the last entry', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      const walked: string[] = [];
      for (;;) {
        const before = walked.length;
        for await (const { key } of store.list('', { after: walked.at(-1) })) {
          walked.push(key);
          if (walked.length - before === 3) break;
        }
        if (walked.length === before) break;
      }
      expect(walked).toEqual(keysInOrder);
    });

    test('concurrent listings do not disturb each other', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await putAll(store);
      const marks = [undefined, ...keysInOrder.slice(2, 9)];
      const listings = await Promise.all(marks.map((after) => keysOf(store, 'a', after)));
      const expected = marks.map((after) =>
        keysInOrder.filter((key) => key.startsWith('a') && key > (after ?? '')),
      );
      expect(listings).toEqual(expected);
    });
  });

/** Puts objects of one byte concurrently: sequentially they would take minutes in a bucket. */
async function putConcurrently(store: ObjectStore, keys: readonly string[]): Promise<void> {
  const pending = keys.values();
  const putEach = async (): Promise<void> => {
    for (const key of pending) await store.put(key, patternBytes(1));
  };
  await Promise.all(Array.from({ length: 32 }, putEach));
}

async function putAll(store: ObjectStore): Promise<void> {
  for (const key of keysInOrder) await store.put(key, patternBytes(key.length));
}

async function keysOf(store: ObjectStore, prefix: string, after?: string): Promise<string[]> {
  return (await collect(store.list(prefix, { after }))).map((entry) => entry.key);
}
