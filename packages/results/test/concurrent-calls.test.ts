import type { ObjectBody, ObjectEntry, ObjectStore } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { ResultStore } from '../src/index.ts';

const hourMs = 3_600_000;
let clock: ManualClock;
let memory: MemoryObjectStore;

beforeEach(() => {
  clock = new ManualClock({ nowMs: 1_700_000_000_000 });
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8, clock });
});

function resultsOn(store: ObjectStore): ResultStore {
  const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs };
  return new ResultStore({ store, brokerId: 'Broker_a_1', clock, ...times });
}

/** Returns the store in `memory`, with other methods instead of some of its own. */
function storeWith(others: Partial<ObjectStore>): ObjectStore {
  return {
    location: memory.location,
    head: (key, options) => memory.head(key, options),
    get: (key, options) => memory.get(key, options),
    put: (key, body, options) => memory.put(key, body, options),
    list: (prefix, options) => memory.list(prefix, options),
    delete: (key, options) => memory.delete(key, options),
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
    ...others,
  };
}

/** A point at which the first call waits, until the test has done something else. */
class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  async pass(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }

  open(): void {
    this.#opened.resolve();
  }
}

test.each(['open', 'listOwned'] as const)(
  'a record that %s read before a renewal, and receives after it, does not replace the new one',
  async (method) => {
    const { entry } = await resultsOn(memory).create(countingRows(5), { owner: 'o' });
    const gate = new Gate();
    let isFirst = true;
    const get: ObjectStore['get'] = async (key, options): Promise<ObjectBody> => {
      const object = await memory.get(key, options);
      if (isFirst) {
        isFirst = false;
        await gate.pass();
      }
      return object;
    };
    const results = resultsOn(storeWith({ get }));
    const reading =
      method === 'open' ? results.open(entry.requestId) : results.listOwned('o', { countMax: 1 });
    await gate.reached;
    const renewed = await results.renew(entry.requestId, 1000);
    gate.open();
    await reading;
    expect((await results.open(entry.requestId)).entry).toEqual(renewed);
    await clock.advance(1000);
    await expect(results.open(entry.requestId)).rejects.toThrow('has expired');
  },
);

test.each(['unknown', 'cached'] as const)(
  'a listing that shows neither the old nor the new record of a renewal does not hide a result that is %s',
  async (state) => {
    const elsewhere = resultsOn(memory);
    const { entry } = await elsewhere.create(countingRows(5), { owner: 'o' });
    const gate = new Gate();
    let isFirst = state === 'unknown';
    async function* list(prefix: string): AsyncGenerator<ObjectEntry> {
      // A directory is read first, and the status of each of its files afterwards.
      const names = await Array.fromAsync(memory.list(prefix));
      if (isFirst) {
        isFirst = false;
        await gate.pass();
      }
      for (const { key } of names) {
        const found = await memory.head(key).catch(() => undefined);
        if (found !== undefined) yield found;
      }
    }
    const results = resultsOn(storeWith({ list }));
    if (state === 'cached') {
      await results.open(entry.requestId);
      await elsewhere.renew(entry.requestId, 2 * hourMs);
      await clock.advance(5000);
      isFirst = true;
    }
    const opening = results.open(entry.requestId);
    await gate.reached;
    const renewed = await elsewhere.renew(entry.requestId, 3 * hourMs);
    gate.open();
    expect((await opening).entry).toEqual(renewed);
    expect((await results.open(entry.requestId)).entry).toEqual(renewed);
  },
);

test('a reader that finds nothing during an eviction receives its reason, then and later', async () => {
  const gate = new Gate();
  let isGated = false;
  async function* list(prefix: string): AsyncGenerator<ObjectEntry> {
    if (isGated) {
      isGated = false;
      await gate.pass();
    }
    yield* memory.list(prefix);
  }
  const results = resultsOn(storeWith({ list }));
  const { entry } = await results.create(countingRows(5), { owner: 'o' });
  await clock.advance(5000);
  isGated = true;
  const removing = results.remove(entry, 'evicted');
  await gate.reached;
  // Its commit record is deleted, and its cached one must be confirmed.
  await expect(results.open(entry.requestId)).rejects.toThrow('was evicted');
  gate.open();
  expect(await removing).toBe('removed');
  await expect(results.open(entry.requestId)).rejects.toThrow('was evicted');
});

test.each(['open', 'renew'] as const)(
  'a call of %s succeeds, however often another process renews the result meanwhile',
  async (method) => {
    const elsewhere = resultsOn(memory);
    const { entry } = await elsewhere.create(countingRows(5), { owner: 'o' });
    const { requestId } = entry;
    let renewalCount = 0;
    const renewFirst = async (key: string): Promise<void> => {
      if (!key.endsWith('.json') || renewalCount === 5) return;
      renewalCount += 1;
      await elsewhere.renew(requestId, (renewalCount + 1) * hourMs);
    };
    const store = storeWith({
      get: async (key, options) => {
        if (method === 'open') await renewFirst(key);
        return memory.get(key, options);
      },
      head: async (key, options) => {
        if (method === 'renew') await renewFirst(key);
        return memory.head(key, options);
      },
    });
    const results = resultsOn(store);
    if (method === 'renew') await results.renew(requestId, 20 * hourMs);
    const { expirationTimeMs } = (await results.open(requestId)).entry;
    expect(renewalCount).toBe(5);
    expect(expirationTimeMs - clock.nowMs()).toBe((method === 'renew' ? 20 : 6) * hourMs);
  },
);
