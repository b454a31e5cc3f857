import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isConditionalWriter, type ObjectStore, readObject } from '@quire/core';
import { collect, ManualClock } from '@quire/core/testing';
import { FileObjectStore, nodeFileSystem } from '@quire/store-file';
import { assert, describe, expect, test } from 'vitest';
import { createTemporaryRoot, type TemporaryRoot } from './temporary-root.ts';
import { errnoError, type FileOperation, TracedFileSystem } from './traced-file-system.ts';

const mebibyte = 1024 * 1024;

interface Setup extends AsyncDisposable {
  readonly temporary: TemporaryRoot;
  readonly store: ObjectStore;
  readonly traced: TracedFileSystem;
  readonly clock: ManualClock;
}

async function setUp(): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  const traced = new TracedFileSystem(temporary.path);
  const clock = new ManualClock({ nowMs: 1_767_225_600_123 });
  const store = await FileObjectStore.open({
    root: temporary.path,
    fileSystem: traced.fileSystem,
    clock,
  });
  traced.reset();
  return {
    temporary,
    store,
    traced,
    clock,
    [Symbol.asyncDispose]: async () => temporary[Symbol.asyncDispose](),
  };
}

async function* zeros(chunkCount: number, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunkCount; index += 1) yield new Uint8Array(chunkBytes);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(1);
  throw new Error('the source failed');
}

describe('put', () => {
  test('writes small objects one after another from the same memory', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    const written = new Set<ArrayBufferLike>();
    traced.overrides.write = (fd, bytes) => {
      written.add(bytes.buffer);
      return nodeFileSystem.write(fd, bytes);
    };
    // A failed write releases its memory as well.
    const failed = store.put('failed', failing()).catch((error: unknown) => error);
    expect(await failed).toMatchObject({ message: 'the source failed' });
    for (const key of ['a', 'b', 'c']) await store.put(key, Buffer.from(`text of ${key}`));
    expect(written.size).toBe(1);
    expect(Buffer.from(await readObject(store, 'a')).toString()).toBe('text of a');
  });

  test('stages, syncs, renames, and makes every new name durable', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.put('a/b/c', Uint8Array.of(1, 2, 3));
    expect(traced.log).toEqual([
      'create .staging/*',
      'write .staging/*',
      'setLastModified .staging/*',
      'sync .staging/*',
      'close .staging/*',
      'realPath a/b',
      'makeDirectory a/b',
      'makeDirectory a',
      'syncDirectory .',
      'makeDirectory a/b',
      'syncDirectory a',
      'realPath a/b',
      'rename .staging/*',
      'syncDirectory a/b',
    ]);
    traced.reset();
    await store.put('a/b/d', new Uint8Array(0));
    expect(traced.log).toEqual([
      'create .staging/*',
      'setLastModified .staging/*',
      'sync .staging/*',
      'close .staging/*',
      'realPath a/b',
      'rename .staging/*',
      'syncDirectory a/b',
    ]);
  });

  test('put syncs much of a large file while it is written; what fails then fails the put, though the last sync succeeds', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.put('a/k', zeros(9, mebibyte));
    expect(traced.count('sync')).toBe(2);
    traced.reset();
    traced.before = ({ operation }) => {
      if (operation === 'sync' && traced.count('sync') === 1) throw errnoError('EIO', 'fsync');
    };
    await expect(store.put('a/other', zeros(9, mebibyte))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(traced.openCount).toBe(0);
    expect((await collect(store.list(''))).map(({ key }) => key)).toEqual(['a/k']);
  });

  test('the object is a plain file that only owner and group may read, dated by the clock', async () => {
    await using setup = await setUp();
    const { store, temporary, clock } = setup;
    const entry = await store.put('a/data.arrow', Uint8Array.of(1, 2, 3));
    const path = join(temporary.path, 'a', 'data.arrow');
    expect(entry).toEqual({ key: 'a/data.arrow', sizeBytes: 3, lastModifiedMs: clock.nowMs() });
    expect(await store.head('a/data.arrow')).toEqual(entry);
    expect(await collect(store.list(''))).toEqual([entry]);
    expect(new Uint8Array(await readFile(path))).toEqual(Uint8Array.of(1, 2, 3));
    expect((await stat(path)).mode & 0o007).toBe(0);
  });

  test('small chunks are gathered into writes of a mebibyte; large ones are written as they are', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.put('small', zeros(3 * 1024 + 1, 1024));
    expect(traced.count('write')).toBe(4);
    traced.reset();
    await store.put('large', zeros(3, 5 * mebibyte));
    expect(traced.count('write')).toBe(3);
    traced.reset();
    await store.put('huge', new Uint8Array(65 * mebibyte));
    expect(traced.count('write')).toBe(2);
    traced.reset();
    async function* mixed(): AsyncGenerator<Uint8Array> {
      yield* zeros(1, 10);
      yield* zeros(1, mebibyte);
      yield* zeros(1, 10);
    }
    await store.put('mixed', mixed());
    expect(traced.count('write')).toBe(3);
  });

  test("put takes a mebibyte of chunks while the one before is written, and no more; their memory is their owner's again", async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    const quarter = mebibyte / 4;
    const written = Promise.withResolvers<void>();
    const isFull = Promise.withResolvers<void>();
    traced.before = ({ operation }) => (operation === 'write' ? written.promise : undefined);
    let takenCount = 0;
    const memory = new Uint8Array(quarter);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 15; index += 1) {
        memory.fill(index);
        yield memory;
        takenCount += 1;
        if (takenCount === 8) isFull.resolve();
      }
    }
    const put = store.put('k', chunks());
    await isFull.promise;
    await new Promise(setImmediate);
    expect(takenCount).toBe(8);
    expect(traced.count('write')).toBe(1);
    written.resolve();
    await put;
    const expected = Buffer.concat(
      Array.from({ length: 15 }, (_, index) => Buffer.alloc(quarter, index)),
    );
    expect(Buffer.compare(await readObject(store, 'k'), expected)).toBe(0);
    expect(traced.count('write')).toBe(4);
  });

  test.each([5, 8, 9])(
    'a write that fails while %i more chunks come fails the put',
    async (chunkCount) => {
      await using setup = await setUp();
      const { store, traced, temporary } = setup;
      traced.before = async ({ operation }) => {
        if (operation !== 'write' || traced.count('write') > 1) return;
        await new Promise(setImmediate);
        throw errnoError('ENOSPC', 'write');
      };
      await expect(store.put('k', zeros(chunkCount, mebibyte / 4))).rejects.toMatchObject({
        code: 'STORE_FULL',
      });
      expect(await temporary.tree()).toEqual([]);
      expect(traced.openCount).toBe(0);
    },
  );

  test('put does not close the file of a put that is given up before the write under way has ended', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    const written = Promise.withResolvers<void>();
    traced.before = ({ operation }) => (operation === 'write' ? written.promise : undefined);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield* zeros(5, mebibyte / 4);
      setImmediate(() => {
        expect(traced.log.at(-1)).toBe('write .staging/*');
        written.resolve();
      });
      throw new Error('The source gives up.');
    }
    await expect(store.put('k', chunks())).rejects.toThrow('The source gives up.');
    expect(traced.log.slice(1)).toEqual([
      'write .staging/*',
      'close .staging/*',
      'unlink .staging/*',
    ]);
    expect(await temporary.tree()).toEqual([]);
  });

  test('put goes on when the system writes less than it was given', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.overrides = { write: (fd, bytes) => nodeFileSystem.write(fd, bytes.subarray(0, 7)) };
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
    await store.put('k', bytes);
    expect(await readObject(store, 'k')).toEqual(bytes);
  });

  /**
   * The failures of a put, and the errors that it throws. Those of the first half happen before the
   * object exists.
   */
  const failures: [FileOperation, string, string][] = [
    ['create', 'ENOSPC', 'STORE_FULL'],
    ['create', 'EMFILE', 'STORE_UNAVAILABLE'],
    ['write', 'ENOSPC', 'STORE_FULL'],
    ['write', 'EDQUOT', 'STORE_FULL'],
    ['write', 'EFBIG', 'STORE_FULL'],
    ['write', 'EIO', 'STORE_UNAVAILABLE'],
    ['setLastModified', 'EIO', 'STORE_UNAVAILABLE'],
    ['sync', 'EIO', 'STORE_UNAVAILABLE'],
    ['sync', 'ENOSPC', 'STORE_FULL'],
    ['close', 'EIO', 'STORE_UNAVAILABLE'],
    ['realPath', 'EACCES', 'STORE_UNAVAILABLE'],
    ['makeDirectory', 'ENOSPC', 'STORE_FULL'],
    ['makeDirectory', 'EACCES', 'STORE_UNAVAILABLE'],
    ['rename', 'EIO', 'STORE_UNAVAILABLE'],
    ['rename', 'EXDEV', 'STORE_UNAVAILABLE'],
    ['rename', 'ENOSPC', 'STORE_FULL'],
  ];

  test.each(failures)(
    'a %s that fails with %s is %s, leaves the old state and nothing else',
    async (operation, errno, code) => {
      await using setup = await setUp();
      const { store, traced, temporary } = setup;
      await store.put('old/k', Uint8Array.of(1));
      // No directory is created if it exists.
      for (const key of operation === 'makeDirectory' ? ['new/deep/k'] : ['old/k', 'new/deep/k']) {
        let isHit = false;
        traced.before = (call) => {
          if (call.operation !== operation || isHit) return;
          isHit = true;
          throw errnoError(errno, operation);
        };
        const message = expect.stringContaining(errno) as string;
        await expect(store.put(key, zeros(3, mebibyte))).rejects.toMatchObject({ code, message });
      }
      traced.before = () => undefined;
      expect(await temporary.tree()).toEqual(['old/', 'old/k']);
      expect(await readObject(store, 'old/k')).toEqual(Uint8Array.of(1));
      expect(traced.openCount).toBe(0);
    },
  );

  test.each(['EIO', 'ENOSPC'])(
    'put is STORE_UNAVAILABLE when the last sync fails with %s, and the new object stands, whole',
    async (errno) => {
      await using setup = await setUp();
      const { store, traced, temporary } = setup;
      await store.put('a/k', Uint8Array.of(1));
      traced.before = (call) => {
        if (call.operation === 'syncDirectory') throw errnoError(errno);
      };
      await expect(store.put('a/k', Uint8Array.of(2, 3))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect(await temporary.tree()).toEqual(['a/', 'a/k']);
      expect(await readObject(store, 'a/k')).toEqual(Uint8Array.of(2, 3));
    },
  );

  test('a failure to remove a staged file hides nothing of the first failure', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.before = ({ operation }) => {
      if (operation === 'write') throw errnoError('ENOSPC', 'write');
      if (operation === 'unlink') throw errnoError('EIO', 'unlink');
    };
    await expect(store.put('k', Uint8Array.of(1))).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(traced.openCount).toBe(0);
  });

  test('put makes the directory again as often as deletes remove it', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    let raceCount = 0;
    traced.before = async ({ operation }) => {
      if (operation !== 'rename' || raceCount >= 5) return;
      raceCount += 1;
      await nodeFileSystem.removeDirectory(join(temporary.path, 'a/b'));
      await nodeFileSystem.removeDirectory(join(temporary.path, 'a'));
    };
    await store.put('a/b/c', Uint8Array.of(1));
    expect(raceCount).toBe(5);
    expect(await temporary.tree()).toEqual(['a/', 'a/b/', 'a/b/c']);
  });

  test.each(['EPERM', 'ENOTSUP'])(
    'put of what must not exist works without links (%s), and never replaces',
    async (errno) => {
      await using setup = await setUp();
      const { store, traced, temporary } = setup;
      assert(isConditionalWriter(store));
      traced.before = ({ operation }) => {
        if (operation === 'link') throw errnoError(errno, 'link');
      };
      expect(await store.putIfAbsent('a/k', Uint8Array.of(1))).toMatchObject({ sizeBytes: 1 });
      expect(await store.putIfAbsent('a/k', Uint8Array.of(2))).toBeUndefined();
      expect(await readObject(store, 'a/k')).toEqual(Uint8Array.of(1));
      expect(await temporary.tree()).toEqual(['a/', 'a/k']);
    },
  );

  test('put of what must not exist is refused where a directory is, and stores where a file has just been deleted', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    assert(isConditionalWriter(store));
    await store.put('a/k', Uint8Array.of(1));
    await expect(store.putIfAbsent('a', Uint8Array.of(2))).rejects.toMatchObject({
      code: 'INVALID_OBJECT_KEY',
    });
    let isDeleted = false;
    traced.before = async ({ operation, path }) => {
      if (operation !== 'status' || path !== 'a/k' || isDeleted) return;
      isDeleted = true;
      await nodeFileSystem.unlink(join(temporary.path, 'a/k'));
    };
    expect(await store.putIfAbsent('a/k', Uint8Array.of(3))).toMatchObject({ sizeBytes: 1 });
    expect([isDeleted, await readObject(store, 'a/k')]).toEqual([true, Uint8Array.of(3)]);
    expect(await temporary.tree()).toEqual(['a/', 'a/k']);
  });

  test('put gives up when the staged file itself has vanished', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    traced.before = async ({ operation, path }) => {
      if (operation !== 'realPath' || path !== 'a') return;
      await nodeFileSystem.unlink(await stagedPath(temporary)).catch(() => undefined);
    };
    await expect(store.put('a/b', Uint8Array.of(1))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(await temporary.tree()).toEqual([]);
  });

  test('put makes the staging directory again when somebody has removed it', async () => {
    await using setup = await setUp();
    const { store, temporary } = setup;
    await nodeFileSystem.removeDirectory(join(temporary.path, '.staging'));
    await Promise.all([store.put('a', Uint8Array.of(1)), store.put('b', Uint8Array.of(2))]);
    expect(await temporary.tree()).toEqual(['a', 'b']);
  });

  test('a put of what was deleted before it had ended has succeeded', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    traced.before = async ({ operation, path }) => {
      if (operation !== 'syncDirectory' || path !== 'a') return;
      traced.before = () => undefined;
      await store.delete('a/b');
    };
    expect(await store.put('a/b', Uint8Array.of(1))).toMatchObject({ sizeBytes: 1 });
    expect(await temporary.tree()).toEqual([]);
  });
});

async function stagedPath(temporary: TemporaryRoot): Promise<string> {
  const [staged = ''] = (await temporary.tree()).filter((name) => name.startsWith('.staging/'));
  return join(temporary.path, staged);
}
