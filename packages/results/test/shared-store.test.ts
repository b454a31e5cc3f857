import {
  type ConditionalWriter,
  createRequestId,
  isQuireError,
  type ObjectStore,
} from '@quire/core';
import { FaultStore, ManualClock, RecordingStore, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, expect, test } from 'vitest';
import { countingJson, countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { openOrdered, ResultStore } from '../src/index.ts';

const hourMs = 3_600_000;
const neverStored = '01980000-0000-7000-8000-000000000000';
let clock: ManualClock;
let memory: MemoryObjectStore;

/** Creates a broker on the shared store; its calls to the store are recorded. */
function broker(
  brokerId: string,
  isShared = true,
): { readonly results: ResultStore; readonly store: RecordingStore } {
  const store = new RecordingStore(memory);
  return { store, results: brokerOn(store, brokerId, isShared) };
}

function brokerOn(store: ObjectStore, brokerId: string, isShared = true): ResultStore {
  const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs };
  return new ResultStore({ store, brokerId, isShared, clock, cacheBytesMax: 0, ...times });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((failure: unknown) => failure);
  return isQuireError(error) ? error.code : 'no error';
}

beforeEach(() => {
  clock = new ManualClock({ nowMs: 1_700_000_000_000 });
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8, clock });
});

test('the rows of a result for a query have its stored size, here and in another process', async () => {
  const { results, store } = broker('Broker_a_1');
  const result = await results.create(countingRows(100), { owner: 'o' });
  const { sizeBytes } = await store.head(result.entry.dataKey);
  expect(sizeBytes).toBeGreaterThan(800);
  expect(result.rows()).toMatchObject({ rowCount: 100, sizeBytes });
  expect(openOrdered(result.readOrder(), store)).toMatchObject({ rowCount: 100, sizeBytes });
});

test("brokers on one store serve each other's results, no matter which started first", async () => {
  const brokers = ['Broker_a_1', 'Broker_b_1', 'Broker_c_1'].map((id) => broker(id));
  const ids: string[] = [];
  for (const { results } of brokers) {
    ids.push((await results.create(countingRows(100), { owner: 'o' })).entry.requestId);
  }
  for (const { results } of brokers) {
    for (const id of ids) {
      expect(await pageText(await results.open(id), 10, 20)).toBe(countingJson(10, 30));
    }
  }
  // A broker that has never stored anything, and one whose store is not shared.
  expect(await pageText(await broker('Broker_d_1').results.open(ids[1] ?? ''), 0, 5)).toBe(
    countingJson(0, 5),
  );
  expect(await codeOf(broker('Broker_d_1', false).results.open(ids[1] ?? ''))).toBe(
    'RESULT_NOT_FOUND',
  );
});

test('a cold page of our own takes three requests, of a known peer one more for each peer', async () => {
  const others = ['Broker_b_1', 'Broker_c_1'].map((id) => broker(id));
  const own = await broker('Broker_a_1').results.create(countingRows(100), { owner: 'o' });
  const foreign = [];
  for (const { results } of others) {
    foreign.push(await results.create(countingRows(100), { owner: 'o' }));
  }
  const { store, results } = broker('Broker_a_1');
  const requestsFor = async (id = ''): Promise<string[]> => {
    store.reset();
    await pageText(await results.open(id), 0, 10);
    return store.calls.map(({ op }) => op);
  };
  expect(await requestsFor(own.entry.requestId)).toEqual(['list', 'get', 'get']);
  // Its own folder, four steps over three folders to their end, the two new ones; then the record
  // and the rows.
  expect(await requestsFor(foreign[0]?.entry.requestId)).toEqual([
    ...Array.from({ length: 7 }, () => 'list'),
    'get',
    'get',
  ]);
  expect(await requestsFor(foreign[1]?.entry.requestId)).toEqual([
    'list',
    'list',
    'list',
    'get',
    'get',
  ]);
  expect(await requestsFor(foreign[1]?.entry.requestId)).toEqual(['get']);
});

test('an id that never existed makes nobody look for new brokers again and again', async () => {
  const { results: other } = broker('Broker_b_1');
  await other.create(countingRows(1), { owner: 'o' });
  const { store, results } = broker('Broker_a_1');
  expect(await codeOf(results.open(neverStored))).toBe('RESULT_NOT_FOUND');
  store.reset();
  expect(await codeOf(results.open(neverStored))).toBe('RESULT_NOT_FOUND');
  expect(store.calls.map(({ key }) => key)).toEqual([
    `Broker_a_1/${neverStored}/`,
    `Broker_b_1/${neverStored}/`,
  ]);
});

test('a broker that came since is found at once', async () => {
  const { results } = broker('Broker_a_1');
  expect(await codeOf(results.open(neverStored))).toBe('RESULT_NOT_FOUND');
  const { entry } = await broker('Broker_z_1').results.create(countingRows(5), { owner: 'o' });
  expect(await pageText(await results.open(entry.requestId), 0, 5)).toBe(countingJson(0, 5));
});

test('a broker that came since is found as well by a call during which another call finds it', async () => {
  const { results: known } = broker('Broker_b_1');
  const store = new FaultStore(memory, { clock });
  const results = brokerOn(store, 'Broker_a_1');
  await results.open((await known.create(countingRows(1), { owner: 'o' })).entry.requestId);
  const { results: came } = broker('Broker_c_1');
  const [first, second] = [
    await came.create(countingRows(5), { owner: 'o' }),
    await came.create(countingRows(5), { owner: 'o' }),
  ];
  const reached = Promise.withResolvers<void>();
  store.plan = ({ key }) => {
    if (key !== `Broker_b_1/${second.entry.requestId}/`) return undefined;
    reached.resolve();
    return { kind: 'slow', delayMs: 100 };
  };
  const slow = results.open(second.entry.requestId);
  await reached.promise;
  expect((await results.open(first.entry.requestId)).entry).toEqual(first.entry);
  await clock.advance(100);
  expect((await slow).entry).toEqual(second.entry);
});

test('a caller that leaves during the search for new brokers disturbs nobody else who waits for it', async () => {
  const reached = Promise.withResolvers<void>();
  const store = new FaultStore(memory, {
    clock,
    plan: ({ key }) => {
      if (key !== '') return undefined;
      reached.resolve();
      return { kind: 'slow', delayMs: 100 };
    },
  });
  const results = brokerOn(store, 'Broker_a_1');
  const impatient = new AbortController();
  const left = codeOf(results.open(neverStored, { signal: impatient.signal }));
  await reached.promise;
  const stayed = codeOf(results.open(neverStored));
  await clock.advance(50); // now both wait for one search
  impatient.abort();
  expect(await left).toBe('ABORTED');
  await clock.advance(50);
  expect(await stayed).toBe('RESULT_NOT_FOUND');
});

test('a broker that came during a search for new brokers is found, although that search had passed its folder', async () => {
  await broker('Broker_c_1').results.create(countingRows(1), { owner: 'o' });
  const reached = Promise.withResolvers<void>();
  let lookCount = 0;
  const store = new FaultStore(memory, {
    clock,
    plan: ({ key }) => {
      if (key !== '' || (lookCount += 1) !== 2) return undefined;
      reached.resolve();
      return { kind: 'slow', delayMs: 100 };
    },
  });
  const results = brokerOn(store, 'Broker_a_1');
  const first = codeOf(results.open(neverStored));
  await reached.promise;
  const { entry } = await broker('Broker_b_1').results.create(countingRows(5), { owner: 'o' });
  const impatient = new AbortController();
  const left = codeOf(results.open(entry.requestId, { signal: impatient.signal }));
  const found = results.open(entry.requestId);
  await clock.advance(50); // now both wait for the search
  impatient.abort();
  expect(await left).toBe('ABORTED');
  await clock.advance(50);
  expect((await found).entry).toEqual(entry);
  expect(await first).toBe('RESULT_NOT_FOUND');
});

test('a young id that nobody has costs a look every ten seconds, however often it is asked for', async () => {
  const { results: other } = broker('Broker_b_1');
  await other.create(countingRows(1), { owner: 'o' });
  const { store, results } = broker('Broker_a_1');
  const young = createRequestId(clock, new SeededRandom(5));
  const looks = async (): Promise<number> => {
    store.reset();
    expect(await codeOf(results.open(young))).toBe('RESULT_NOT_FOUND');
    return store.calls.filter(({ key }) => key === '').length;
  };
  expect([await looks(), await looks()]).toEqual([2, 0]);
  await clock.advance(10_000);
  expect(await looks()).toBe(2);
});

test('a result may be renewed and deleted by another broker than the one that stored it', async () => {
  const [one, two] = [broker('Broker_a_1').results, broker('Broker_b_1').results];
  const { entry } = await one.create(countingRows(5), { owner: 'o' });
  const renewed = await two.renew(entry.requestId, 2 * hourMs);
  expect(renewed).toMatchObject({
    brokerId: 'Broker_a_1',
    expirationTimeMs: clock.nowMs() + 2 * hourMs,
  });
  expect(await Array.fromAsync(one.list())).toEqual([renewed]);
  expect(await Array.fromAsync(two.list())).toEqual([]);
  await two.delete(entry.requestId);
  expect(await Array.fromAsync(memory.list(''))).toEqual([]);
  expect(await codeOf(two.open(entry.requestId))).toBe('RESULT_DELETED');
});

test('a result that two brokers renew to the same millisecond stays, at whatever moment the second comes in', async () => {
  const { results: first } = broker('Broker_a_1');
  let callCount = 0;
  for (let moment = 1; moment === 1 || callCount >= moment - 1; moment += 1) {
    const { entry } = await first.create(countingRows(5), { owner: 'o' });
    callCount = 0;
    const step = async (): Promise<void> => {
      callCount += 1;
      if (callCount === moment) await first.renew(entry.requestId, 2 * hourMs);
    };
    const store = withStep(step);
    const second = brokerOn(store, 'Broker_b_1');
    const renewed = await second.renew(entry.requestId, 2 * hourMs);
    expect(renewed.expirationTimeMs).toBe(clock.nowMs() + 2 * hourMs);
    expect(await pageText(await first.open(entry.requestId), 0, 5)).toBe(countingJson(0, 5));
    expect(await Array.fromAsync(broker('Broker_a_1').results.list())).toEqual([renewed]);
    await first.delete(entry.requestId);
  }
  expect(callCount).toBeGreaterThanOrEqual(4); // the record, the new record, a check of the old one, its deletion
});

/** Returns the shared store, with a step before each call. */
function withStep(step: () => Promise<void>): ObjectStore & ConditionalWriter {
  const after = async <T>(call: () => Promise<T>): Promise<T> => {
    await step();
    return call();
  };
  return {
    location: memory.location,
    head: (...call) => after(() => memory.head(...call)),
    get: (...call) => after(() => memory.get(...call)),
    put: (...call) => after(() => memory.put(...call)),
    putIfAbsent: (...call) => after(() => memory.putIfAbsent(...call)),
    list: (...call) => memory.list(...call),
    delete: (...call) => after(() => memory.delete(...call)),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
