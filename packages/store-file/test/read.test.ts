import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ObjectStore, readObject } from '@quire/core';
import { collect } from '@quire/core/testing';
import { FileObjectStore, nodeFileSystem } from '@quire/store-file';
import { describe, expect, test } from 'vitest';
import { createTemporaryRoot, type TemporaryRoot } from './temporary-root.ts';
import { errnoError, type FileOperation, TracedFileSystem } from './traced-file-system.ts';

const mebibyte = 1024 * 1024;
const sizeBytes = 6 * mebibyte + 3;
const bytes = Uint8Array.from({ length: sizeBytes }, (_, index) => index % 251);

interface Setup extends AsyncDisposable {
  readonly temporary: TemporaryRoot;
  readonly store: ObjectStore;
  readonly traced: TracedFileSystem;
}

/** Creates a store with the object a/k of six mebibytes. */
async function setUp(): Promise<Setup> {
  const temporary = await createTemporaryRoot();
  const traced = new TracedFileSystem(temporary.path);
  const store = await FileObjectStore.open({ root: temporary.path, fileSystem: traced.fileSystem });
  await store.put('a/k', bytes);
  traced.reset();
  return {
    temporary,
    store,
    traced,
    [Symbol.asyncDispose]: async () => temporary[Symbol.asyncDispose](),
  };
}

describe('get', () => {
  test('a range of a mebibyte costs one open, one read and one close', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    const range = { start: mebibyte + 8, end: 2 * mebibyte + 8 };
    expect(
      Buffer.compare(
        await readObject(store, 'a/k', { range }),
        bytes.subarray(range.start, range.end),
      ),
    ).toBe(0);
    expect(traced.log).toEqual(['openForReading a/k', 'realPath a', 'read a/k', 'close a/k']);
    expect(traced.openCount).toBe(0);
  });

  test('get gives up to 4 MiB in one chunk, more in chunks of one; each in memory of its own, aligned', async () => {
    await using setup = await setUp();
    const { store } = setup;
    const lengthsOf = async (start: number, end: number): Promise<number[]> => {
      const chunks = await collect((await store.get('a/k', { range: { start, end } })).body);
      expect(
        chunks.every(
          (chunk) => chunk.byteOffset === 0 && chunk.buffer.byteLength === chunk.byteLength,
        ),
      ).toBe(true);
      // A Buffer's slice() shares memory where a Uint8Array's copies: readers must receive a copy.
      expect(chunks.every((chunk) => Object.getPrototypeOf(chunk) === Uint8Array.prototype)).toBe(
        true,
      );
      return chunks.map((chunk) => chunk.byteLength);
    };
    expect(await lengthsOf(5, 5 + 4 * mebibyte)).toEqual([4 * mebibyte]);
    expect(await lengthsOf(5, 6 + 4 * mebibyte)).toEqual([
      mebibyte,
      mebibyte,
      mebibyte,
      mebibyte,
      1,
    ]);
    expect(await lengthsOf(0, 7)).toEqual([7]);
  });

  test('get goes on when the system reads less than it was asked for', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.overrides = {
      read: (fd, buffer, offset, length, position) =>
        nodeFileSystem.read(fd, buffer, offset, Math.min(length, 1000), position),
    };
    expect(await readObject(store, 'a/k', { range: { start: 10, end: 4500 } })).toEqual(
      bytes.slice(10, 4500),
    );
    expect(traced.count('read')).toBe(5);
  });

  test('a file that is cut short while it is read is OBJECT_SHORT_READ', async () => {
    await using setup = await setUp();
    const { store, traced, temporary } = setup;
    const path = join(temporary.path, 'a/k');
    for (const range of [undefined, { start: 2 * mebibyte, end: 3 * mebibyte }]) {
      await truncate(path, sizeBytes);
      await using object = await store.get('a/k', { range });
      await truncate(path, 2 * mebibyte + 500);
      await expect(collect(object.body)).rejects.toMatchObject({
        code: 'OBJECT_SHORT_READ',
        message: expect.stringContaining(`ends after ${2 * mebibyte + 500} bytes`) as string,
      });
    }
    expect(traced.openCount).toBe(0);
  });

  test('the file is closed as soon as its last byte was read, before the reader comes back', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await using object = await store.get('a/k', { range: { start: 0, end: 8 } });
    for await (const _ of object.body) expect(traced.openCount).toBe(0);
  });

  test('no way out of a body leaves the file open', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    for await (const _ of (await store.get('a/k')).body) break;
    await (await store.get('a/k'))[Symbol.asyncDispose]();
    await store.get('a/k', { range: { start: 0, end: sizeBytes + 1 } }).catch(() => undefined);
    const halfRead = await store.get('a/k');
    await halfRead.body[Symbol.asyncIterator]().next();
    await halfRead[Symbol.asyncDispose]();
    const controller = new AbortController();
    const aborted = await store.get('a/k', { signal: controller.signal });
    controller.abort();
    await collect(aborted.body).catch(() => undefined);
    expect(traced.count('openForReading')).toBe(5);
    expect(traced.openCount).toBe(0);
  });

  test('an abort during the opening closes the file', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    const controller = new AbortController();
    traced.before = ({ operation }) => {
      if (operation === 'realPath') controller.abort();
    };
    await expect(store.get('a/k', { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(traced.log).toEqual(['openForReading a/k', 'realPath a', 'close a/k']);
    expect(traced.openCount).toBe(0);
  });

  test.each<[FileOperation, string, string]>([
    ['openForReading', 'ENOENT', 'OBJECT_NOT_FOUND'],
    ['openForReading', 'ENOTDIR', 'OBJECT_NOT_FOUND'],
    ['openForReading', 'ELOOP', 'OBJECT_NOT_FOUND'],
    ['openForReading', 'EACCES', 'STORE_UNAVAILABLE'],
    ['openForReading', 'EMFILE', 'STORE_UNAVAILABLE'],
    ['realPath', 'EACCES', 'STORE_UNAVAILABLE'],
    ['realPath', 'ENOENT', 'OBJECT_NOT_FOUND'],
    ['read', 'EIO', 'STORE_UNAVAILABLE'],
    ['close', 'EIO', 'STORE_UNAVAILABLE'],
  ])('a %s that fails with %s is %s', async (operation, errno, code) => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.before = (call) => {
      if (call.operation === operation) throw errnoError(errno, operation);
    };
    await expect(readObject(store, 'a/k', { range: { start: 0, end: 8 } })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(store.location) as string,
      cause: expect.objectContaining({ code: errno }) as Error,
    });
    expect(traced.openCount).toBe(0);
  });
});

describe('head', () => {
  test('head opens nothing', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    await store.head('a/k');
    expect(traced.log.toSorted()).toEqual(['realPath a', 'status a/k']);
  });

  test('an error of the system is STORE_UNAVAILABLE', async () => {
    await using setup = await setUp();
    const { store, traced } = setup;
    traced.before = ({ operation }) => {
      if (operation === 'status') throw errnoError('EACCES');
    };
    await expect(store.head('a/k')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
