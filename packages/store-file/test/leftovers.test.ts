import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileObjectStore } from '@quire/store-file';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { createTemporaryRoot } from './temporary-root.ts';

test('what is staged shows as leftovers with its size, and what is not ours does not', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const dead = 'ab'.repeat(12);
  await writeFile(join(temporary.path, '.staging', dead), 'half a result');
  await writeFile(join(temporary.path, '.staging', 'notes.txt'), 'mine');
  const found = await Array.fromAsync(store.leftovers.list());
  expect(found).toEqual([
    { key: dead, owner: 'unknown', sizeBytes: 13, lastModifiedMs: expect.any(Number) as number },
  ]);
  for (const name of [dead, dead, 'notes.txt', '../outside']) await store.leftovers.remove(name);
  expect(await temporary.tree()).toEqual(['.staging/notes.txt']);
});

test('a put under way shows, and changes from look to look', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const sizes: number[][] = [];
  const look = async (): Promise<void> =>
    void sizes.push(
      (await Array.fromAsync(store.leftovers.list())).map(({ sizeBytes }) => sizeBytes),
    );
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

test('a put whose source is slow touches its file, so that it changes from look to look on any machine', async () => {
  await using temporary = await createTemporaryRoot();
  const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1) });
  await using store = await FileObjectStore.open({ root: temporary.path, clock });
  const source = new SlowSource();
  const put = store.put('a/b', source.chunks());
  await source.started;
  const dates: number[] = [];
  for (let look = 0; look < 3; look += 1) {
    await clock.advance(10_000);
    await expect
      .poll(async () => (await Array.fromAsync(store.leftovers.list()))[0]?.lastModifiedMs)
      .toBe(clock.nowMs());
    const [entry] = await Array.fromAsync(store.leftovers.list());
    expect(entry?.owner).toBe('alive');
    dates.push(entry?.lastModifiedMs ?? 0);
  }
  expect(new Set(dates).size).toBe(3);
  source.end();
  await put;
  await clock.advance(60_000);
  expect(await Array.fromAsync(store.leftovers.list())).toEqual([]);
});

test('a store that opens leaves the staged file of a process that is alive, however old', async () => {
  await using temporary = await createTemporaryRoot();
  await using store = await FileObjectStore.open({ root: temporary.path });
  const source = new SlowSource();
  const put = store.put('a/b', source.chunks());
  await source.started;
  const clock = new ManualClock({ nowMs: Date.now() + 48 * 3_600_000 });
  await using _later = await FileObjectStore.open({ root: temporary.path, clock });
  source.end();
  await expect(put).resolves.toMatchObject({ key: 'a/b' });
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
  await expect(put).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(
      /its staged file .* was deleted by another program .* grace period/s,
    ) as string,
  });
  expect(await temporary.tree()).toEqual([]);
});

/** A source without bytes that ends on request of the test. */
class SlowSource {
  readonly #starting = Promise.withResolvers<undefined>();
  readonly #ending = Promise.withResolvers<undefined>();

  get started(): Promise<undefined> {
    return this.#starting.promise;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#starting.resolve(undefined);
    await this.#ending.promise;
    yield new Uint8Array(0);
  }

  end(): void {
    this.#ending.resolve(undefined);
  }
}
