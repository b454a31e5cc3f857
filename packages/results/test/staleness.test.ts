import { isQuireError, type ObjectStore } from '@quire/core';
import { faultOn, FaultStore, ManualClock, RecordingStore } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import { countingJson, countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { removeResult, type ResultEntry, ResultStore } from '../src/index.ts';

const hourMs = 3_600_000;
const boundMs = 5000;
let clock: ManualClock;
let memory: MemoryObjectStore;

function broker(
  brokerId: string,
  options: { isShared?: boolean; stalenessMaxMs?: number; store?: ObjectStore } = {},
): ResultStore {
  const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs };
  return new ResultStore({ store: memory, brokerId, isShared: true, clock, ...times, ...options });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((failure: unknown) => failure);
  return isQuireError(error) ? error.code : 'no error';
}

/** Reads a page until its batches are in memory. */
async function warm(results: ResultStore, requestId: string): Promise<void> {
  for (let count = 0; count < 3; count += 1) await pageText(await results.open(requestId), 0, 100);
}

beforeEach(() => {
  clock = new ManualClock({ nowMs: 1_700_000_000_000 });
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8, clock });
});

describe('a result that somebody else has removed is no longer served after the bound, with its pages in memory:', () => {
  const removals: readonly [string, boolean, string, (entry: ResultEntry) => Promise<unknown>][] = [
    [
      'deleted by another broker',
      true,
      'RESULT_DELETED',
      ({ requestId }) => broker('Broker_b_1').delete(requestId),
    ],
    [
      'evicted by a cleaner of its own',
      false,
      'RESULT_DELETED',
      (entry) => removeResult(memory, entry),
    ],
    [
      'its commit record deleted by hand',
      false,
      'RESULT_DELETED',
      ({ recordKey }) => memory.delete(recordKey),
    ],
    [
      'its data deleted by hand, and its record',
      false,
      'RESULT_DELETED',
      async ({ dataKey, recordKey }) => {
        await memory.delete(dataKey);
        await memory.delete(recordKey);
      },
    ],
  ];

  test.each(removals)(
    'a result that somebody else has removed is no longer served after the bound, with its pages in memory: %s',
    async (_, isShared, code, remove) => {
      const results = broker('Broker_a_1', { isShared });
      const { entry } = await results.create(countingRows(100), { owner: 'ana' });
      await warm(results, entry.requestId);
      const held = await results.open(entry.requestId);
      await remove(entry);
      await clock.advance(boundMs);
      expect(await codeOf(results.open(entry.requestId))).toBe(code);
      // This also applies to a reader that has opened it before, and would otherwise read only from
      // memory.
      expect(await codeOf(pageText(held, 0, 100))).toBe(code);
      // All callers but its owner receive the answer for an unknown id.
      const mayRead = (owner?: string): boolean => owner !== 'ana';
      expect(await codeOf(results.open(entry.requestId, { mayRead }))).toBe('RESULT_NOT_FOUND');
    },
  );

  test('a page of a result that is held is refused by itself', async () => {
    const results = broker('Broker_a_1');
    const { entry } = await results.create(countingRows(100), { owner: 'ana' });
    await warm(results, entry.requestId);
    const held = await results.open(entry.requestId);
    await broker('Broker_b_1').delete(entry.requestId);
    await clock.advance(boundMs);
    expect(await codeOf(pageText(held, 0, 100))).toBe('RESULT_DELETED');
  });

  test('a result that somebody else has removed says that it has expired, when it has', async () => {
    const results = broker('Broker_a_1');
    const { entry } = await results.create(countingRows(100), { owner: 'ana' });
    await clock.advance(hourMs);
    await removeResult(memory, entry);
    expect(await codeOf(results.open(entry.requestId))).toBe('RESULT_EXPIRED');
  });
});

test('a renewal by another broker is seen after the bound', async () => {
  const [one, two] = [broker('Broker_a_1'), broker('Broker_b_1')];
  const { entry } = await one.create(countingRows(100), { owner: 'ana' });
  const renewed = await two.renew(entry.requestId, 2 * hourMs);
  expect((await one.open(entry.requestId)).entry.expirationTimeMs).toBe(entry.expirationTimeMs);
  await clock.advance(boundMs);
  const result = await one.open(entry.requestId);
  expect(result.entry).toEqual(renewed);
  expect(await pageText(result, 10, 10)).toBe(countingJson(10, 20));
  // Readers that have opened it before continue.
  await two.renew(entry.requestId, 3 * hourMs);
  await clock.advance(boundMs);
  expect(await pageText(result, 10, 10)).toBe(countingJson(10, 20));
});

describe('looking whether a result stands takes', () => {
  test('no request within the bound, and one without a body for all who ask after it', async () => {
    const store = new RecordingStore(memory);
    const results = broker('Broker_a_1', { store });
    const { entry } = await results.create(countingRows(100), { owner: 'ana' });
    await clock.advance(boundMs - 1);
    store.reset();
    await results.open(entry.requestId);
    expect(store.calls).toEqual([]);
    await clock.advance(1);
    await Promise.all(
      Array.from({ length: 20 }, async () => pageText(await results.open(entry.requestId), 0, 10)),
    );
    expect(store.calls.map(({ op, key }) => `${op} ${key}`)).toEqual([`head ${entry.recordKey}`]);
    await results.open(entry.requestId);
    expect(store.calls).toHaveLength(1);
    await clock.advance(boundMs);
    await results.open(entry.requestId);
    expect(store.calls).toHaveLength(2);
  });

  test('looking whether a result exists takes one request each time where nothing may go unnoticed', async () => {
    const store = new RecordingStore(memory);
    const results = broker('Broker_a_1', { store, stalenessMaxMs: 0 });
    const { entry } = await results.create(countingRows(100), { owner: 'ana' });
    store.reset();
    for (let count = 0; count < 3; count += 1) await results.open(entry.requestId);
    expect(store.calls.map(({ op }) => op)).toEqual(['head', 'head', 'head']);
  });
});

test('rows are not served when the store cannot say whether the result stands', async () => {
  const store = new FaultStore(memory, { clock });
  const results = broker('Broker_a_1', { store });
  const { entry } = await results.create(countingRows(100), { owner: 'ana' });
  store.plan = faultOn('head', { kind: 'fail-before' });
  await clock.advance(boundMs);
  expect(await codeOf(results.open(entry.requestId))).toBe('STORE_UNAVAILABLE');
  store.plan = () => undefined;
  expect(await pageText(await results.open(entry.requestId), 0, 1)).toBe('[[0]]');
});

test('one who gives up waiting for a look disturbs nobody else who waits for it', async () => {
  const store = new FaultStore(memory, { clock });
  const results = broker('Broker_a_1', { store });
  const { entry } = await results.create(countingRows(100), { owner: 'ana' });
  await clock.advance(boundMs);
  store.plan = faultOn('head', { kind: 'slow', delayMs: 100 });
  const impatient = new AbortController();
  const [left, stayed] = [
    results.open(entry.requestId, { signal: impatient.signal }),
    results.open(entry.requestId),
  ];
  impatient.abort();
  await expect(left).rejects.toMatchObject({ code: 'ABORTED', cause: impatient.signal.reason });
  await clock.advance(100);
  expect((await stayed).entry).toEqual(entry);
});
