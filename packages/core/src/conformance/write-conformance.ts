import { QuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import { isConditionalWriter, isFolderDeleter } from '../store-capabilities.ts';
import { readObject } from '../store/read-object.ts';
import { systemClock } from '../system-clock.ts';
import { collect } from '../testing/index.ts';
import { expect } from 'vitest';
import { expectBytes, expectRejection, expectStoreFailure } from './store-expectations.ts';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { chunksOf, ManualSource, patternBytes } from '../testing/byte-sources.ts';

/** The cases for `put` and `delete`. */
export const writingCases: readonly StoreCase[] = casesOf<OpenStoreFixture>(
  'put and delete',
  (test) => {
    for (const [what, length, ...chunkSizes] of [
      ['one byte at a time', 1000, 1],
      ['odd chunks', 300_000, 777],
      ['chunks of just over a mebibyte', 5 * 1024 * 1024, 1024 * 1024 + 1],
      ['one chunk larger than any buffer', 9 * 1024 * 1024, 9 * 1024 * 1024],
      ['small chunks before large ones', 5 * 1024 * 1024, 200, 600_000, 400_000, 1, 1_000_000],
    ] as const) {
      test(`a source is stored whole: ${what}`, async (open) => {
        await using fixture = await open();
        const { store } = fixture;
        const entry = await store.put('k', chunksOf(patternBytes(length), ...chunkSizes));
        expect(entry.sizeBytes).toBe(length);
        expectBytes(await readObject(store, 'k'), patternBytes(length));
        expect(await fixture.leftovers()).toEqual([]);
      });
    }

    test('an empty source and empty chunks are accepted', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      async function* withEmptyChunks(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(0);
        yield patternBytes(3);
        yield new Uint8Array(0);
      }
      expect(await store.put('empty', chunksOf(new Uint8Array(0), 1))).toMatchObject({
        sizeBytes: 0,
      });
      expect(await store.put('sparse', withEmptyChunks())).toMatchObject({ sizeBytes: 3 });
      expect(await readObject(store, 'empty')).toEqual(new Uint8Array(0));
      expect(await readObject(store, 'sparse')).toEqual(patternBytes(3));
    });

    test('a later put replaces an earlier one', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(100, 1));
      const entry = await store.put('k', patternBytes(7, 2));
      expect(await readObject(store, 'k')).toEqual(patternBytes(7, 2));
      expect(await collect(store.list(''))).toEqual([entry]);
    });

    test('an object is invisible until its source has ended', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const [forNew, forOld] = [new ManualSource(), new ManualSource()];
      const old = await store.put('old', patternBytes(5, 1));
      const puts = Promise.all([store.put('new', forNew), store.put('old', forOld)]);
      for (const source of [forNew, forOld]) {
        await source.feed(patternBytes(2 * 1024 * 1024, 2));
        await source.untilPulled();
      }
      await expectRejection(store.head('new'), 'OBJECT_NOT_FOUND');
      await expectRejection(store.get('new'), 'OBJECT_NOT_FOUND');
      expect(await collect(store.list(''))).toEqual([old]);
      expect(await readObject(store, 'old')).toEqual(patternBytes(5, 1));
      await forNew.end();
      await forOld.end();
      const entries = await puts;
      expect(await collect(store.list(''))).toEqual(entries);
      expectBytes(await readObject(store, 'old'), patternBytes(2 * 1024 * 1024, 2));
    });

    test('a source that throws: its own error is rethrown, the old object stays, nothing is left behind', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const failures = [
        new QuireError('QUERY_LIMIT_EXCEEDED', 'too much'),
        new TypeError('a defect'),
        enoent(),
      ];
      const old = await store.put('old', patternBytes(5, 1));
      for (const failure of failures) {
        for (const key of ['old', 'new', 'new/deeper']) {
          for (const goodBytes of [0, 10, 3 * 1024 * 1024]) {
            await expect(store.put(key, failingAfter(goodBytes, failure))).rejects.toBe(failure);
          }
        }
      }
      expect(await collect(store.list(''))).toEqual([old]);
      expect(await readObject(store, 'old')).toEqual(patternBytes(5, 1));
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('a source is pulled one chunk at a time, and only when a chunk is needed', async (open) => {
      await using fixture = await open();
      const source = new ManualSource();
      const put = fixture.store.put('k', source);
      for (let index = 0; index < 20; index += 1) await source.feed(patternBytes(200_000, index));
      await source.end();
      await put;
      expect(source).toMatchObject({ waitingMax: 1, pullCount: 21, isClosed: false });
    });

    test('a source may reuse the memory of its chunks', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const expected = patternBytes(4 * 1024 * 1024);
      async function* reusing(chunkBytes: number): AsyncGenerator<Uint8Array> {
        const memory = new Uint8Array(chunkBytes);
        for (let offset = 0; offset < expected.byteLength; offset += chunkBytes) {
          memory.set(expected.subarray(offset, offset + chunkBytes));
          yield memory;
          memory.fill(0xee);
        }
      }
      for (const chunkBytes of [1024, 256 * 1024, 1024 * 1024, 4 * 1024 * 1024]) {
        await store.put('k', reusing(chunkBytes));
        expectBytes(await readObject(store, 'k'), expected);
      }
    });

    test('bytes may be reused by the caller after the put', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const bytes = patternBytes(100_000);
      await store.put('k', bytes);
      bytes.fill(0xee);
      expectBytes(await readObject(store, 'k'), patternBytes(100_000));
    });

    test('a subarray of a larger buffer is stored alone', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const larger = patternBytes(1000);
      expect(await store.put('bytes', larger.subarray(300, 400))).toMatchObject({ sizeBytes: 100 });
      expect(await store.put('chunks', chunksOf(larger.subarray(300, 400), 40))).toMatchObject({
        sizeBytes: 100,
      });
      for (const key of ['bytes', 'chunks']) {
        expectBytes(await readObject(store, key), larger.subarray(300, 400));
      }
    });

    test('of concurrent puts, exactly one wins completely', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const seeds = [1, 2, 3, 4, 5, 6];
      await Promise.all(
        seeds.map((seed) => store.put('a/b/k', chunksOf(patternBytes(50_000 + seed, seed), 9999))),
      );
      const winner = await readObject(store, 'a/b/k');
      expectBytes(winner, patternBytes(winner.byteLength, winner.byteLength - 50_000));
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('putIfAbsent stores once and never replaces', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      if (!isConditionalWriter(store)) return;
      const old = await store.put('a/old', patternBytes(5, 1));
      expect(await store.putIfAbsent('a/old', patternBytes(7, 2))).toBeUndefined();
      expect(await readObject(store, 'a/old')).toEqual(patternBytes(5, 1));
      const outcomes = await Promise.all(
        [1, 2, 3, 4, 5].map((seed) => store.putIfAbsent('a/b/new', patternBytes(seed, seed))),
      );
      const stored = outcomes.filter((outcome) => outcome !== undefined);
      expect(await collect(store.list(''))).toEqual([...stored, old]);
      const winner = await readObject(store, 'a/b/new');
      expect(winner).toEqual(patternBytes(winner.byteLength, winner.byteLength));
      await store.delete('a/b/new');
      expect(await store.putIfAbsent('a/b/new', patternBytes(9, 9))).toMatchObject({
        key: 'a/b/new',
        sizeBytes: 9,
      });
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('puts and deletes of neighbours do not disturb each other', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const coming = async (index: number): Promise<void> => {
        for (let round = 0; round < 5; round += 1) {
          await store.put(`deep/er/${index}`, patternBytes(10, index));
          await store.delete(`deep/er/${index}`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, index) => coming(index)));
      expect(await collect(store.list(''))).toEqual([]);
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('a full store is STORE_FULL: the source is closed, the old object stays, nothing is left behind, and the space is released', async (open) => {
      const sizeMaxBytes = 3 * 1024 * 1024;
      await using fixture = await open({ sizeMaxBytes });
      const { store } = fixture;
      const old = await store.put('old', patternBytes(5, 1));
      for (const key of ['old', 'new', 'new/deeper']) {
        let isClosed = false;
        async function* tooLarge(): AsyncGenerator<Uint8Array> {
          try {
            for (let takenBytes = 0; takenBytes < sourceMaxBytes; takenBytes += 300_000) {
              yield patternBytes(300_000);
            }
            throw new Error(
              `The store accepted ${sourceMaxBytes} bytes of a source, although it was opened with sizeMaxBytes ${sizeMaxBytes}.`,
            );
          } finally {
            isClosed = true;
          }
        }
        await expectStoreFailure(store.put(key, tooLarge()), 'STORE_FULL', key, store);
        expect(isClosed).toBe(true);
        await expectStoreFailure(
          store.put(key, patternBytes(sizeMaxBytes + 1)),
          'STORE_FULL',
          key,
          store,
        );
      }
      expect(await collect(store.list(''))).toEqual([old]);
      expect(await readObject(store, 'old')).toEqual(patternBytes(5, 1));
      expect(await fixture.leftovers()).toEqual([]);
      for (let round = 0; round < 3; round += 1) {
        await store.put('new', patternBytes(2 * 1024 * 1024, round));
        await store.delete('new');
      }
    });

    test('deleting is repeatable, and afterwards the object is not found', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.delete('never/there');
      const kept = [];
      for (const key of ['a/gon', 'a/gone-not', 'a/gone0/x', 'a/kept']) {
        kept.push(await store.put(key, patternBytes(1)));
      }
      await store.put('a/gone', patternBytes(2));
      await store.delete('a/gone');
      await store.delete('a/gone');
      await expectRejection(store.head('a/gone'), 'OBJECT_NOT_FOUND');
      await expectRejection(store.get('a/gone'), 'OBJECT_NOT_FOUND');
      expect(await collect(store.list(''))).toEqual(kept);
    });

    test('deleting durably is repeatable as well, below a folder that never existed too', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('a/b/gone', patternBytes(1));
      for (const key of ['a/b/gone', 'a/b/gone', 'never/there', 'never']) {
        await store.delete(key, { isDurable: true });
      }
      expect(await collect(store.list(''))).toEqual([]);
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('two callers may delete one object', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('a/b/c', patternBytes(1));
      await Promise.all([store.delete('a/b/c'), store.delete('a/b/c'), store.delete('a/b/c')]);
      expect(await collect(store.list(''))).toEqual([]);
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('deleting a folder at once deletes all of it, or nothing but its first object', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      if (!isFolderDeleter(store)) return;
      const folders = Array.from({ length: 24 }, (_, index) => ({
        index,
        folder: `f/${index}`,
        hasOther: index % 5 === 0,
      }));
      for (const { folder, hasOther } of folders) {
        for (const name of hasOther ? ['a', 'b', 'c'] : ['a', 'b']) {
          await store.put(`${folder}/${name}`, patternBytes(3));
        }
      }
      const areGone = await Promise.all(
        folders.map(({ folder }) => store.deleteFolder([`${folder}/a`, `${folder}/b`])),
      );
      for (const { index, folder, hasOther } of folders) {
        const left = (await collect(store.list(`${folder}/`)))
          .map(({ key }) => key.slice(-1))
          .join('');
        const expected = areGone[index] === true ? [''] : hasOther ? ['abc', 'bc'] : ['ab', 'b'];
        expect([folder, expected.includes(left), hasOther && areGone[index]]).toEqual([
          folder,
          true,
          false,
        ]);
        for (const name of ['a', 'b', 'c']) await store.delete(`${folder}/${name}`);
      }
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('an object that is replaced has a new modification time', async (open, { patienceMs }) => {
      await using fixture = await open();
      const { store } = fixture;
      const { lastModifiedMs } = await store.put('k', patternBytes(1));
      const startMs = systemClock.monotonicMs();
      // Repeats until the store's clock has advanced; a bucket's clock has steps of one second.
      let replaced = await store.put('k', patternBytes(1));
      while (
        replaced.lastModifiedMs === lastModifiedMs &&
        systemClock.monotonicMs() - startMs < patienceMs
      ) {
        await new Promise((resolve) => setImmediate(resolve));
        replaced = await store.put('k', patternBytes(1));
      }
      expect(replaced.lastModifiedMs).toBeGreaterThan(lastModifiedMs);
      expect(await dates(store)).toEqual([replaced.lastModifiedMs]);
    });

    test('the modification time of an object is between the call of its put and its end', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      // A bucket has its own clock. A difference of a day would break expiration and grace periods.
      const dayMs = 86_400_000;
      const beforeMs = Date.now();
      const { lastModifiedMs } = await store.put('k', patternBytes(1));
      expect(Number.isSafeInteger(lastModifiedMs)).toBe(true);
      expect(lastModifiedMs).toBeGreaterThan(beforeMs - dayMs);
      expect(lastModifiedMs).toBeLessThan(Date.now() + dayMs);
      expect(await dates(store)).toEqual([lastModifiedMs]);
    });
  },
);

/**
 * The number of bytes after which a source gives up on a store that should be full; it exceeds the
 * buffers of any store.
 */
const sourceMaxBytes = 64 * 1024 * 1024;

async function dates(store: ObjectStore): Promise<number[]> {
  return (await collect(store.list(''))).map((entry) => entry.lastModifiedMs);
}

async function* failingAfter(goodBytes: number, failure: Error): AsyncGenerator<Uint8Array> {
  if (goodBytes > 0) yield patternBytes(goodBytes);
  throw failure;
}

/** Returns an error that looks like one of the store's own file system. */
function enoent(): Error {
  return Object.assign(new Error('ENOENT: a file of the source'), { code: 'ENOENT', errno: -2 });
}
