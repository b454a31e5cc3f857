import { appendFile, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readObject } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { FileObjectStore, type FileSystem, nodeFileSystem } from '@quire/store-file';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';

const range = { start: 1, end: 4 };

interface Setup extends AsyncDisposable {
  readonly store: FileObjectStore;
  /** Another process. */
  readonly other: FileObjectStore;
  readonly path: string;
  /** Sets the duration of each cached read from now on. */
  readonly takeMs: (durationMs: number) => void;
  readonly clock: ManualClock;
}

async function setUp(): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  const clock = new ManualClock();
  let lateMs = 0;
  let readMs = 0;
  const slowClock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() + lateMs,
    sleep: (durationMs: number, signal?: AbortSignal) => clock.sleep(durationMs, signal),
  };
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    readSync: (...call) => {
      lateMs += readMs;
      return nodeFileSystem.readSync?.(...call) ?? 0;
    },
  };
  const store = await FileObjectStore.open({
    root: temporary.path,
    fileSystem,
    clock: slowClock,
    keepsFilesOpen: true,
  });
  const other = await FileObjectStore.open({ root: temporary.path, keepsFilesOpen: false });
  await other.put('a/k', Buffer.from('0123456789'));
  return {
    store,
    other,
    clock,
    path: temporary.path,
    takeMs: (durationMs) => {
      readMs = durationMs;
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Returns the bytes of the range as text; undefined if they are not cached. */
function cached(store: FileObjectStore, asked = range, key = 'a/k'): string | undefined {
  const target = Buffer.alloc(asked.end - asked.start);
  return store.readCached(key, asked, target) ? target.toString() : undefined;
}

const read = (store: FileObjectStore, key = 'a/k'): Promise<Uint8Array> =>
  readObject(store, key, { range });

describe('a range of a file', () => {
  test('a range of a file is at hand while the file is open', async () => {
    await using setup = await setUp();
    const { store, clock } = setup;
    expect(cached(store)).toBeUndefined();
    await read(store);
    expect(cached(store)).toBe('123');
    expect(cached(store, { start: 0, end: 10 })).toBe('0123456789');
    await clock.advance(1000);
    expect(cached(store)).toBeUndefined();
  });

  test('a range of a file that the file does not hold is not at hand', async () => {
    await using setup = await setUp();
    await read(setup.store);
    expect(cached(setup.store, { start: 8, end: 11 })).toBeUndefined();
    expect(cached(setup.store, { start: 11, end: 12 })).toBeUndefined();
  });

  test.each<[what: string, change: (setup: Setup) => Promise<unknown>]>([
    ['deleted', ({ store }) => store.delete('a/k')],
    ['deleted by another process', ({ other }) => other.delete('a/k')],
    ['replaced', ({ store }) => store.put('a/k', Buffer.from('abcdefghij'))],
    ['replaced by another process', ({ other }) => other.put('a/k', Buffer.from('abcdefghij'))],
    ['moved away', ({ path }) => rename(join(path, 'a/k'), join(path, 'a/elsewhere'))],
    ['written to', ({ path }) => appendFile(join(path, 'a/k'), 'more')],
    ['cut short', ({ path }) => truncate(join(path, 'a/k'), 2)],
  ])('a range of a file is not at hand once the file was %s', async (_what, change) => {
    await using setup = await setUp();
    await read(setup.store);
    await change(setup);
    expect(cached(setup.store)).toBeUndefined();
  });

  test('a range of a file is not at hand of a store that is closed, or keeps no files open', async () => {
    await using setup = await setUp();
    await read(setup.store);
    await read(setup.other);
    expect(cached(setup.other)).toBeUndefined();
    await setup.store[Symbol.asyncDispose]();
    expect(cached(setup.store)).toBeUndefined();
  });

  test('a range of a file is left to another thread when it is large', async () => {
    await using setup = await setUp();
    const { store } = setup;
    await store.put('a/large', Buffer.alloc(3 * 1024 * 1024, 'x'));
    await read(store, 'a/large');
    expect(cached(store, { start: 0, end: 2 * 1024 * 1024 + 1 }, 'a/large')).toBeUndefined();
    expect(cached(store, { start: 0, end: 2 * 1024 * 1024 }, 'a/large')).toHaveLength(
      2 * 1024 * 1024,
    );
  });

  test('a range of a file is left to another thread for a hundred times as long as the last one took, when that was slow', async () => {
    await using setup = await setUp();
    const { store, takeMs, clock } = setup;
    await read(store);
    takeMs(4);
    expect([cached(store), cached(store)]).toEqual(['123', '123']);
    takeMs(5);
    expect(cached(store)).toBe('123');
    takeMs(0);
    await clock.advance(400);
    await read(store);
    expect(cached(store)).toBeUndefined();
    await clock.advance(100);
    expect(cached(store)).toBe('123');
  });

  test('a range of a file is that of the object as it is, after any puts and deletes', async () => {
    const change = fc.record({
      isOurs: fc.boolean(),
      key: fc.constantFrom('a/1', 'b'),
      isPut: fc.boolean(),
      letter: fc.constantFrom('x', 'y', 'z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        await using setup = await setUp();
        const { store, other } = setup;
        for (const { isOurs, key, isPut, letter } of changes) {
          const by = isOurs ? store : other;
          await (isPut ? by.put(key, Buffer.from(letter.repeat(10))) : by.delete(key));
          for (const name of ['a/1', 'b']) {
            const expected = await read(other, name).then(
              (bytes) => Buffer.from(bytes).toString(),
              () => undefined,
            );
            expect([expected, undefined]).toContain(cached(store, range, name));
            await read(store, name).catch(() => undefined);
            expect(cached(store, range, name)).toBe(expected);
          }
        }
      }),
      { numRuns: 15 },
    );
  });
});
