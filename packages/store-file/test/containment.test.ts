import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { FileObjectStore } from '@quire/store-file';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot, type TemporaryRoot } from './temporary-root.ts';

interface Setup extends AsyncDisposable {
  readonly store: ObjectStore;
  readonly temporary: TemporaryRoot;
  /** A secret outside of the root that must not be accessible. */
  readonly secretPath: string;
}

/** Creates a root with links to a secret outside of it. */
async function setUp(): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  const outside = join(temporary.path, 'outside');
  const root = join(temporary.path, 'root');
  await mkdir(outside);
  await mkdir(join(root, 'real'), { recursive: true });
  const secretPath = join(outside, 'secret');
  await writeFile(secretPath, 'secret');
  await symlink(outside, join(root, 'linked'));
  await symlink(secretPath, join(root, 'file-link'));
  await symlink(secretPath, join(root, 'real/file-link'));
  await symlink('..', join(root, 'real/up'));
  await writeFile(join(root, 'inside'), 'inside');
  await symlink('inside', join(root, 'inner-link'));
  // Node cannot create pipes. By default, opening one for reading waits for a writer.
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')]);
  const socket = createServer().listen(join(root, 'socket'));
  await once(socket, 'listening');
  const store = await FileObjectStore.open({ root });
  return {
    store,
    temporary,
    secretPath,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

const strangers = [
  'linked/secret',
  'file-link',
  'real/file-link',
  'real/up/inside',
  'inner-link',
  'linked',
  'real',
  'pipe',
  'socket',
];

describe('nothing outside of the root, and nothing that is not a plain file, is an object', () => {
  test.each(strangers)(
    'nothing outside of the root, and nothing that is not a plain file, is an object: %s cannot be read',
    async (key) => {
      await using setup = await setUp();
      await expect(setup.store.get(key)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
      await expect(setup.store.head(key)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    },
  );

  test.each(strangers)('deleting %s leaves what it leads to', async (key) => {
    await using setup = await setUp();
    await setup.store.delete(key);
    expect(await readFile(setup.secretPath, 'utf8')).toBe('secret');
    expect(
      (await setup.temporary.tree()).filter(
        (path) => path.includes('real/') || path.includes('inside'),
      ),
    ).toContain('root/inside');
  });

  test.each(['linked/new', 'linked/deep/new', 'linked/secret', 'real/up/new'])(
    'nothing outside of the root, and nothing that is not a plain file, is an object: %s cannot be put',
    async (key) => {
      await using setup = await setUp();
      const before = await setup.temporary.tree();
      await expect(setup.store.put(key, Uint8Array.of(1))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('symbolic link') as string,
      });
      expect(await setup.temporary.tree()).toEqual(before);
      expect(await readFile(setup.secretPath, 'utf8')).toBe('secret');
    },
  );

  test('a put takes the place of a link itself, never of what it leads to', async () => {
    await using setup = await setUp();
    await setup.store.put('file-link', Uint8Array.of(1));
    expect(await setup.store.head('file-link')).toMatchObject({ sizeBytes: 1 });
    expect(await readFile(setup.secretPath, 'utf8')).toBe('secret');
  });
});
