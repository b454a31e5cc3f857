import { isQuireError } from '@quire/core';
import { collect } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import {
  describeObjectStore,
  inAllWrappers,
  inEachWrapper,
  type StoreFixture,
  type StoreFixtureOptions,
} from '@quire/core/conformance';

const plentyBytes = 64 * 1024 * 1024;

async function openMemoryStore({
  sizeMaxBytes = plentyBytes,
}: StoreFixtureOptions = {}): Promise<StoreFixture> {
  const store = new MemoryObjectStore({ sizeMaxBytes });
  return {
    store,
    leftovers: () => unusedSpaceOf(store),
    [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose](),
  };
}

/** Returns a complaint about space that is reserved for no object. */
async function unusedSpaceOf(store: MemoryObjectStore): Promise<string[]> {
  const entries = await collect(store.list('')).catch((error: unknown) => {
    if (isQuireError(error, 'SHUTTING_DOWN')) return [];
    throw error;
  });
  const lostBytes = store.usedBytes - entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  return lostBytes === 0 ? [] : [`${lostBytes} bytes`];
}

describeObjectStore('memory store', openMemoryStore, { modelRunCount: 100 });
// Wrappers call the port alone, so the cheapest store shows their effect on any. A property test of
// `@quire/core` checks that they pass on capabilities that it lacks.
describeObjectStore('memory store in all wrappers', inAllWrappers(openMemoryStore), {
  modelRunCount: 20,
});
// A cheap store to try each wrapper alone with: together, one could hide a defect of another.
for (const [wrapper, open] of inEachWrapper(openMemoryStore)) {
  describeObjectStore(`memory store in ${wrapper}`, open, { modelRunCount: 10 });
}
