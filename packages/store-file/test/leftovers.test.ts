import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';

test('what is staged shows as leftovers with its size, and what is not ours does not', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const dead = 'ab'.repeat(12);
  await writeFile(join(temporary.path, '.staging', dead), 'half a result');
  await writeFile(join(temporary.path, '.staging', 'notes.txt'), 'mine');
  const found = await Array.fromAsync(store.leftovers.list());
  expect(found).toEqual([{ key: dead, isOwnerDead: false, sizeBytes: 13, lastModifiedMs: expect.any(Number) as number }]);
  for (const name of [dead, dead, 'notes.txt', '../outside']) await store.leftovers.remove(name);
  expect(await temporary.tree()).toEqual(['.staging/notes.txt']);
});

test('a put under way shows, and changes from look to look', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const sizes: number[][] = [];
  const look = async (): Promise<void> =>
    void sizes.push((await Array.fromAsync(store.leftovers.list())).map(({ sizeBytes }) => sizeBytes));
  await store.put(
    'a/b',
    (async function* () {
      yield new Uint8Array(2_000_000);
      await look();
      yield new Uint8Array(2_000_000);
      await look();
    })(),
  );
  await look();
  expect(sizes).toEqual([[2_000_000], [4_000_000], []]);
});

test('a writer whose staged file was removed fails, and nothing appears', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const put = store.put(
    'a/b',
    (async function* () {
      yield Uint8Array.of(1);
      for await (const { key } of store.leftovers.list()) await store.leftovers.remove(key);
    })(),
  );
  await expect(put).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await temporary.tree()).toEqual([]);
});
