import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { collect } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot, type TemporaryRoot } from './temporary-root.ts';
import { errnoError, TracedFileSystem } from './traced-file-system.ts';

interface Setup extends AsyncDisposable {
  readonly temporary: TemporaryRoot;
  readonly store: ObjectStore;
  readonly traced: TracedFileSystem;
}

/** Creates a store with these files, which another program wrote: the store has no index. */
async function setUp(...paths: readonly string[]): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  for (const path of paths) {
    await mkdir(join(temporary.path, path, '..'), { recursive: true });
    await writeFile(join(temporary.path, path), 'x');
  }
  const traced = new TracedFileSystem(temporary.path);
  const store = await FileObjectStore.open({ root: temporary.path, fileSystem: traced.fileSystem });
  traced.reset();
  return {
    temporary,
    store,
    traced,
    [Symbol.asyncDispose]: async () => temporary[Symbol.asyncDispose](),
  };
}

async function keysOf(store: ObjectStore, prefix = '', after?: string): Promise<string[]> {
  return (await collect(store.list(prefix, { after }))).map((entry) => entry.key);
}

function threeDigits(index: number): string {
  return String(index).padStart(3, '0');
}

describe('list', () => {
  test('list passes over everything that is not an object', async () => {
    await using setup = await setUp(
      'a/good',
      'a/.hidden',
      'a/.dir/x',
      'a/with space',
      'a/-dash',
      'a/ä',
      'a/b~',
      '.staging/left',
    );
    const { store, temporary } = setup;
    await mkdir(join(temporary.path, 'empty/deep'), { recursive: true });
    await mkdir(join(temporary.path, 'with space'));
    await writeFile(join(temporary.path, 'with space/x'), 'x');
    await symlink(join(temporary.path, 'a/good'), join(temporary.path, 'a/link'));
    await symlink(join(temporary.path, 'a'), join(temporary.path, 'linked'));
    await symlink('nowhere', join(temporary.path, 'a/dangling'));
    await mkdir(join(temporary.path, 'n'.repeat(255), 'm'.repeat(255)), { recursive: true });
    await writeFile(join(temporary.path, 'n'.repeat(255), 'm'.repeat(255), 'too-long'), 'x');
    expect(await keysOf(store)).toEqual(['a/good']);
    expect(await keysOf(store, 'linked/')).toEqual([]);
    expect(await keysOf(store, 'a/../a/')).toEqual([]);
  });

  test('list reads only the directories, and looks only at the files, that the prefix needs', async () => {
    await using setup = await setUp('a/x', 'b/1/data', 'b/1/record', 'b/2/data', 'c/x', 'b0/x');
    const { store, traced } = setup;
    expect(await keysOf(store, 'b/1/')).toEqual(['b/1/data', 'b/1/record']);
    expect(traced.log).toEqual([
      'realPath b/1',
      'readDirectory b/1/',
      'status b/1/data',
      'status b/1/record',
    ]);
    traced.reset();
    expect(await keysOf(store, 'b/1/d')).toEqual(['b/1/data']);
    expect(traced.log).toEqual(['realPath b/1', 'readDirectory b/1/', 'status b/1/data']);
    traced.reset();
    expect(await keysOf(store, '', 'b/2/data')).toEqual(['b0/x', 'c/x']);
    expect(traced.log.filter((line) => line.startsWith('status')).toSorted()).toEqual([
      'status b0/x',
      'status c/x',
    ]);
    expect(traced.count('readDirectory')).toBe(5); // the root, b, b/2, b0 and c
  });

  test('list opens no file', async () => {
    await using setup = await setUp('a/x', 'a/y', 'b/z');
    const { store, traced } = setup;
    expect(await keysOf(store)).toEqual(['a/x', 'a/y', 'b/z']);
    expect(traced.count('openForReading')).toBe(0);
  });

  test('list looks a bounded number of names ahead, and at nothing after the reader has left', async () => {
    const paths = Array.from({ length: 300 }, (_, index) => `r/${threeDigits(index)}/data`);
    await using setup = await setUp(...paths);
    const { store, traced } = setup;
    for await (const { key } of store.list('r/')) {
      expect(key).toBe('r/000/data');
      expect(traced.calls.length).toBeLessThan(40);
      break;
    }
    const callCount = traced.calls.length;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(traced.calls.length).toBe(callCount);
  });

  test('list passes over what vanishes during its walk', async () => {
    await using setup = await setUp('a/1/x', 'a/2/x', 'a/3/x', 'a/4/x');
    const { store, traced, temporary } = setup;
    const vanishing = new Map([
      ['readDirectory a/2/', 'a/2'],
      ['status a/3/x', 'a/3'],
    ]);
    traced.before = async ({ operation, path }) => {
      const directory = vanishing.get(`${operation} ${path}`);
      if (directory === undefined) return;
      await rename(
        join(temporary.path, directory),
        join(temporary.path, directory.replace('/', '-')),
      );
    };
    expect(await keysOf(store, 'a/')).toEqual(['a/1/x', 'a/4/x']);
  });

  test('a root that is gone is STORE_UNAVAILABLE, not an empty store', async () => {
    await using setup = await setUp('a/x');
    const { store, temporary } = setup;
    const moved = `${temporary.path}-moved`;
    await rename(temporary.path, moved);
    try {
      await expect(keysOf(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(keysOf(store, 'a/')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    } finally {
      await rename(moved, temporary.path);
    }
  });

  test.each([
    ['readDirectory', 'b/'],
    ['status', 'b/x'],
  ])(
    'a %s of %s that fails is STORE_UNAVAILABLE, after the entries before it',
    async (operation, path) => {
      await using setup = await setUp('a/x', 'b/x', 'c/x');
      const { store, traced } = setup;
      traced.before = (call) => {
        if (call.operation === operation && call.path === path) {
          throw errnoError('EACCES', operation);
        }
      };
      const seen: string[] = [];
      const listing = async (): Promise<void> => {
        for await (const { key } of store.list('')) seen.push(key);
      };
      await expect(listing()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/^list of file:\/\/\S+ failed: EACCES/) as string,
      });
      expect(seen).toEqual(['a/x']);
    },
  );

  test('an abort ends the walk within the look-ups under way', async () => {
    const paths = Array.from({ length: 200 }, (_, index) => `r/${threeDigits(index)}/data`);
    await using setup = await setUp(...paths);
    const { store, traced } = setup;
    const controller = new AbortController();
    const listing = async (): Promise<void> => {
      for await (const _ of store.list('', { signal: controller.signal })) controller.abort();
    };
    await expect(listing()).rejects.toMatchObject({ code: 'ABORTED' });
    expect(traced.calls.length).toBeLessThan(40);
  });
});
