import { crc32 } from 'node:zlib';
import { isQuireError } from '../errors.ts';
import { isCachedReader } from '../store-capabilities.ts';
import { readObject } from '../store/read-object.ts';
import { collect } from '../testing/index.ts';
import { expect } from 'vitest';
import {
  concatenated,
  expectBytes,
  expectRejection,
  expectStoreFailure,
} from './store-expectations.ts';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { patternBytes } from '../testing/byte-sources.ts';

/** A size that needs several chunks in any store. */
const largeBytes = 9 * 1024 * 1024 + 5;

/** The cases for `head` and `get`. */
export const readingCases: readonly StoreCase[] = casesOf<OpenStoreFixture>(
  'head and get',
  (test) => {
    test('a missing object is OBJECT_NOT_FOUND, with key and store in the message', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('there/x', patternBytes(1));
      for (const key of ['missing', 'there', 'there/x/y', 'there/y', 'other/place/z']) {
        await expectStoreFailure(store.head(key), 'OBJECT_NOT_FOUND', key, store);
        await expectStoreFailure(store.get(key), 'OBJECT_NOT_FOUND', key, store);
        await expectStoreFailure(
          store.get(key, { range: { start: 0, end: 1 } }),
          'OBJECT_NOT_FOUND',
          key,
          store,
        );
      }
    });

    test('the location is a URI', async (open) => {
      await using fixture = await open();
      expect(URL.canParse(fixture.store.location)).toBe(true);
    });

    test('head returns what put returned', async (open) => {
      await using fixture = await open();
      const entry = await fixture.store.put('a/b', patternBytes(42));
      expect(entry).toEqual({ key: 'a/b', sizeBytes: 42, lastModifiedMs: entry.lastModifiedMs });
      expect(await fixture.store.head('a/b')).toEqual(entry);
    });

    test('a range has exactly its bytes, and the size of the whole object', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const bytes = patternBytes(largeBytes);
      await store.put('k', bytes);
      const mebibyte = 1024 * 1024;
      const ranges = [
        [0, 1],
        [0, largeBytes],
        [largeBytes - 1, largeBytes],
        [1, 9],
        [8, 16],
        [mebibyte - 1, mebibyte + 1],
        [4 * mebibyte, 5 * mebibyte],
        [4 * mebibyte - 3, 8 * mebibyte + 3],
        [8 * mebibyte, largeBytes],
      ] as const;
      for (const [start, end] of ranges) {
        await using object = await store.get('k', { range: { start, end } });
        expect(object.sizeBytes).toBe(largeBytes);
        const chunks = await collect(object.body);
        expect(chunks.every((chunk) => chunk.byteLength > 0)).toBe(true);
        expectBytes(concatenated(chunks), bytes.subarray(start, end));
      }
    });

    test('a cached range has the same bytes as a get; a deleted object is not cached', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      if (!isCachedReader(store)) return;
      const bytes = patternBytes(100_000);
      await store.put('k', bytes);
      const isCached = (start: number, end: number): boolean => {
        const target = new Uint8Array(end - start);
        if (!store.readCached('k', { start, end }, target)) return false;
        expectBytes(target, bytes.subarray(start, end));
        return true;
      };
      for (const [start, end] of [
        [0, 1],
        [99_999, 100_000],
        [5000, 90_000],
        [0, 100_000],
      ] as const) {
        isCached(start, end);
        await using object = await store.get('k', { range: { start, end } });
        expectBytes(concatenated(await collect(object.body)), bytes.subarray(start, end));
        isCached(start, end);
      }
      const isPastEnd = store.readCached('k', { start: 99_999, end: 100_001 }, new Uint8Array(2));
      expect(isPastEnd).toBe(false);
      const replacement = patternBytes(100_000, 1);
      await store.put('k', replacement);
      const target = new Uint8Array(100);
      if (store.readCached('k', { start: 0, end: 100 }, target)) {
        expectBytes(target, replacement.subarray(0, 100));
      }
      expectBytes(await readObject(store, 'k'), replacement);
      await store.delete('k');
      expect(isCached(0, 1)).toBe(false);
    });

    test('lent memory receives the bytes, or is not requested', async (open) => {
      await using fixture = await open();
      const bytes = patternBytes(largeBytes);
      await fixture.store.put('k', bytes);
      let filledBytes = 0;
      const target = new Uint8Array(largeBytes);
      // Lends less memory than requested at times: the store then reads only that much.
      const lend = (sizeBytes: number): Uint8Array =>
        target.subarray(filledBytes, filledBytes + Math.min(sizeBytes, 3 * 1024 * 1024));
      await using object = await fixture.store.get('k', {
        range: { start: 3, end: largeBytes },
        memory: { lend },
      });
      for await (const chunk of object.body) {
        if (chunk.buffer !== target.buffer) target.set(chunk, filledBytes);
        filledBytes += chunk.byteLength;
      }
      expectBytes(target.subarray(0, filledBytes), bytes.subarray(3));
    });

    test('memory is requested while a chunk is pulled, at most once: memory that was handed out is not overwritten', async (open) => {
      await using fixture = await open();
      await fixture.store.put('k', patternBytes(largeBytes));
      let mayAsk = 0;
      const lend = (sizeBytes: number): Uint8Array => {
        mayAsk -= 1;
        expect(mayAsk).toBe(0);
        return new Uint8Array(Math.min(sizeBytes, 1024 * 1024));
      };
      await using object = await fixture.store.get('k', { memory: { lend } });
      const chunks = object.body[Symbol.asyncIterator]();
      for (let isDone = false; !isDone;) {
        mayAsk = 1;
        isDone = (await chunks.next()).done === true;
        mayAsk = 0;
        for (let turn = 0; turn < 5; turn += 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    });

    test('without a range all bytes are returned; an empty object has none', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      for (const length of [0, 1, 4096, largeBytes]) {
        await store.put('k', patternBytes(length, length));
        await using object = await store.get('k');
        expect(object.sizeBytes).toBe(length);
        const chunks = await collect(object.body);
        expect(chunks.every((chunk) => chunk.byteLength > 0)).toBe(true);
        expectBytes(concatenated(chunks), patternBytes(length, length));
      }
    });

    test('a range that the object does not hold is OBJECT_SHORT_READ', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(10));
      await store.put('empty', new Uint8Array(0));
      for (const range of [
        { start: 0, end: 11 },
        { start: 9, end: 11 },
        { start: 10, end: 11 },
        { start: 2 ** 40, end: 2 ** 40 + 1 },
        { start: 0, end: Number.MAX_SAFE_INTEGER },
      ]) {
        await expectStoreFailure(
          readObject(store, 'k', { range }),
          'OBJECT_SHORT_READ',
          'k',
          store,
        );
        await expectStoreFailure(
          readObject(store, 'empty', { range }),
          'OBJECT_SHORT_READ',
          'empty',
          store,
        );
      }
    });

    test('a malformed range is INVALID_PARAMETER, whether the object exists or not', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(10));
      for (const [start, end] of [
        [0, 0],
        [5, 5],
        [5, 4],
        [-1, 5],
        [0, -1],
        [0.5, 2],
        [0, 2.5],
        [Number.NaN, 1],
        [0, Number.POSITIVE_INFINITY],
        [0, 2 ** 53],
      ] as const) {
        await expectRejection(store.get('k', { range: { start, end } }), 'INVALID_PARAMETER');
        await expectRejection(store.get('missing', { range: { start, end } }), 'INVALID_PARAMETER');
      }
    });

    test('an object that is deleted or replaced while it is read yields its own bytes, or throws', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const bytes = patternBytes(largeBytes, 1);
      for (const change of [
        () => store.delete('k'),
        () => store.put('k', patternBytes(largeBytes, 2)),
      ]) {
        await store.put('k', bytes);
        await using object = await store.get('k');
        const chunks: Uint8Array[] = [];
        const reading = async (): Promise<Uint8Array> => {
          for await (const chunk of object.body) {
            chunks.push(chunk);
            if (chunks.length === 1) await change();
          }
          return concatenated(chunks);
        };
        const outcome = await reading().catch((error: unknown) =>
          isQuireError(error) ? error.code : error,
        );
        expect(['OBJECT_NOT_FOUND', crc32(bytes)]).toContain(
          outcome instanceof Uint8Array ? crc32(outcome) : outcome,
        );
      }
    });

    test('retained chunks keep their bytes', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(largeBytes, 1));
      await using object = await store.get('k');
      const chunks = await collect(object.body);
      await store.put('k', patternBytes(largeBytes, 2));
      await store.delete('k');
      await store.put('k', patternBytes(largeBytes, 3));
      expectBytes(concatenated(chunks), patternBytes(largeBytes, 1));
    });

    test('a body is iterated once, and not after disposal', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(10));
      const read = await store.get('k');
      await collect(read.body);
      await expectRejection(collect(read.body), 'INTERNAL');
      const disposed = await store.get('k');
      await disposed[Symbol.asyncDispose]();
      await expectRejection(collect(disposed.body), 'INTERNAL');
    });

    test('a body may be left early, and disposed at any time and twice', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(largeBytes));
      const left = await store.get('k');
      for await (const chunk of left.body) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await expectRejection(collect(left.body), 'INTERNAL');

      const abandoned = await store.get('k');
      const iterator = abandoned.body[Symbol.asyncIterator]();
      await iterator.next();
      await abandoned[Symbol.asyncDispose]();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });

      const finished = await store.get('k');
      await collect(finished.body);
      for (const object of [left, abandoned, finished]) {
        await object[Symbol.asyncDispose]();
        await object[Symbol.asyncDispose]();
      }
    });

    test('concurrent reads of one object succeed', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const bytes = patternBytes(100_000);
      await store.put('k', bytes);
      const ranges = Array.from({ length: 40 }, (_, index) => ({
        start: index * 2000,
        end: index * 2000 + 20_000,
      }));
      const parts = await Promise.all(ranges.map((range) => readObject(store, 'k', { range })));
      for (const [index, { start, end }] of ranges.entries()) {
        expectBytes(parts[index]!, bytes.subarray(start, end));
      }
    });
  },
);
