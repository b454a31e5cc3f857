import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { collect } from '@quire/core/testing';
import { FileObjectStore, nodeFileSystem } from '@quire/store-file';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BulkThread } from '../src/bulk-thread.ts';
import { createTemporaryRoot, type TemporaryRoot } from './temporary-root.ts';

/**
 * The number of directories in one that threads list in several batches; some have other content.
 */
const manyFolders = 700;
/** The number of directories that a thread lists in more than one batch. */
const someFolders = 300;

interface Setup extends AsyncDisposable {
  readonly temporary: TemporaryRoot;
  readonly store: FileObjectStore;
  /** The same directory, accessed with single calls. */
  readonly reference: FileObjectStore;
}

async function setUp(folderCount = someFolders): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  for (let index = 0; index < folderCount; index += 1) {
    const folder = join(temporary.path, 'many', `f${index}`);
    await mkdir(folder, { recursive: true });
    const names =
      index % 50 === 0
        ? []
        : index % 7 === 0
          ? ['b', 'a', 'd', 'c', '.hidden']
          : ['data.arrow', '1-2-3.json'];
    for (const name of names) await writeFile(join(folder, name), 'x'.repeat(index));
  }
  await mkdir(join(temporary.path, 'many/f13/deep/deeper'), { recursive: true });
  await writeFile(join(temporary.path, 'many/f13/deep/deeper/k'), 'deep');
  await writeFile(join(temporary.path, 'secret'), 'secret');
  await symlink(join(temporary.path, 'secret'), join(temporary.path, 'many/f14/link'));
  const store = await FileObjectStore.open({ root: temporary.path });
  const reference = await FileObjectStore.open({
    root: temporary.path,
    fileSystem: { ...nodeFileSystem },
  });
  const close = async (): Promise<void> => {
    await store[Symbol.asyncDispose]();
    await temporary[Symbol.asyncDispose]();
  };
  return { temporary, store, reference, [Symbol.asyncDispose]: close };
}

describe('many directories', () => {
  let many: Setup;
  beforeAll(async () => {
    many = await setUp(manyFolders);
  });
  afterAll(() => many[Symbol.asyncDispose]());

  test.each(['', 'many/', 'many/f1', 'many/f13/'])(
    'many directories are listed by threads as they are one by one: prefix "%s"',
    async (prefix) => {
      for (const after of [undefined, 'many/f13/deep', 'many/f35/a', 'many/f6999']) {
        const expected = await collect(many.reference.list(prefix, { after }));
        expect(await collect(many.store.list(prefix, { after }))).toEqual(expected);
        expect(expected.map(({ key }) => key)).toEqual(
          expected.map(({ key }) => key).toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }
    },
  );

  test('many directories may go while they are listed', async () => {
    await using setup = await setUp(manyFolders);
    const seen: string[] = [];
    for await (const { key } of setup.store.list('many/')) {
      if (seen.length === 0) await rm(join(setup.temporary.path, 'many/f99'), { recursive: true });
      seen.push(key);
    }
    expect(seen).toContain('many/f98/a');
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('many directories are not looked into any more once the listing was aborted, or its reader has left', async () => {
    await using store = await FileObjectStore.open({ root: many.temporary.path });
    const controller = new AbortController();
    const listing = async (): Promise<void> => {
      for await (const _ of store.list('', { signal: controller.signal })) controller.abort();
    };
    await expect(listing()).rejects.toMatchObject({ code: 'ABORTED' });
    for await (const { key } of store.list('')) {
      expect(key).toBe('many/f1/1-2-3.json');
      break;
    }
    await store[Symbol.asyncDispose]();
    await expect(collect(store.list(''))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('many folders deleted at once', () => {
  /**
   * Returns the objects that deletion by single calls leaves of a folder whose first object is
   * deleted before the others.
   */
  async function deleteStep(
    [first, ...others]: readonly [string, ...string[]],
    { reference }: Setup,
  ): Promise<void> {
    await reference.delete(first);
    const left = await collect(reference.list(`${dirname(first)}/`));
    if (left.some(({ key }) => !others.includes(key))) return;
    for (const key of others) await reference.delete(key);
  }

  test('many folders deleted at once leave what single calls leave, and tell which are gone', async () => {
    await using setup = await setUp(someFolders);
    await using twin = await setUp(someFolders);
    for (const { temporary } of [setup, twin]) {
      await mkdir(join(temporary.path, 'outside'));
      await writeFile(join(temporary.path, 'outside/1-2-3.json'), 'keep');
      await symlink(join(temporary.path, 'outside'), join(temporary.path, 'many/linked'));
      await mkdir(join(temporary.path, 'many/f15/data.arrow2'));
      await writeFile(join(temporary.path, 'many/f16/9-9-9.json'), 'a later record');
    }
    const folders = [
      ...Array.from({ length: someFolders }, (_, index) => `many/f${index}`),
      'many/linked',
      'many/none',
    ];
    const keysOf = (folder: string): readonly [string, string] => [
      `${folder}/1-2-3.json`,
      `${folder}/data.arrow`,
    ];
    const areGone = await Promise.all(
      folders.map((folder) => setup.store.deleteFolder(keysOf(folder))),
    );
    for (const [index, folder] of folders.entries()) {
      if (areGone[index] !== true) await deleteStep(keysOf(folder), setup);
      await deleteStep(keysOf(folder), twin);
    }
    expect(await setup.temporary.tree()).toEqual(await twin.temporary.tree());
    // Single calls are better for the first few, for a folder with other content, and for one that
    // is elsewhere or missing.
    const hasOthers = (index: number): boolean =>
      [13, 15, 16].includes(index) || (index % 7 === 0 && index % 50 !== 0);
    const indexes = folders.keys().toArray();
    const expected = indexes.filter(
      (index) => index < 3 || index >= someFolders || hasOthers(index),
    );
    expect(indexes.filter((index) => areGone[index] !== true)).toEqual(expected);
    expect(await setup.temporary.tree()).toContain('outside/1-2-3.json');
  });

  test('many folders deleted at once go with the folder above, when it is empty; nothing else is taken for a folder', async () => {
    await using temporary = await createTemporaryRoot();
    await using store = await FileObjectStore.open({ root: temporary.path });
    const keys = Array.from({ length: 40 }, (_, index): readonly [string, string] => [
      `b/${index}/r`,
      `b/${index}/d`,
    ]);
    for (const key of ['r', 'd', ...keys.flat()]) await store.put(key, Uint8Array.of(1));
    const outcomes = await Promise.all(keys.map((each) => store.deleteFolder(each)));
    expect(outcomes).toEqual(keys.map((_, index) => index >= 3));
    for (const key of keys.slice(0, 3).flat()) await store.delete(key);
    const busy = keys.map((each) => store.deleteFolder(each));
    expect(
      await Promise.all([store.deleteFolder(['r', 'd']), store.deleteFolder(['x/r', 'y/d'])]),
    ).toEqual([false, false]);
    await Promise.all(busy);
    expect((await temporary.tree()).filter((path) => !path.startsWith('.'))).toEqual(['d', 'r']);
    const aborted = AbortSignal.abort();
    await expect(store.deleteFolder(['b/1/r'], { signal: aborted })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(store.deleteFolder(['b/1/r', '../d'])).rejects.toMatchObject({
      code: 'INVALID_OBJECT_KEY',
    });
  });
});

describe('many deletions at once', () => {
  test('many deletions at once remove objects and the directories that are left empty, and nothing else', async () => {
    await using setup = await setUp();
    const objects = await collect(setup.reference.list('many/'));
    const strangers = ['many/f14/link', 'many/f13/deep', 'many/never/there', 'many'];
    await Promise.all(
      [...objects.map(({ key }) => key), ...strangers].map((key) => setup.store.delete(key)),
    );
    expect(await collect(setup.reference.list('many/'))).toEqual([]);
    expect((await setup.temporary.tree()).filter((path) => !/^many\/f\d+0\/$/.test(path))).toEqual(
      expect.arrayContaining(['many/', 'many/f21/.hidden', 'secret']),
    );
    expect(await setup.temporary.tree()).not.toContain('many/f13/');
  });

  test('many deletions at once leave listings at the same time as right as any', async () => {
    await using setup = await setUp();
    await symlink(
      join(setup.temporary.path, 'many/f14'),
      join(setup.temporary.path, 'many/linked'),
    );
    const busy = Array.from({ length: 200 }, (_, index) => setup.store.delete(`nowhere/${index}`));
    for (const prefix of [
      'many/f14/',
      'many/f7/c',
      'many/f13/',
      'many/f12/1-',
      'many/linked/',
      'many/none/',
      'nowhere/',
    ]) {
      const expected = await collect(setup.reference.list(prefix));
      expect(await collect(setup.store.list(prefix))).toEqual(expected);
      busy.push(
        ...Array.from({ length: 20 }, (_, index) => setup.store.delete(`nowhere/${index}`)),
      );
    }
    await Promise.all(busy);
  });

  test('many deletions at once do not follow a directory that is a symbolic link', async () => {
    await using setup = await setUp();
    await mkdir(join(setup.temporary.path, 'outside'));
    await writeFile(join(setup.temporary.path, 'outside/k'), 'keep');
    await symlink(join(setup.temporary.path, 'outside'), join(setup.temporary.path, 'many/linked'));
    await Promise.all(Array.from({ length: 20 }, () => setup.store.delete('many/linked/k')));
    expect(await setup.temporary.tree()).toContain('outside/k');
  });

  test('many deletions at once are each called off by their signal before their turn, and settle each for itself', async () => {
    await using setup = await setUp();
    const keys = Array.from({ length: 30 }, (_, index) => `many/f${index * 7 + 1}/data.arrow`);
    const controller = new AbortController();
    const settled = Promise.allSettled([
      ...keys.map((key) => setup.store.delete(key)),
      ...keys.map((key) =>
        setup.store.delete(key.replace('data.arrow', '1-2-3.json'), { signal: controller.signal }),
      ),
    ]);
    controller.abort();
    const outcomes = (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? 'done' : String(outcome.reason.code),
    );
    expect(outcomes.slice(0, 30).every((outcome) => outcome === 'done')).toBe(true);
    expect(outcomes.slice(30)).toContain('ABORTED');
    expect(await setup.reference.head('many/f204/1-2-3.json')).toMatchObject({
      key: 'many/f204/1-2-3.json',
    });
  });

  test.skipIf(process.platform !== 'linux')(
    'many deletions at once fail with the words of the system',
    async () => {
      const thread = new BulkThread();
      // A file that cannot be unlinked, not even by root.
      await expect(thread.delete('/proc/version', () => true)).rejects.toMatchObject({
        code: expect.stringMatching(/^(EPERM|EACCES)$/) as string,
        message: expect.stringContaining("unlink '/proc/version'") as string,
      });
      await expect(
        thread.listDirectories('/proc/1/fd', ['none', 'nothing'], () => true),
      ).resolves.toMatchObject({ names: [] });
      await thread.close();
    },
  );
});
