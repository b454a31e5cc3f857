import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { FileObjectStore, type FileSystem } from '@quire/store-file';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';
import { errnoError, type FileOperation, TracedFileSystem } from './traced-file-system.ts';

describe('opening a file store', () => {
  test('opening a file store makes the root when its parent exists, and the staging directory', async () => {
    await using temporary = await createTemporaryRoot();
    const root = join(temporary.path, 'data');
    await using store = await FileObjectStore.open({ root });
    expect(store.location).toBe(`file://${root}`);
    expect(await temporary.tree()).toEqual(['data/', 'data/.staging/']);
    expect((await stat(root)).mode & 0o007).toBe(0);
  });

  test('a root of a file store that was just made survives a power failure', async () => {
    await using temporary = await createTemporaryRoot();
    const root = join(temporary.path, 'data');
    const traced = new TracedFileSystem(root);
    const synced: string[] = [];
    const fileSystem: FileSystem = {
      ...traced.fileSystem,
      syncDirectory: async (path) => void synced.push(path),
    };
    await using _ = await FileObjectStore.open({ root, fileSystem });
    expect(synced).toEqual([temporary.path]);
  });

  test('a file store opens below a directory that may not be read, whose names cannot be synced', async () => {
    await using temporary = await createTemporaryRoot();
    const traced = new TracedFileSystem(temporary.path);
    traced.before = ({ operation }) => {
      if (operation === 'syncDirectory') throw errnoError('EACCES');
    };
    await using store = await FileObjectStore.open({
      root: temporary.path,
      fileSystem: traced.fileSystem,
    });
    expect(store.location).toBe(`file://${temporary.path}`);
  });

  test('opening a file store opens what is there, from a relative path as well, and leaves it as it is', async () => {
    await using temporary = await createTemporaryRoot();
    await using first = await FileObjectStore.open({ root: temporary.path });
    await first.put('a/b', Uint8Array.of(1));
    await using second = await FileObjectStore.open({
      root: relative(process.cwd(), temporary.path),
    });
    expect(second.location).toBe(first.location);
    expect(await second.head('a/b')).toEqual(await first.head('a/b'));
    expect(await temporary.tree()).toEqual(['a/', 'a/b']);
  });

  test('the location is a URL, whatever the path', async () => {
    await using temporary = await createTemporaryRoot();
    await using store = await FileObjectStore.open({
      root: join(temporary.path, 'with space & 100%'),
    });
    expect(store.location).toBe(`file://${temporary.path}/with%20space%20&%20100%25`);
  });

  test('the root may be a symbolic link', async () => {
    await using temporary = await createTemporaryRoot();
    await mkdir(join(temporary.path, 'real'));
    await symlink('real', join(temporary.path, 'link'));
    await using store = await FileObjectStore.open({ root: join(temporary.path, 'link') });
    await store.put('a/b', Uint8Array.of(1));
    expect(store.location).toBe(`file://${temporary.path}/real`);
    expect(await temporary.tree()).toEqual([
      'link',
      'real/',
      'real/.staging/',
      'real/a/',
      'real/a/b',
    ]);
  });

  test.each([
    ['whose parent is missing', 'missing/data', 'ENOENT'],
    ['that is a file', 'file', 'file is not a directory'],
    ['below a file', 'file/data', 'ENOTDIR'],
    ['that is a link to nowhere', 'dangling', 'ENOENT'],
    ['with a staging directory that leads elsewhere', 'tampered', '.staging is not a directory'],
  ])('a root %s is refused with the reason', async (_, name, reason) => {
    await using temporary = await createTemporaryRoot();
    await writeFile(join(temporary.path, 'file'), '');
    await symlink('nowhere', join(temporary.path, 'dangling'));
    await mkdir(join(temporary.path, 'tampered'));
    await symlink('/', join(temporary.path, 'tampered', '.staging'));
    await expect(FileObjectStore.open({ root: join(temporary.path, name) })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining(reason) as string,
    });
  });

  test.each(['', 'a\0b'])('opening a file store: %j is not a path', async (root) => {
    await expect(FileObjectStore.open({ root })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  });

  test.each<[FileOperation, string, string]>([
    ['makeDirectory', 'EACCES', 'INVALID_PARAMETER'],
    ['makeDirectory', 'EROFS', 'INVALID_PARAMETER'],
    ['create', 'EACCES', 'INVALID_PARAMETER'],
    ['create', 'EROFS', 'INVALID_PARAMETER'],
    ['makeDirectory', 'ENOSPC', 'STORE_FULL'],
    ['create', 'EMFILE', 'STORE_UNAVAILABLE'],
    ['readDirectory', 'EIO', 'STORE_UNAVAILABLE'],
  ])('a %s that fails with %s is %s', async (operation, errno, code) => {
    await using temporary = await createTemporaryRoot();
    const root = join(temporary.path, 'data');
    const traced = new TracedFileSystem(root);
    traced.before = (call) => {
      if (call.operation === operation) throw errnoError(errno);
    };
    await expect(
      FileObjectStore.open({ root, fileSystem: traced.fileSystem }),
    ).rejects.toMatchObject({
      code,
      message: expect.stringMatching(`${root}.*${errno}`) as string,
    });
    expect(traced.openCount).toBe(0);
  });

  test.each(['ENOSPC', 'EDQUOT'])(
    'a full disk (%s) opens, so that it can be freed',
    async (errno) => {
      await using temporary = await createTemporaryRoot();
      await using before = await FileObjectStore.open({ root: temporary.path });
      await before.put('a/b', Uint8Array.of(1));
      const traced = new TracedFileSystem(temporary.path);
      traced.before = ({ operation }) => {
        if (['create', 'write', 'rename'].includes(operation)) throw errnoError(errno);
      };
      await using store = await FileObjectStore.open({
        root: temporary.path,
        fileSystem: traced.fileSystem,
      });
      await store.delete('a/b');
      expect(await temporary.tree()).toEqual([]);
    },
  );

  test('opening a file store removes what dead writers have left a day ago, and nothing else', async () => {
    await using temporary = await createTemporaryRoot();
    const clock = new ManualClock();
    const staging = join(temporary.path, '.staging');
    await mkdir(join(staging, 'directory'), { recursive: true });
    const ages = { 'just-left': 0, 'nearly-a-day': 86_399, 'over-a-day': 86_401, 'long-dead': 1e8 };
    for (const [name, ageSeconds] of Object.entries(ages)) {
      await writeFile(join(staging, name), 'x');
      const seconds = clock.nowMs() / 1000 - ageSeconds;
      await utimes(join(staging, name), seconds, seconds);
    }
    await utimes(join(staging, 'directory'), 0, 0);
    await using _ = await FileObjectStore.open({ root: temporary.path, clock });
    expect((await readdir(staging)).toSorted()).toEqual(['directory', 'just-left', 'nearly-a-day']);
  });

  test('two processes may open, and clean, a file store at once', async () => {
    await using temporary = await createTemporaryRoot();
    const staging = join(temporary.path, '.staging');
    await mkdir(staging);
    for (let index = 0; index < 20; index += 1) {
      await writeFile(join(staging, `dead-${index}`), 'x');
      await utimes(join(staging, `dead-${index}`), 0, 0);
    }
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => FileObjectStore.open({ root: temporary.path })),
    );
    expect(await temporary.tree()).toEqual([]);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });
});
