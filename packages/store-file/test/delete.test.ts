import { join } from 'node:path';
import { FileObjectStore, nodeFileSystem } from '@quire/store-file';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';
import { errnoError, TracedFileSystem } from './traced-file-system.ts';

async function setUp() {
  const temporary = await createTemporaryRoot();
  const traced = new TracedFileSystem(temporary.path);
  const store = await FileObjectStore.open({ root: temporary.path, fileSystem: traced.fileSystem });
  return {
    temporary,
    traced,
    store,
    [Symbol.asyncDispose]: async () => temporary[Symbol.asyncDispose](),
  };
}

describe('delete', () => {
  test('delete removes the directories that it leaves empty, up to the root', async () => {
    await using setup = await setUp();
    const { store, temporary } = setup;
    await store.put('a/b/c/1', Uint8Array.of(1));
    await store.put('a/2', Uint8Array.of(1));
    await store.delete('a/b/c/1');
    expect(await temporary.tree()).toEqual(['a/', 'a/2']);
    await store.delete('a/2');
    expect(await temporary.tree()).toEqual([]);
  });

  test('delete finishes what a delete that died halfway has begun', async () => {
    await using setup = await setUp();
    const { store, temporary } = setup;
    await nodeFileSystem.makeDirectory(join(temporary.path, 'a'));
    await nodeFileSystem.makeDirectory(join(temporary.path, 'a/b'));
    await store.delete('a/b/gone');
    expect(await temporary.tree()).toEqual([]);
  });

  test('delete goes on upwards when another has removed a directory', async () => {
    await using setup = await setUp();
    const { store, temporary, traced } = setup;
    await store.put('a/b/c', Uint8Array.of(1));
    traced.before = async ({ operation, path }) => {
      if (operation === 'removeDirectory' && path === 'a/b') {
        await nodeFileSystem.removeDirectory(join(temporary.path, 'a/b'));
      }
    };
    await store.delete('a/b/c');
    expect(await temporary.tree()).toEqual([]);
  });

  test('the object is gone even when its empty directory cannot be removed', async () => {
    await using setup = await setUp();
    const { store, temporary, traced } = setup;
    await store.put('a/b', Uint8Array.of(1));
    traced.before = ({ operation }) => {
      if (operation === 'removeDirectory') throw errnoError('EACCES');
    };
    await store.delete('a/b');
    expect(await temporary.tree()).toEqual(['a/']);
  });

  test('delete syncs the directory of the object, if a power failure must not restore it', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.put('a/b', Uint8Array.of(1));
    traced.reset();
    await store.delete('a/b', { isDurable: true });
    expect(traced.log).toEqual([
      'realPath a',
      'unlink a/b',
      'syncDirectory a',
      'removeDirectory a',
    ]);
  });

  test('delete syncs the directory above one that another process has removed', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.reset();
    await store.delete('a/b/c', { isDurable: true });
    expect(traced.log.filter((call) => call.startsWith('syncDirectory'))).toEqual([
      'syncDirectory a/b',
      'syncDirectory a',
      'syncDirectory .',
    ]);
  });

  test('delete is STORE_UNAVAILABLE if the directory cannot be synced', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.put('a/b', Uint8Array.of(1));
    traced.before = ({ operation }) => {
      if (operation === 'syncDirectory') throw errnoError('EIO');
    };
    await expect(store.delete('a/b', { isDurable: true })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `delete of a/b in ${store.location}: the object was deleted, but EIO prevented making it durable.`,
    });
  });

  test.each(['EISDIR', 'EPERM'])(
    'a directory is not an object, on systems that say %s as well',
    async (errno) => {
      await using setup = await setUp();
      const { store, temporary, traced } = setup;
      await store.put('a/b', Uint8Array.of(1));
      traced.before = ({ operation }) => {
        if (operation === 'unlink') throw errnoError(errno);
      };
      await store.delete('a');
      expect(await temporary.tree()).toEqual(['a/', 'a/b']);
    },
  );

  test.each(['EACCES', 'EPERM', 'EIO', 'EROFS'])(
    'delete: %s is STORE_UNAVAILABLE',
    async (errno) => {
      await using setup = await setUp();
      const { store, traced } = setup;
      await store.put('a/b', Uint8Array.of(1));
      traced.before = ({ operation }) => {
        if (operation === 'unlink') throw errnoError(errno, 'unlink');
      };
      await expect(store.delete('a/b')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: `delete of a/b in ${store.location} failed: ${errno}: injected, unlink.`,
      });
    },
  );

  test('delete needs no room and creates nothing', async () => {
    await using setup = await setUp();
    const { store, temporary, traced } = setup;
    await store.put('a/b', Uint8Array.of(1));
    traced.reset();
    traced.before = ({ operation }) => {
      if (['create', 'write', 'makeDirectory', 'rename'].includes(operation)) {
        throw errnoError('ENOSPC');
      }
    };
    await store.delete('a/b');
    expect(await temporary.tree()).toEqual([]);
    expect(traced.log).toEqual(['realPath a', 'unlink a/b', 'removeDirectory a']);
  });
});
