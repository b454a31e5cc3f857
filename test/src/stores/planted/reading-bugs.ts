import { isQuireError, type ObjectStore, QuireError, readObject } from '@quire/core';
import { changed, changedBodies, type PlantedBug } from './planted-bug.ts';

const rangeIsExact = 'a range has exactly its bytes, and the size of the whole object';
const missing = 'a missing object is OBJECT_NOT_FOUND, with key and store in the message';
const cached = 'a cached range has the same bytes as a get; a deleted object is not cached';
const rangeIsChecked = 'a malformed range is INVALID_PARAMETER, whether the object exists or not';
const mebibyte = 1024 * 1024;

/** The store with objects that are found missing in another way. */
function missingAs(store: ObjectStore, failure: (key: string) => Error): ObjectStore {
  const translated = async <T>(key: string, call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw isQuireError(error, 'OBJECT_NOT_FOUND') ? failure(key) : error;
    });
  return changed(store, {
    head: (key, options) => translated(key, store.head(key, options)),
    get: (key, options) => translated(key, store.get(key, options)),
  });
}

/** Wraps a store to cache what it has read, for `readCached`. */
function caching(
  store: ObjectStore,
  forgets: { readonly onPut: boolean; readonly onDelete: boolean },
): ObjectStore {
  const cache = new Map<string, Uint8Array>();
  return changed(store, {
    get: async (key, options) => {
      cache.set(key, cache.get(key) ?? (await readObject(store, key)));
      return store.get(key, options);
    },
    put: (key, body, options) => {
      if (forgets.onPut) cache.delete(key);
      return store.put(key, body, options);
    },
    delete: (key, options) => {
      if (forgets.onDelete) cache.delete(key);
      return store.delete(key, options);
    },
    readCached: (key, { start, end }, target) => {
      const bytes = cache.get(key);
      if (bytes === undefined || end > bytes.byteLength) return false;
      target.set(bytes.subarray(start, end));
      return true;
    },
  });
}

export const readingBugs: readonly PlantedBug[] = [
  {
    name: 'leaves the key out of its messages',
    caughtBy: missing,
    plant: (store) =>
      missingAs(
        store,
        () => new QuireError('OBJECT_NOT_FOUND', `There is no such object in ${store.location}.`),
      ),
  },
  {
    name: 'lets the error of its SDK out',
    caughtBy: missing,
    plant: (store) => missingAs(store, (key) => new Error(`NoSuchKey: ${key} in memory`)),
  },
  {
    name: 'dates objects by the time of the call of head',
    caughtBy: 'head returns what put returned',
    plant: (store) => {
      let calls = 0;
      const head: ObjectStore['head'] = async (key, options) => {
        calls += 1;
        const entry = await store.head(key, options);
        return { ...entry, lastModifiedMs: entry.lastModifiedMs + calls };
      };
      return changed(store, { head });
    },
  },
  {
    name: 'has a path for its location',
    caughtBy: 'the location is a URI',
    plant: (store) => changed(store, { location: '/var/lib/results' }),
  },
  {
    name: 'includes the end of a range, as HTTP does',
    caughtBy: rangeIsExact,
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          const range = options?.range;
          if (range === undefined) return store.get(key, options);
          const { sizeBytes } = await store.head(key);
          return store.get(key, {
            ...options,
            range: { ...range, end: Math.min(range.end + 1, sizeBytes) },
          });
        },
      }),
  },
  {
    name: 'gives the length of the range as the size of the object',
    caughtBy: rangeIsExact,
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          const object = await store.get(key, options);
          const { start = 0, end = object.sizeBytes } = options?.range ?? {};
          return {
            body: object.body,
            sizeBytes: end - start,
            [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
          };
        },
      }),
  },
  {
    name: 'ignores the start of a range beyond 4 MiB',
    caughtBy: rangeIsExact,
    plant: (store) =>
      changed(store, {
        get: (key, options) => {
          const range = options?.range;
          if (range === undefined || range.start <= 4 * mebibyte) return store.get(key, options);
          return store.get(key, { ...options, range: { start: 0, end: range.end - range.start } });
        },
      }),
  },
  {
    name: 'cuts a range that is longer than the object',
    caughtBy: 'a range that the object does not hold is OBJECT_SHORT_READ',
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          const range = options?.range;
          if (range === undefined) return store.get(key, options);
          const { sizeBytes } = await store.head(key);
          return store.get(key, {
            ...options,
            range: { ...range, end: Math.min(range.end, Math.max(sizeBytes, range.start + 1)) },
          });
        },
      }),
  },
  {
    name: 'takes an empty range for none',
    caughtBy: rangeIsChecked,
    plant: (store) =>
      changed(store, {
        get: (key, options) =>
          store.get(
            key,
            options?.range?.start === options?.range?.end
              ? { ...options, range: undefined }
              : options,
          ),
      }),
  },
  {
    name: 'looks for the object before it checks the range',
    caughtBy: rangeIsChecked,
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          await store.head(key, options);
          return store.get(key, options);
        },
      }),
  },
  {
    name: 'ends its bodies with an empty chunk',
    caughtBy: 'without a range all bytes are returned; an empty object has none',
    plant: (store) =>
      changedBodies(store, ({ body }) => ({
        body: (async function* () {
          yield* body;
          yield new Uint8Array(0);
        })(),
      })),
  },
  {
    name: 'loses the bytes behind the first chunk',
    caughtBy: 'without a range all bytes are returned; an empty object has none',
    plant: (store) =>
      changedBodies(store, ({ body }) => ({
        body: (async function* () {
          for await (const chunk of body) {
            yield chunk;
            return;
          }
        })(),
      })),
  },
  {
    name: 'reads every chunk into the same buffer',
    caughtBy: 'retained chunks keep their bytes',
    plant: (store) => {
      const buffer = new Uint8Array(16 * mebibyte);
      return changedBodies(store, ({ body }) => ({
        body: (async function* () {
          for await (const chunk of body) {
            buffer.set(chunk);
            yield buffer.subarray(0, chunk.byteLength);
          }
        })(),
      }));
    },
  },
  {
    name: 'opens the object again for every mebibyte',
    caughtBy:
      'an object that is deleted or replaced while it is read yields its own bytes, or throws',
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          const object = await store.get(key, options);
          const body = async function* (): AsyncGenerator<Uint8Array> {
            for (let start = 0; start < object.sizeBytes; start += mebibyte) {
              yield await readObject(store, key, {
                range: { start, end: Math.min(start + mebibyte, object.sizeBytes) },
              });
            }
          };
          return {
            sizeBytes: object.sizeBytes,
            body: body(),
            [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
          };
        },
      }),
  },
  {
    name: 'gives nothing when a body is read a second time',
    caughtBy: 'a body is iterated once, and not after disposal',
    plant: (store) =>
      changedBodies(store, ({ body }) => {
        let isRead = false;
        async function* once(): AsyncGenerator<Uint8Array> {
          if (isRead) return;
          isRead = true;
          yield* body;
        }
        return { body: { [Symbol.asyncIterator]: once } };
      }),
  },
  {
    name: 'goes on with a body that is disposed',
    caughtBy: 'a body may be left early, and disposed at any time and twice',
    plant: (store) =>
      changedBodies(store, () => ({ [Symbol.asyncDispose]: async () => undefined })),
  },
  {
    name: 'closes the file of a body a second time',
    caughtBy: 'a body may be left early, and disposed at any time and twice',
    plant: (store) =>
      changedBodies(store, (object) => {
        let isClosed = false;
        const close = async (): Promise<void> => {
          if (isClosed) throw new Error('EBADF: bad file descriptor, close');
          isClosed = true;
          await object[Symbol.asyncDispose]();
        };
        return { [Symbol.asyncDispose]: close };
      }),
  },
  {
    name: 'shares one position among all readers',
    caughtBy: 'concurrent reads of one object succeed',
    plant: (store) => {
      let start = 0;
      return changed(store, {
        get: async (key, options) => {
          const range = options?.range;
          start = range?.start ?? 0;
          await Promise.resolve();
          const moved =
            range === undefined ? undefined : { start, end: start + range.end - range.start };
          return store.get(key, { ...options, range: moved });
        },
      });
    },
  },
  {
    name: 'asks for memory ahead of its reader',
    caughtBy:
      'memory is requested while a chunk is pulled, at most once: memory that was handed out is not overwritten',
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          options?.memory?.lend(1024);
          return store.get(key, options);
        },
      }),
  },
  {
    name: 'hands out lent memory as a whole, filled or not',
    caughtBy: 'lent memory receives the bytes, or is not requested',
    plant: (store) =>
      changed(store, {
        get: async (key, options) => {
          const object = await store.get(key, { ...options, memory: undefined });
          const body = async function* (): AsyncGenerator<Uint8Array> {
            for await (const chunk of object.body) {
              const memory =
                options?.memory?.lend(chunk.byteLength) ?? new Uint8Array(chunk.byteLength);
              memory.set(chunk.subarray(0, memory.byteLength));
              yield memory;
            }
          };
          return {
            sizeBytes: object.sizeBytes,
            body: body(),
            [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
          };
        },
      }),
  },
  {
    name: 'keeps the bytes of deleted objects at hand',
    caughtBy: cached,
    plant: (store) => caching(store, { onPut: true, onDelete: false }),
  },
  {
    name: 'keeps the bytes of replaced objects at hand',
    caughtBy: cached,
    plant: (store) => caching(store, { onPut: false, onDelete: true }),
  },
];
