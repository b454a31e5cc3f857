import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ObjectEntry, type ObjectStore, sourceChunks } from '@quire/core';

/**
 * A store that can only be written to, into the same files as the real one, but in a hurry: nothing
 * is synced, and every file is dated back. It sets the stage; it is not what is measured.
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
