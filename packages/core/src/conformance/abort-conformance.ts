import { QuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import { readObject } from '../store/read-object.ts';
import { collect } from '../testing/index.ts';
import { expect } from 'vitest';
import { concatenated, expectBytes, expectRejection } from './store-expectations.ts';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { chunksOf, ManualSource, patternBytes } from '../testing/byte-sources.ts';

const largeBytes = 9 * 1024 * 1024;

/** Every operation of a store, called with a signal that aborts it. */
const calls: Record<string, (store: ObjectStore, signal: AbortSignal) => Promise<unknown>> = {
  head: (store, signal) => store.head('k', { signal }),
  get: (store, signal) => store.get('k', { signal }),
  'get of a range': (store, signal) => store.get('k', { signal, range: { start: 0, end: 1 } }),
  'put of bytes': (store, signal) => store.put('k', patternBytes(3, 2), { signal }),
  'put of a source': (store, signal) =>
    store.put('new', chunksOf(patternBytes(3, 2), 1), { signal }),
  list: (store, signal) => collect(store.list('', { signal })),
  delete: (store, signal) => store.delete('k', { signal }),
};

/** The cases for signals and disposal. */
export const endingCases: readonly StoreCase[] = [
  ...casesOf<OpenStoreFixture>('abort', (test) => {
    for (const [verb, call] of Object.entries(calls)) {
      test(`${verb} with an aborted signal is ABORTED and has no effect`, async (open) => {
        await using fixture = await open();
        const { store } = fixture;
        const entry = await store.put('k', patternBytes(5, 1));
        await expectRejection(call(store, AbortSignal.abort()), 'ABORTED');
        expect(await collect(store.list(''))).toEqual([entry]);
        expect(await readObject(store, 'k')).toEqual(patternBytes(5, 1));
        expect(await fixture.leftovers()).toEqual([]);
      });

      test(`${verb} throws the QuireError that the signal was aborted with`, async (open) => {
        await using fixture = await open();
        await fixture.store.put('k', patternBytes(5, 1));
        const reason = new QuireError('QUERY_TIMED_OUT', 'too slow');
        await expect(call(fixture.store, AbortSignal.abort(reason))).rejects.toBe(reason);
      });
    }

    test('a body stops at its current chunk', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(largeBytes));
      const controller = new AbortController();
      await using object = await store.get('k', { signal: controller.signal });
      let readBytes = 0;
      const reading = async (): Promise<void> => {
        for await (const chunk of object.body) {
          readBytes += chunk.byteLength;
          controller.abort();
        }
      };
      await expectRejection(reading(), 'ABORTED');
      expect(readBytes).toBeLessThan(largeBytes);
    });

    test('a body that was not read before the abort yields nothing', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(100));
      const controller = new AbortController();
      await using object = await store.get('k', { signal: controller.signal });
      controller.abort();
      await expectRejection(collect(object.body), 'ABORTED');
    });

    test('a listing stops at its current entry', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      for (let index = 0; index < 50; index += 1) {
        await store.put(`l/${index + 100}`, patternBytes(1));
      }
      const controller = new AbortController();
      const seen: string[] = [];
      const listing = async (): Promise<void> => {
        for await (const { key } of store.list('l/', { signal: controller.signal })) {
          seen.push(key);
          if (seen.length === 5) controller.abort();
        }
      };
      await expectRejection(listing(), 'ABORTED');
      expect(seen).toEqual(['l/100', 'l/101', 'l/102', 'l/103', 'l/104']);
    });

    test('a put stops while its source is stuck: the source is closed, the old object stays, nothing is left behind', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const old = await store.put('old', patternBytes(5, 1));
      for (const key of ['old', 'new', 'new/deeper']) {
        for (const chunkCount of [0, 1, 5]) {
          const controller = new AbortController();
          const source = new ManualSource();
          const put = store.put(key, source, { signal: controller.signal });
          for (let index = 0; index < chunkCount; index += 1) {
            await source.feed(patternBytes(700_000));
          }
          await source.untilPulled();
          controller.abort();
          await expectRejection(put, 'ABORTED');
          expect(source).toMatchObject({ isClosed: true, pullCount: chunkCount + 1 });
        }
      }
      expect(await collect(store.list(''))).toEqual([old]);
      expect(await readObject(store, 'old')).toEqual(patternBytes(5, 1));
      expect(await fixture.leftovers()).toEqual([]);
    });

    test('a signal that is aborted after the call has no effect', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const controller = new AbortController();
      const { signal } = controller;
      const entry = await store.put('k', chunksOf(patternBytes(1000), 100), { signal });
      const bytes = await readObject(store, 'k', { signal });
      controller.abort();
      expect(await store.head('k')).toEqual(entry);
      expectBytes(bytes, patternBytes(1000));
    });
  }),

  ...casesOf<OpenStoreFixture>('disposal', (test) => {
    for (const [verb, call] of Object.entries(calls)) {
      test(`afterwards ${verb} is SHUTTING_DOWN`, async (open) => {
        await using fixture = await open();
        await fixture.store.put('k', patternBytes(5, 1));
        await fixture.store[Symbol.asyncDispose]();
        await fixture.store[Symbol.asyncDispose]();
        await expectRejection(call(fixture.store, new AbortController().signal), 'SHUTTING_DOWN');
      });
    }

    test('bodies that were opened before stay readable', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      await store.put('k', patternBytes(largeBytes));
      await using object = await store.get('k');
      await store[Symbol.asyncDispose]();
      expectBytes(concatenated(await collect(object.body)), patternBytes(largeBytes));
    });

    test('a put in progress fails and leaves nothing behind', async (open) => {
      await using fixture = await open();
      const { store } = fixture;
      const source = new ManualSource();
      const put = store.put('k', source);
      await source.feed(patternBytes(1000));
      await source.untilPulled();
      await store[Symbol.asyncDispose]();
      await source.end();
      await expectRejection(put, 'SHUTTING_DOWN');
      expect(await fixture.leftovers()).toEqual([]);
    });
  }),
];
