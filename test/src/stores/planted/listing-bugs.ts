import { QuireError } from '@quire/core';
import { collect } from '@quire/core/testing';
import { changed, type PlantedBug } from './planted-bug.ts';

const isComplete = 'a long listing is complete, in order, and after any of its entries';
const prefixIsText = 'a prefix is plain text: it may end within a segment and need not be a key';

export const listingBugs: readonly PlantedBug[] = [
  {
    name: 'ends a listing after its first 1,000 entries',
    caughtBy: isComplete,
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          let count = 0;
          for await (const entry of store.list(prefix, options)) {
            yield entry;
            count += 1;
            if (count === 1000) return;
          }
        },
      }),
  },
  {
    name: 'begins the next page of 1,000 with the last entry of the page before',
    caughtBy: isComplete,
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          let count = 0;
          for await (const entry of store.list(prefix, options)) {
            yield entry;
            count += 1;
            if (count % 1000 === 0) yield entry;
          }
        },
      }),
  },
  {
    name: 'counts its pages by offsets, whatever is deleted between them',
    caughtBy: isComplete,
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          for (let offset = 0; ; offset += 1000) {
            const page = (await collect(store.list(prefix, options))).slice(offset, offset + 1000);
            yield* page;
            if (page.length < 1000) return;
          }
        },
      }),
  },
  {
    name: 'sorts by the rules of a language',
    caughtBy: 'yields every entry in key order',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          const entries = await collect(store.list(prefix, options));
          yield* entries.toSorted((left, right) => left.key.localeCompare(right.key, 'en'));
        },
      }),
  },
  {
    name: 'walks folder by folder, files before folders',
    caughtBy: 'yields every entry in key order',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          const entries = await collect(store.list(prefix, options));
          yield* entries.filter(({ key }) => !key.includes('/'));
          yield* entries.filter(({ key }) => key.includes('/'));
        },
      }),
  },
  {
    name: 'takes a prefix for a folder',
    caughtBy: prefixIsText,
    plant: (store) =>
      changed(store, {
        list: (prefix, options) =>
          store.list(prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`, options),
      }),
  },
  {
    name: 'takes an underscore in a prefix for any character, as LIKE does',
    caughtBy: prefixIsText,
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          const pattern = new RegExp(
            `^${prefix
              .replaceAll(/[^\w%/-]/g, String.raw`\$&`)
              .replaceAll('_', '.')
              .replaceAll('%', '.*')}`,
          );
          for await (const entry of store.list('', options)) {
            if (pattern.test(entry.key)) yield entry;
          }
        },
      }),
  },
  {
    name: 'fails for a prefix that no key can have',
    caughtBy: prefixIsText,
    plant: (store) =>
      changed(store, {
        list: (prefix, options) => {
          if (prefix.includes('..')) {
            throw new QuireError('INVALID_OBJECT_KEY', `${prefix} is not an object key.`);
          }
          return store.list(prefix, options);
        },
      }),
  },
  {
    name: 'begins with the entry that it should begin after',
    caughtBy: 'after yields the keys that sort after it, whether it is a key or not',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          for await (const entry of store.list(prefix, { ...options, after: undefined })) {
            if (entry.key >= (options?.after ?? '')) yield entry;
          }
        },
      }),
  },
  {
    name: 'looks for `after` among its keys, and gives all where it is not there',
    caughtBy: 'after yields the keys that sort after it, whether it is a key or not',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          const entries = await collect(store.list(prefix, { ...options, after: undefined }));
          yield* entries.slice(entries.findIndex(({ key }) => key === options?.after) + 1);
        },
      }),
  },
  {
    name: 'passes over the folders below one that it asked for',
    caughtBy:
      'skips only the folders for which skipsFolder returns true, and asks before it yields later keys',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          let passed: string | undefined;
          const skipsFolder = options?.skipsFolder;
          for await (const entry of store.list(prefix, { ...options, skipsFolder: undefined })) {
            const folder = entry.key.slice(0, entry.key.lastIndexOf('/') + 1);
            if (skipsFolder !== undefined && folder.length > prefix.length && skipsFolder(folder)) {
              passed = folder;
            }
            // A key that sorts after the folder is not in it.
            if (passed === undefined || entry.key < passed) yield entry;
          }
        },
      }),
  },
  {
    name: 'fails when an entry goes while it is listed',
    caughtBy: 'an unchanged object is listed exactly once while others are created and deleted',
    plant: (store) =>
      changed(store, {
        async *list(prefix, options) {
          const entries = await collect(store.list(prefix, options));
          for (const { key } of entries) yield await store.head(key);
        },
      }),
  },
  {
    name: 'begins again when something changed',
    caughtBy: 'an unchanged object is listed exactly once while others are created and deleted',
    plant: (store) => {
      let changes = 0;
      return changed(store, {
        put: (key, body, options) => {
          changes += 1;
          return store.put(key, body, options);
        },
        async *list(prefix, options) {
          for (;;) {
            const before = changes;
            for await (const entry of store.list(prefix, options)) {
              yield entry;
              if (changes !== before) break;
            }
            if (changes === before) return;
          }
        },
      });
    },
  },
  {
    name: 'keeps the lock of a listing that is left early',
    caughtBy: 'a listing may be left early and restarted after the last entry',
    hangs: true,
    plant: (store) => {
      let turn = Promise.resolve();
      return changed(store, {
        async *list(prefix, options) {
          const { promise, resolve } = Promise.withResolvers<undefined>();
          const before = turn;
          turn = promise.then(() => undefined);
          await before;
          yield* store.list(prefix, options);
          resolve(undefined);
        },
      });
    },
  },
  {
    name: 'has one cursor for all listings',
    caughtBy: 'concurrent listings do not disturb each other',
    plant: (store) => {
      let cursor = '';
      return changed(store, {
        async *list(prefix, options) {
          cursor = options?.after ?? '';
          for (;;) {
            let isEnd = true;
            for await (const entry of store.list(prefix, { ...options, after: cursor })) {
              cursor = entry.key;
              isEnd = false;
              yield entry;
              break;
            }
            if (isEnd) return;
          }
        },
      });
    },
  },
];
