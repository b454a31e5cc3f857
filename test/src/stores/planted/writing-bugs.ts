import {
  assertObjectKey,
  isQuireError,
  MiB,
  type ObjectEntry,
  type ObjectStore,
  QuireError,
} from '@quire/core';
import { collect } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { changed, changedFailures, chunksIn, type PlantedBug } from './planted-bug.ts';

const failingSource =
  'a source that throws: its own error is rethrown, the old object stays, nothing is left behind';
const pulls = 'a source is pulled one chunk at a time, and only when a chunk is needed';
const full =
  'a full store is STORE_FULL: the source is closed, the old object stays, nothing is left behind, and the space is released';
const deleting = 'deleting is repeatable, and afterwards the object is not found';

/** Wraps a store to change its sources. */
function changedSources(
  store: ObjectStore,
  change: (source: AsyncIterable<Uint8Array>, key: string) => AsyncIterable<Uint8Array>,
): ObjectStore {
  return changed(store, {
    put: (key, body, options) => {
      assertObjectKey(key);
      return store.put(key, change(chunksIn(body), key), options);
    },
  });
}

export const writingBugs: readonly PlantedBug[] = [
  {
    name: 'stores no more than 64 KiB of a chunk',
    caughtBy: 'a source is stored whole: chunks of just over a mebibyte',
    plant: (store) =>
      changedSources(store, async function* (source) {
        for await (const chunk of source) yield chunk.subarray(0, 65_536);
      }),
  },
  {
    name: 'takes an empty chunk for the end',
    caughtBy: 'an empty source and empty chunks are accepted',
    plant: (store) =>
      changedSources(store, async function* (source) {
        for await (const chunk of source) {
          if (chunk.byteLength === 0) return;
          yield chunk;
        }
      }),
  },
  {
    name: 'leaves an object as it is when there is one',
    caughtBy: 'a later put replaces an earlier one',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) =>
          store.head(key, options).catch(() => store.put(key, body, options)),
      }),
  },
  {
    name: 'writes in place, chunk by chunk',
    caughtBy: 'an object is invisible until its source has ended',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          let written = new Uint8Array(0);
          let entry: ObjectEntry = await store.put(key, written, options);
          for await (const chunk of chunksIn(body)) {
            written = Buffer.concat([written, chunk]);
            entry = await store.put(key, written, options);
          }
          return entry;
        },
      }),
  },
  {
    name: 'wraps the error of a source into one of its own',
    caughtBy: failingSource,
    plant: (store) =>
      changedFailures(store, (error) =>
        isQuireError(error, 'QUERY_LIMIT_EXCEEDED')
          ? new QuireError('STORE_UNAVAILABLE', error.message)
          : (error as Error),
      ),
  },
  {
    name: 'keeps what it got of a source that failed',
    caughtBy: failingSource,
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const chunks: Uint8Array[] = [];
          try {
            for await (const chunk of chunksIn(body)) chunks.push(chunk.slice());
          } finally {
            await store.put(key, Buffer.concat(chunks), options);
          }
          return store.head(key);
        },
      }),
  },
  {
    name: 'deletes the old object before it has the new one',
    caughtBy: failingSource,
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          await store.delete(key, options);
          return store.put(key, body, options);
        },
      }),
  },
  {
    name: 'leaves the part of a failed write in another place',
    caughtBy: failingSource,
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          await store.put(
            `tmp-${key.replaceAll('/', '-')}`,
            'byteLength' in body ? body : new Uint8Array(1),
            options,
          );
          const entry = await store.put(key, body, options);
          await store.delete(`tmp-${key.replaceAll('/', '-')}`);
          return entry;
        },
      }),
  },
  {
    name: 'pulls the next chunk while it writes the one before',
    caughtBy: pulls,
    plant: (store) =>
      changed(store, {
        put: (key, body, options) => {
          if (body instanceof Uint8Array) return store.put(key, body, options);
          const ahead = async function* (): AsyncGenerator<Uint8Array> {
            const iterator = body[Symbol.asyncIterator]();
            for (
              let next = iterator.next(), after = iterator.next();
              ;
              next = after, after = iterator.next()
            ) {
              const step = await next;
              if (step.done === true) return;
              yield step.value;
            }
          };
          return store.put(key, ahead(), options);
        },
      }),
  },
  {
    name: 'closes a source that has ended',
    caughtBy: pulls,
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body, options);
          if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
          return entry;
        },
      }),
  },
  {
    name: 'keeps the chunks of a source until it ends, without a copy',
    caughtBy: 'a source may reuse the memory of its chunks',
    plant: (store) =>
      changedSources(store, async function* (source) {
        yield* await collect(source);
      }),
  },
  {
    name: 'writes bytes after it has said that they are written',
    caughtBy: 'bytes may be reused by the caller after the put',
    plant: (store) => {
      const unwritten = new Map<string, Uint8Array>();
      return changed(store, {
        put: async (key, body, options) => {
          if (body instanceof Uint8Array) unwritten.set(key, body);
          return store.put(key, body, options);
        },
        get: async (key, options) => {
          const bytes = unwritten.get(key);
          if (bytes !== undefined) await store.put(key, bytes);
          return store.get(key, options);
        },
      });
    },
  },
  {
    name: 'stores the whole buffer behind a view',
    caughtBy: 'a subarray of a larger buffer is stored alone',
    plant: (store) =>
      changed(store, {
        put: (key, body, options) =>
          store.put(key, body instanceof Uint8Array ? new Uint8Array(body.buffer) : body, options),
      }),
  },
  {
    name: 'stages puts of one key at one place',
    caughtBy: 'of concurrent puts, exactly one wins completely',
    plant: (store) => {
      const staged = new Map<string, Uint8Array[]>();
      return changed(store, {
        put: async (key, body, options) => {
          const chunks = staged.get(key) ?? [];
          staged.set(key, chunks);
          for await (const chunk of chunksIn(body)) chunks.push(chunk.slice());
          const entry = await store.put(key, Buffer.concat(chunks), options);
          staged.delete(key);
          return entry;
        },
      });
    },
  },
  {
    name: 'deletes the folder of an object with it',
    caughtBy: 'puts and deletes of neighbours do not disturb each other',
    plant: (store) =>
      changed(store, {
        delete: async (key, options) => {
          const folder = key.slice(0, key.lastIndexOf('/') + 1);
          const neighbours = await collect(store.list(folder === '' ? key : folder));
          await store.delete(key, options);
          // Between the check and the deletion, other writers have put their objects there.
          if (neighbours.length > 7) throw new Error('ENOTEMPTY: directory not empty, rmdir');
        },
      }),
  },
  {
    name: 'deletes every key that starts like the one to delete',
    caughtBy: deleting,
    plant: (store) =>
      changed(store, {
        delete: async (key, options) => {
          await store.delete(key, options);
          for (const entry of await collect(store.list(key))) {
            await store.delete(entry.key, options);
          }
        },
      }),
  },
  {
    name: 'has no limit',
    caughtBy: full,
    plant: () => new MemoryObjectStore({ sizeMaxBytes: 1024 * MiB }),
  },
  {
    name: 'says that it cannot be reached when it is full',
    caughtBy: full,
    plant: (store) =>
      changedFailures(store, (error) =>
        isQuireError(error, 'STORE_FULL')
          ? new QuireError('STORE_UNAVAILABLE', error.message)
          : (error as Error),
      ),
  },
  {
    name: 'does not close the source when it is full',
    caughtBy: full,
    plant: (store) =>
      changed(store, {
        put: (key, body, options) => {
          if (body instanceof Uint8Array) return store.put(key, body, options);
          const iterator = body[Symbol.asyncIterator]();
          return store.put(
            key,
            { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) },
            options,
          );
        },
      }),
  },
  {
    name: 'never gives back the room of what is deleted',
    caughtBy: full,
    plant: (store, sizeMaxBytes) => {
      let usedBytes = 0;
      return changed(store, {
        put: async (key, body, options) => {
          if (usedBytes > sizeMaxBytes) {
            throw new QuireError('STORE_FULL', `No room for ${key} in memory.`);
          }
          const entry = await store.put(key, body, options);
          usedBytes += entry.sizeBytes;
          return entry;
        },
      });
    },
  },
  {
    name: 'fails to delete what is gone',
    caughtBy: deleting,
    plant: (store) =>
      changed(store, {
        delete: async (key, options) => {
          await store.head(key, options);
          await store.delete(key, options);
        },
      }),
  },
  {
    name: 'still finds what was deleted, in a cache',
    caughtBy: deleting,
    plant: (store) => {
      const seen = new Map<string, ObjectEntry>();
      return changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body, options);
          seen.set(key, entry);
          return entry;
        },
        head: async (key, options) => seen.get(key) ?? store.head(key, options),
      });
    },
  },
  {
    name: 'locks an object to delete it, and fails where it is locked',
    caughtBy: 'two callers may delete one object',
    plant: (store) => {
      const locks = new Set<string>();
      return changed(store, {
        delete: async (key, options) => {
          if (locks.has(key)) {
            throw new QuireError('STORE_UNAVAILABLE', `${key} in memory is locked.`);
          }
          locks.add(key);
          await store.delete(key, options);
          locks.delete(key);
        },
      });
    },
  },
  {
    name: 'looks whether an object exists, and then puts it',
    caughtBy: 'putIfAbsent stores once and never replaces',
    plant: (store) =>
      changed(store, {
        putIfAbsent: async (key, bytes, options) => {
          try {
            await store.head(key, options);
            return undefined;
          } catch (error) {
            if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
            return store.put(key, bytes, options);
          }
        },
      }),
  },
  {
    name: 'deletes a folder with whatever else lies in it',
    caughtBy: 'deleting a folder at once deletes all of it, or nothing but its first object',
    plant: (store) =>
      changed(store, {
        deleteFolder: async ([first]) => {
          for (const { key } of await collect(
            store.list(first.slice(0, first.lastIndexOf('/') + 1)),
          )) {
            await store.delete(key);
          }
          return true;
        },
      }),
  },
  {
    name: 'dates objects in seconds',
    caughtBy: 'the modification time of an object is between the call of its put and its end',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body, options);
          return { ...entry, lastModifiedMs: Math.floor(entry.lastModifiedMs / 1000) };
        },
      }),
  },
  {
    name: 'keeps the date of an object that it replaces',
    caughtBy: 'an object that is replaced has a new modification time',
    plant: (store) => {
      const dates = new Map<string, number>();
      return changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body, options);
          const lastModifiedMs = dates.get(key) ?? entry.lastModifiedMs;
          dates.set(key, lastModifiedMs);
          return { ...entry, lastModifiedMs };
        },
      });
    },
  },
];
