import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cleaner, type LeftoverEntry, type Leftovers, storeRemover } from '@quire/cleaner';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';

const entry = (key: string, owner?: LeftoverEntry['owner']): LeftoverEntry => ({
  key,
  sizeBytes: 10,
  lastModifiedMs: 0,
  ...(owner !== undefined && { owner }),
});

/** A cleaner that has a grace period of two seconds, as an embedder may set it. */
async function openCleaner(
  store: FileObjectStore,
  leftovers: Leftovers,
  clock: ManualClock,
): Promise<Cleaner> {
  const silent = (): void => undefined;
  return new Cleaner({
    target: { store, brokerId: undefined, remover: storeRemover(store), leftovers },
    settings: () => ({
      quota: undefined,
      graceMs: 2000,
      queryTimeoutMs: 1000,
      concurrencyMax: 8,
      periodMs: 3_600_000,
      initialDelayMs: 0,
    }),
    clock,
    random: new SeededRandom(1),
    log: { info: silent, warn: silent, error: silent },
  });
}

test('what is alive stays, whatever the grace period; what is dead goes at once; all else when the grace period is over', async () => {
  const root = await mkdtemp(join(tmpdir(), 'quire-cleaner-'));
  await using store = await FileObjectStore.open({ root });
  const clock = new ManualClock();
  const left = new Map(
    [entry('a', 'alive'), entry('b', 'dead'), entry('c', 'unknown'), entry('d')].map((each) => [
      each.key,
      each,
    ]),
  );
  const leftovers: Leftovers = {
    async *list() {
      yield* left.values();
    },
    remove: async (key) => void left.delete(key),
  };
  await using cleaner = await openCleaner(store, leftovers, clock);
  const seen: string[] = [];
  for (let sweep = 0; sweep < 3; sweep += 1) {
    await cleaner.sweep('once');
    seen.push([...left.keys()].join(''));
    await clock.advance(5000);
  }
  await rm(root, { recursive: true });
  expect(seen).toEqual(['acd', 'a', 'a']);
});

test('twelve writers that take longer than the grace period lose nothing to a cleaner of their own process', async () => {
  const root = await mkdtemp(join(tmpdir(), 'quire-cleaner-'));
  await using store = await FileObjectStore.open({ root });
  const clock = new ManualClock();
  await using cleaner = await openCleaner(store, store.leftovers, clock);
  const swept = Promise.withResolvers<undefined>();
  let startedCount = 0;
  const allStarted = Promise.withResolvers<undefined>();
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    startedCount += 1;
    if (startedCount === 12) allStarted.resolve(undefined);
    await swept.promise;
    yield Uint8Array.of(2);
  };
  const puts = Array.from({ length: 12 }, (_, index) => store.put(`other/${index}`, source()));
  await allStarted.promise;
  for (let sweep = 0; sweep < 3; sweep += 1) {
    const report = await cleaner.sweep('once');
    expect(report?.leftovers.freed.count).toBe(0);
    await clock.advance(5000);
  }
  swept.resolve(undefined);
  expect((await Promise.all(puts)).map(({ sizeBytes }) => sizeBytes)).toEqual(
    Array.from({ length: 12 }, () => 2),
  );
  await rm(root, { recursive: true });
});
