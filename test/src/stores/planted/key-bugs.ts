import { isQuireError, QuireError } from '@quire/core';
import { collect } from '@quire/core/testing';
import { changed, changedFailures, chunksIn, type PlantedBug } from './planted-bug.ts';

export const keyBugs: readonly PlantedBug[] = [
  {
    name: 'says of keys that cannot be that nothing is there',
    caughtBy: '".." is refused by every call, before the source of a put is touched',
    plant: (store) =>
      changedFailures(store, (error) => {
        if (!isQuireError(error, 'INVALID_OBJECT_KEY')) return error as Error;
        return new QuireError('OBJECT_NOT_FOUND', `There is no such object in ${store.location}.`);
      }),
  },
  {
    name: 'reads from the source before it looks at the key',
    caughtBy: '"a/../b" is refused by every call, before the source of a put is touched',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const chunks = await collect(chunksIn(body));
          return store.put(key, Buffer.concat(chunks), options);
        },
      }),
  },
  {
    name: 'folds the case of keys, as some file systems do',
    caughtBy: 'keys that differ only in case are different keys',
    plant: (store) =>
      changed(store, {
        head: (key, options) => store.head(key.toLowerCase(), options),
        get: (key, options) => store.get(key.toLowerCase(), options),
        put: (key, body, options) => store.put(key.toLowerCase(), body, options),
        delete: (key, options) => store.delete(key.toLowerCase(), options),
      }),
  },
  {
    name: 'takes no segment of more than 200 characters',
    caughtBy: `x/${'y'.repeat(255)} is accepted`,
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          if (/[^/]{201}/.test(key)) {
            throw new QuireError('INVALID_OBJECT_KEY', `${key} is too long for ${store.location}.`);
          }
          return store.put(key, body, options);
        },
      }),
  },
  {
    name: 'deletes what lies above a key that is put',
    caughtBy: 'a and then a/b: the second is refused, or both exist',
    plant: (store) =>
      changed(store, {
        put: async (key, body, options) => {
          const above = key.slice(0, Math.max(0, key.lastIndexOf('/')));
          if (above !== '') await store.delete(above);
          return store.put(key, body, options);
        },
      }),
  },
  {
    name: 'keeps a folder when its last object is deleted',
    caughtBy: 'once a key is deleted, a key below it can be stored, and vice versa',
    plant: (store) => {
      const folders = new Set<string>();
      return changed(store, {
        put: async (key, body, options) => {
          if (folders.has(key)) {
            throw new QuireError('INVALID_OBJECT_KEY', `${key} is a folder in ${store.location}.`);
          }
          folders.add(key.slice(0, Math.max(0, key.lastIndexOf('/'))));
          return store.put(key, body, options);
        },
      });
    },
  },
];
