import { createRequestId, isQuireError, type QuireError, type RequestId } from '@quire/core';
import { FaultStore, ManualClock, RecordingStore, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { ResultStore } from '../src/index.ts';
import { runningKeyOf } from '../src/layout.ts';

const hourMs = 3_600_000;
let clock: ManualClock;
let memory: MemoryObjectStore;
let requestId: RequestId;

function broker(
  brokerId: string,
  isShared = true,
): { readonly results: ResultStore; readonly store: RecordingStore } {
  const store = new RecordingStore(memory);
  const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs };
  return {
    store,
    results: new ResultStore({ store, brokerId, isShared, clock, cacheBytesMax: 0, ...times }),
  };
}

function place() {
  return {
    owner: 'ann',
    broker: { host: 'b.example', port: 8099 },
    endsBeforeMs: clock.nowMs() + 60_000,
  };
}

async function errorOf(promise: Promise<unknown>): Promise<QuireError> {
  const error: unknown = await promise.catch((failure: unknown) => failure);
  if (!isQuireError(error)) throw new Error('It did not fail as expected.', { cause: error });
  return error;
}

beforeEach(() => {
  clock = new ManualClock({ nowMs: 1_700_000_000_000 });
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8, clock });
  requestId = createRequestId(clock, new SeededRandom(18));
});

test('a broker says of a query that another one runs where that is, until its result stands', async () => {
  const runner = broker('Broker_b_1').results;
  const { results, store } = broker('Broker_a_1');
  const mark = runner.markRunning(requestId, place());
  await mark?.written;

  const error = await errorOf(results.open(requestId));
  expect([error.code, error.broker]).toEqual([
    'QUERY_ELSEWHERE',
    { host: 'b.example', port: 8099 },
  ]);
  expect(error.message).toContain('runs on broker b.example:8099');
  for (const call of [results.renew(requestId, hourMs), results.delete(requestId)]) {
    expect((await errorOf(call)).code).toBe('QUERY_ELSEWHERE');
  }
  // A listing for each broker, and the mark: as many requests as for a stored result.
  store.reset();
  await errorOf(results.open(requestId));
  expect(store.calls.map(({ op }) => op)).toEqual(['list', 'list', 'get']);

  await runner.create(countingRows(5), { owner: 'ann', requestId });
  expect((await results.open(requestId)).entry.rowCount).toBe(5); // the mark may be deleted a little later
  await mark?.end();
  expect((await broker('Broker_c_1').results.open(requestId)).entry.rowCount).toBe(5);
  expect(
    (await Array.fromAsync(memory.list('')))
      .map(({ key }) => key)
      .filter((key) => key.includes('running')),
  ).toEqual([]);
});

test('those who may not read the result hear that it never existed, after as many requests', async () => {
  await broker('Broker_b_1').results.markRunning(requestId, place())?.written;
  const { results, store } = broker('Broker_a_1');
  await errorOf(results.open(requestId)); // now it knows its peers
  const never = createRequestId(clock, new SeededRandom(19));
  await errorOf(results.open(never));
  const requests: string[][] = [];
  for (const id of [requestId, never]) {
    store.reset();
    const error = await errorOf(results.open(id, { mayRead: (owner) => owner === 'bob' }));
    expect([error.code, error.message.replace(id, '')]).toEqual([
      'RESULT_NOT_FOUND',
      'Query results for  not found.',
    ]);
    requests.push(store.calls.map(({ op }) => op));
  }
  expect(requests[0]).toEqual(requests[1]);
});

test('no mark is believed long after its query must have ended, nor by the broker that made it', async () => {
  const runner = broker('Broker_b_1').results;
  await runner.markRunning(requestId, place())?.written;
  expect((await errorOf(runner.open(requestId))).code).toBe('RESULT_NOT_FOUND'); // an earlier process was killed
  const { results } = broker('Broker_a_1');
  await clock.advance(119_999);
  expect((await errorOf(results.open(requestId))).code).toBe('QUERY_ELSEWHERE');
  await clock.advance(1);
  expect((await errorOf(results.open(requestId))).code).toBe('RESULT_NOT_FOUND');
});

test.each([
  ['no JSON', 'running'],
  ['no object', 'null'],
  ['another shape', '{"owner":"ann"}'],
  [
    'a host that would break a header',
    '{"owner":"ann","broker":{"host":"a\\r\\nb","port":1},"endsBeforeMs":9e15}',
  ],
  [
    'a port that cannot be one',
    '{"owner":"ann","broker":{"host":"a","port":"1"},"endsBeforeMs":9e15}',
  ],
])('a mark that cannot be read counts for nothing: %s', async (_, text) => {
  await memory.put(runningKeyOf('Broker_b_1', requestId), new TextEncoder().encode(text));
  expect((await errorOf(broker('Broker_a_1').results.open(requestId))).code).toBe(
    'RESULT_NOT_FOUND',
  );
});

test('a mark that goes while it is read has the store asked once more', async () => {
  const runner = broker('Broker_b_1').results;
  const mark = runner.markRunning(requestId, place());
  await mark?.written;
  const store = new RecordingStore(memory);
  const options = {
    store,
    isShared: true,
    clock,
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
  } as const;
  const results = new ResultStore({ ...options, brokerId: 'Broker_a_1' });
  await errorOf(results.open(requestId));
  const get = store.get.bind(store);
  store.get = async (key, asked) => {
    store.get = get;
    await runner.create(countingRows(7), { owner: 'ann', requestId });
    await mark?.end();
    return get(key, asked);
  };
  expect((await results.open(requestId)).entry.rowCount).toBe(7);
});

test('nothing is marked in a store that nobody shares', async () => {
  expect(broker('Broker_b_1', false).results.markRunning(requestId, place())).toBe(undefined);
});

test('a mark that may not have been written is taken away all the same', async () => {
  const faults = new FaultStore(memory);
  faults.plan = ({ op }) => (op === 'put' ? { kind: 'fail-after' } : undefined);
  const settings = { isShared: true, clock, expirationMs: hourMs, expirationMaxMs: hourMs };
  const results = new ResultStore({ store: faults, brokerId: 'Broker_b_1', ...settings });
  const mark = results.markRunning(requestId, place());
  await expect(mark?.written).rejects.toThrow('put');
  await mark?.end();
  expect(await Array.fromAsync(memory.list(''))).toEqual([]);
});
