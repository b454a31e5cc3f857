import { readObject } from '@quire/core';
import { collect, RecordingStore } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { bodyOf, bytes, entryOf, stubStore, unavailable } from './stub-store.ts';

function recording(): RecordingStore {
  return new RecordingStore(
    stubStore({
      head: () => Promise.reject(unavailable()),
      get: async () => bodyOf([bytes(1, 2), bytes(3)]),
      put: async (key, body) =>
        entryOf(key, body instanceof Uint8Array ? 0 : (await collect(body)).length),
      async *list() {
        yield entryOf('a');
        yield entryOf('b');
      },
      delete: async () => undefined,
    }),
  );
}

test('RecordingStore writes down every call with what it moved and how it ended', async () => {
  const store = recording();
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes(1, 2);
  }
  await store.head('k').catch(() => undefined);
  await readObject(store, 'k', { range: { start: 4, end: 7 } });
  for await (const _ of (await store.get('k')).body) break;
  await store.put('k', bytes(1));
  await store.put('k', source());
  await collect(store.list('p', { after: 'o' }));
  await store.delete('k');
  const nothing = { bytes: 0, entryCount: 0, outcome: 'ok' };
  expect(store.calls).toEqual([
    { ...nothing, op: 'head', key: 'k', outcome: 'STORE_UNAVAILABLE' },
    { ...nothing, op: 'get', key: 'k', range: { start: 4, end: 7 }, bytes: 3 },
    { ...nothing, op: 'get', key: 'k', bytes: 2, outcome: undefined },
    { ...nothing, op: 'put', key: 'k', bytes: 1 },
    { ...nothing, op: 'put', key: 'k', bytes: 2 },
    { ...nothing, op: 'list', key: 'p', after: 'o', entryCount: 2 },
    { ...nothing, op: 'delete', key: 'k' },
  ]);
  expect([store.count(), store.count('get'), store.bytesRead]).toEqual([7, 2, 5]);
});

test('RecordingStore forgets when told to', async () => {
  const store = recording();
  await readObject(store, 'k');
  store.reset();
  expect([store.count(), store.bytesRead, store.calls]).toEqual([0, 0, []]);
});
