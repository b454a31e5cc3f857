import { isQuireError } from '@quire/core';
import { type Fault, faultAt, FaultStore, ManualClock, SeededRandom } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/store-memory';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../builders/counting-rows.ts';
import { pageText } from '../builders/page-text.ts';

const faults: readonly Fault[] = [
  { kind: 'fail-before' },
  { kind: 'fail-after' },
  { kind: 'full', afterBytes: 0 },
  { kind: 'full', afterBytes: 9000 },
  { kind: 'cut', afterBytes: 5000 },
  { kind: 'crash', when: 'before' },
  { kind: 'crash', when: 'after' },
  { kind: 'crash', when: { midwayBytes: 5000 } },
];

const putsOfOneWrite = 2;

/** Store, renew, read, delete: every call of this is made to fail in turn. */
async function life(results: ResultStore): Promise<void> {
  const { entry } = await results.create(countingRows(20_000), { owner: 'o' });
  await results.renew(entry.requestId, 7_200_000);
  await pageText(await results.open(entry.requestId), 0, 10);
  await results.create(countingRows(20_000), { owner: 'o' });
  await results.delete(entry.requestId);
}

function resultsOn(store: ConstructorParameters<typeof ResultStore>[0]['store']): ResultStore {
  return new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 86_400_000,
    clock: new ManualClock({ nowMs: 1_000 }),
    random: new SeededRandom(3),
    cacheBytesMax: 0,
  });
}

test.each(faults)('after $kind at any call, every result is whole or absent', async (fault) => {
  const dry = new FaultStore(new MemoryObjectStore({ sizeMaxBytes: 1e8 }));
  await life(resultsOn(dry));
  const foreignFailures: unknown[] = [];
  const debris: string[] = [];
  for (let call = 1; call <= dry.callCount; call += 1) {
    const memory = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
    const store = new FaultStore(memory, { plan: faultAt(call, fault) });
    const failure: unknown = await life(resultsOn(store)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined && !isQuireError(failure)) foreignFailures.push({ call, failure });

    const successor = resultsOn(memory);
    const live = new Set<string>();
    for await (const entry of successor.list()) {
      live.add(entry.requestId);
      const result = await successor.open(entry.requestId);
      expect(await pageText(result, 0, 100_000), `call ${call}`).toBe(countingJson(0, 20_000));
    }
    // A failed write takes back what it wrote; only a process that died, or a deletion that failed, may leave data behind.
    const isFailedWrite = failure !== undefined && call <= putsOfOneWrite && !store.isCrashed;
    for await (const { key } of memory.list('')) {
      if (isFailedWrite && !live.has(key.split('/')[1] ?? '')) debris.push(`${call}: ${key}`);
    }
  }
  expect(foreignFailures).toEqual([]);
  expect(debris).toEqual([]);
});
