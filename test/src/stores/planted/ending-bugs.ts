import { isQuireError, type ObjectStore, QuireError, readObject } from '@quire/core';
import { changed, changedBodies, changedFailures, type PlantedBug } from './planted-bug.ts';

const disposedPut = 'a put in progress fails and leaves nothing behind';
const stuck =
  'a put stops while its source is stuck: the source is closed, the old object stays, nothing is left behind';

/** Wraps a store so that its calls receive no signal. */
function deaf(store: ObjectStore, verb: 'put' | 'list' | 'get' | 'delete'): ObjectStore {
  const verbs = {
    put: { put: (key, body, options) => store.put(key, body, { ...options, signal: undefined }) },
    list: { list: (prefix, options) => store.list(prefix, { ...options, signal: undefined }) },
    get: { get: (key, options) => store.get(key, { ...options, signal: undefined }) },
    delete: { delete: (key, options) => store.delete(key, { ...options, signal: undefined }) },
  } satisfies Record<string, Partial<ObjectStore>>;
  return changed(store, verbs[verb]);
}

export const endingBugs: readonly PlantedBug[] = [
  {
    name: 'deletes although the signal is aborted',
    caughtBy: 'delete with an aborted signal is ABORTED and has no effect',
    plant: (store) => deaf(store, 'delete'),
  },
  {
    name: 'looks at the signal once it has put the object',
    caughtBy: 'put of bytes with an aborted signal is ABORTED and has no effect',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body);
          options?.signal?.throwIfAborted();
          return entry;
        },
      }),
  },
  {
    name: "throws the signal's DOMException",
    caughtBy: 'head with an aborted signal is ABORTED and has no effect',
    plant: (store) =>
      changed(store, {
        head: async (key, options) => {
          options?.signal?.throwIfAborted();
          return store.head(key);
        },
      }),
  },
  {
    name: 'is ABORTED for whatever reason',
    caughtBy: 'head throws the QuireError that the signal was aborted with',
    plant: (store) =>
      changed(store, {
        head: async (key, options) => {
          if (options?.signal?.aborted === true) {
            throw new QuireError('ABORTED', `The call for ${key} was aborted.`);
          }
          return store.head(key);
        },
      }),
  },
  {
    name: 'reads a body to its end after an abort',
    caughtBy: 'a body stops at its current chunk',
    plant: (store) => deaf(store, 'get'),
  },
  {
    name: 'starts a body although the signal is aborted',
    caughtBy: 'a body that was not read before the abort yields nothing',
    plant: (store) => deaf(store, 'get'),
  },
  {
    name: 'lists on after an abort',
    caughtBy: 'a listing stops at its current entry',
    plant: (store) => deaf(store, 'list'),
  },
  {
    name: 'waits for a stuck source after an abort',
    caughtBy: stuck,
    hangs: true,
    plant: (store) => deaf(store, 'put'),
  },
  {
    name: 'deletes the object when its signal is aborted later',
    caughtBy: 'a signal that is aborted after the call has no effect',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const entry = await store.put(key, body, options);
          options?.signal?.addEventListener('abort', () => void store.delete(key));
          return entry;
        },
      }),
  },
  {
    name: 'fails when it is disposed a second time',
    caughtBy: 'afterwards head is SHUTTING_DOWN',
    plant: (store) => {
      let isDisposed = false;
      return changed(store, {
        [Symbol.asyncDispose]: async () => {
          if (isDisposed) throw new Error('ERR_CLOSED: the connection is closed');
          isDisposed = true;
          await store[Symbol.asyncDispose]();
        },
      });
    },
  },
  {
    name: 'goes on after its disposal',
    caughtBy: 'afterwards get is SHUTTING_DOWN',
    plant: (store) => changed(store, { [Symbol.asyncDispose]: async () => undefined }),
  },
  {
    name: 'finds nothing after its disposal, instead of saying that it is closed',
    caughtBy: 'afterwards head is SHUTTING_DOWN',
    plant: (store) =>
      changedFailures(store, (error) =>
        isQuireError(error, 'SHUTTING_DOWN')
          ? new QuireError('OBJECT_NOT_FOUND', error.message)
          : (error as Error),
      ),
  },
  {
    name: 'closes open bodies when it is disposed',
    caughtBy: 'bodies that were opened before stay readable',
    plant: (store) => {
      const bodies: AsyncDisposable[] = [];
      const listening = changedBodies(store, (object) => {
        bodies.push(object);
        return {};
      });
      return changed(listening, {
        [Symbol.asyncDispose]: async () => {
          for (const body of bodies) await body[Symbol.asyncDispose]();
          await store[Symbol.asyncDispose]();
        },
      });
    },
  },
  {
    name: 'finishes what is under way after its disposal',
    caughtBy: disposedPut,
    plant: (store) => changed(store, { [Symbol.asyncDispose]: async () => undefined }),
  },
  {
    name: 'waits for what is under way when it is disposed',
    caughtBy: disposedPut,
    hangs: true,
    plant: (store) => {
      const pending = new Set<Promise<unknown>>();
      return changed(store, {
        put: (key, body, options) => {
          const put = store.put(key, body, options);
          pending.add(put);
          return put;
        },
        [Symbol.asyncDispose]: async () => {
          await Promise.allSettled(pending);
          await store[Symbol.asyncDispose]();
        },
      });
    },
  },
  {
    name: 'reads the object as it was when it was opened first',
    caughtBy: 'has the same outcome as with a map',
    plant: (store) => {
      const cache = new Map<string, Uint8Array>();
      return changed(store, {
        get: async (key, options) => {
          const { sizeBytes } = await store.head(key);
          const bytes = cache.get(key) ?? (await readObject(store, key));
          cache.set(key, bytes);
          if (bytes.byteLength === sizeBytes) await store.put(key, bytes);
          return store.get(key, options);
        },
      });
    },
  },
];
