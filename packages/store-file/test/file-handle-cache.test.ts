import { appendFile, link, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isQuireError, type ObjectStore, readObject } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';
import { TracedFileSystem } from './traced-file-system.ts';

const range = { start: 1, end: 4 };

interface Setup extends AsyncDisposable {
  /** Keeps files open. */
  readonly store: ObjectStore;
  readonly traced: TracedFileSystem;
  readonly clock: ManualClock;
  /** Another process, which caches none. */
  readonly other: ObjectStore;
  readonly path: string;
}

async function setUp(): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  const traced = new TracedFileSystem(temporary.path);
  const clock = new ManualClock();
  const store = await FileObjectStore.open({
    root: temporary.path,
    fileSystem: traced.fileSystem,
    clock,
    keepsFilesOpen: true,
  });
  const other = await FileObjectStore.open({ root: temporary.path, keepsFilesOpen: false });
  await other.put('a/k', Buffer.from('0123456789'));
  traced.reset();
  return {
    store,
    traced,
    clock,
    other,
    path: temporary.path,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Returns the bytes of the range as text, or the code of the failure. */
async function read(store: ObjectStore, key = 'a/k'): Promise<string> {
  try {
    return Buffer.from(await readObject(store, key, { range })).toString();
  } catch (error) {
    if (isQuireError(error)) return error.code;
    throw error;
  }
}

describe('files that stay open', () => {
  test('a range read soon after another costs one read', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    expect([await read(store), await read(store)]).toEqual(['123', '123']);
    expect(traced.log).toEqual(['openForReading a/k', 'realPath a', 'read a/k', 'read a/k']);
  });

  test('files that stay open stay open for a second, and are opened again after that', async () => {
    await using setup = await setUp();
    const { store, traced, clock } = setup;
    await read(store);
    await clock.advance(999);
    expect(traced.openCount).toBe(1);
    await clock.advance(1);
    expect(traced.openCount).toBe(0);
    expect(await read(store)).toBe('123');
    expect(traced.count('openForReading')).toBe(2);
  });

  test.each<[what: string, change: (setup: Setup) => Promise<unknown>, expected: string]>([
    ['deleted by another process', ({ other }) => other.delete('a/k'), 'OBJECT_NOT_FOUND'],
    [
      'replaced by another process',
      ({ other }) => other.put('a/k', Buffer.from('abcdefghij')),
      'bcd',
    ],
    [
      'moved away',
      ({ path }) => rename(join(path, 'a/k'), join(path, 'a/elsewhere')),
      'OBJECT_NOT_FOUND',
    ],
    ['written to', ({ path }) => appendFile(join(path, 'a/k'), 'more'), '123'],
    ['given another name', ({ path }) => link(join(path, 'a/k'), join(path, 'a/other')), '123'],
  ])('an open file that was %s is not taken for the object', async (_what, change, expected) => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await read(store);
    await change(setup);
    expect(await read(store)).toBe(expected);
    expect(traced.count('openForReading')).toBe(2);
  });

  test('a file with several names is not kept open: its status would not tell that it has lost one', async () => {
    await using setup = await setUp();
    const { store, traced, path } = setup;
    await link(join(path, 'a/k'), join(path, 'a/other'));
    await read(store);
    expect(traced.openCount).toBe(0);
  });

  test('deleting or replacing an object closes its file before that has ended', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await read(store);
    await store.put('a/k', Buffer.from('abcdefghij'));
    expect(traced.openCount).toBe(0);
    expect(await read(store)).toBe('bcd');
    await store.delete('a/k');
    expect(traced.openCount).toBe(0);
    expect(await read(store)).toBe('OBJECT_NOT_FOUND');
  });

  test('a reader of an object that is deleted reads on, and its open file is closed after that', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await read(store);
    const object = await store.get('a/k', { range });
    await store.delete('a/k');
    expect(traced.openCount).toBe(1);
    const chunks = await Array.fromAsync(object.body);
    expect(Buffer.concat(chunks).toString()).toBe('123');
    expect(traced.openCount).toBe(0);
  });

  test('no more than 64 stay open, the latest of them', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    const keys = Array.from({ length: 70 }, (_, index) => `a/${index}`);
    for (const key of keys) await store.put(key, Buffer.from('0123456789'));
    for (const key of keys) await read(store, key);
    expect(traced.openCount).toBe(64);
    traced.reset();
    await read(store, 'a/69');
    await read(store, 'a/5');
    expect(traced.count('openForReading')).toBe(1);
  });

  test('no file stays open when the store is closed', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await read(store);
    await store[Symbol.asyncDispose]();
    expect(traced.openCount).toBe(0);
  });

  test('any of several stores may put and delete: a store that keeps files open finds what one finds that does not', async () => {
    const stores = { ours: 0, others: 1 } as const;
    const change = fc.record({
      by: fc.constantFrom(stores.ours, stores.others),
      key: fc.constantFrom('a/1', 'a/2', 'b'),
      isPut: fc.boolean(),
      letter: fc.constantFrom('x', 'y', 'z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        await using setup = await setUp();
        const both = [setup.store, setup.other] as const;
        for (const { by, key, isPut, letter } of changes) {
          await (isPut ? both[by].put(key, Buffer.from(letter.repeat(10))) : both[by].delete(key));
          for (const name of ['a/1', 'a/2', 'b']) {
            expect(await read(setup.store, name)).toBe(await read(setup.other, name));
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
