import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileObjectStore, type FileSystem, nodeFileSystem } from '@quire/store-file';
import {
  describeObjectStore,
  type StoreFixture,
  type StoreFixtureOptions,
} from '@quire/core/conformance';

async function openFileStore({ sizeMaxBytes }: StoreFixtureOptions = {}): Promise<StoreFixture> {
  const root = await mkdtemp(join(tmpdir(), 'quire-store-'));
  const fileSystem = sizeMaxBytes === undefined ? nodeFileSystem : smallDisk(sizeMaxBytes);
  const store = await FileObjectStore.open({ root, fileSystem });
  return {
    store,
    leftovers: () => leftoversIn(root),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true });
    },
  };
}

/** Staged files, and directories without any file. */
async function leftoversIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const isEmpty = (path: string): boolean => !paths.some((other) => other.startsWith(`${path}/`));
  const staging = join(root, '.staging');
  return entries
    .map((entry, index) => ({ entry, path: paths[index] ?? '' }))
    .filter(({ entry, path }) =>
      entry.isDirectory() ? path !== staging && isEmpty(path) : path.startsWith(staging),
    )
    .map(({ path }) => path);
}

/** A file system that refuses files larger than the given size. */
function smallDisk(sizeMaxBytes: number): FileSystem {
  const written = new Map<number, number>();
  return {
    ...nodeFileSystem,
    async create(path) {
      const fd = await nodeFileSystem.create(path);
      written.set(fd, 0);
      return fd;
    },
    async write(fd, bytes) {
      const total = (written.get(fd) ?? 0) + bytes.byteLength;
      if (total > sizeMaxBytes) {
        throw Object.assign(new Error('ENOSPC: no space left, write'), {
          code: 'ENOSPC',
          errno: -28,
        });
      }
      written.set(fd, total);
      return nodeFileSystem.write(fd, bytes);
    },
  };
}

describeObjectStore('file store', openFileStore, { modelRunCount: 30 });
