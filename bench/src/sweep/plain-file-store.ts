import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ObjectEntry, type ObjectStore, sourceChunks } from '@quire/core';

/**
 * A write-only store, into the same files as the real one, but fast: without fsync, and with every
 * file backdated. It prepares the data; it is not measured.
 */
export function plainFileStore(root: string, modifiedMs: number): ObjectStore {
  return {
    location: `file://${root}`,
    async put(key, body): Promise<ObjectEntry> {
      const path = join(root, key);
      const bytes = Buffer.concat(await Array.fromAsync(sourceChunks(body, undefined)));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
      utimesSync(path, modifiedMs / 1000, modifiedMs / 1000);
      return { key, sizeBytes: bytes.length, lastModifiedMs: modifiedMs };
    },
    head: unsupported,
    get: unsupported,
    list: unsupported,
    delete: unsupported,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function unsupported(): never {
  throw new Error('This store is only written to.');
}
