import { isQuireError, type ObjectStore, ownerTagOf, readObject } from '@quire/core';
import {
  faultOn,
  FaultStore,
  ManualClock,
  RecordingStore,
  SeededRandom,
} from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  countingJson,
  countingRows,
  failingRows,
} from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { ownerTag, type ResultEntry, ResultStore } from '../src/index.ts';

const hourMs = 3_600_000;
let clock: ManualClock;
let memory: MemoryObjectStore;

function resultsOn(
  store: ObjectStore,
  options: { resultBytesMax?: number; brokerId?: string; ownerTagKey?: string } = {},
): ResultStore {
  return new ResultStore({
    store,
    brokerId: 'Broker_a_1',
    expirationMs: hourMs,
    expirationMaxMs: 24 * hourMs,
    clock,
    random: new SeededRandom(1),
    cacheBytesMax: 0,
    ...options,
  });
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  return (await Array.fromAsync(store.list(''))).map(({ key }) => key);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'resolved';
  } catch (error) {
    return isQuireError(error) ? error.code : String(error);
  }
}

beforeEach(() => {
  clock = new ManualClock({ nowMs: 1_000_000 });
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
});

describe('a result', () => {
  test('a result is a data file and a commit record whose name says the rest', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(5000), { owner: 'ana' });
    expect(await keysOf(memory)).toEqual([
      `Broker_a_1/${entry.requestId}/1000000-4600000-5000.json`,
      `Broker_a_1/${entry.requestId}/data.arrow`,
    ]);
    expect(entry).toMatchObject({
      submissionTimeMs: 1_000_000,
      expirationTimeMs: 4_600_000,
      rowCount: 5000,
    });
    const sizes = (await Array.fromAsync(memory.list(''))).map(({ sizeBytes }) => sizeBytes);
    expect(entry.sizeBytes).toBe(sizes.reduce((sum, size) => sum + size));
  });

  test('a result is found again by another process, with its owner and statistics', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(5000), { owner: 'ana' });
    const result = await resultsOn(memory).open(entry.requestId);
    expect(result.entry).toEqual(entry);
    expect(result.owner).toBe('ana');
    expect(result.statistics).toEqual({
      elapsedMs: 7,
      cpuTimeNs: 8,
      rowsScanned: 9,
      rowsTotal: 10,
      tables: ['t'],
    });
    expect(await pageText(result, 4998, 10)).toBe(countingJson(4998, 5000));
  });

  test('a result of no rows keeps its schema', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(0), { owner: 'ana' });
    const result = await resultsOn(memory).open(entry.requestId);
    expect(result.schema.fields.map(({ name }) => name)).toEqual(['n']);
    expect(await pageText(result, 0, 10)).toBe('[]');
    expect(await pageText(result, 0, 10, 'csv')).toBe('n\n');
  });

  test('a result has pages at every boundary offset', async () => {
    const result = await resultsOn(memory).create(countingRows(40_000), { owner: 'ana' });
    for (const offset of [0, 16_383, 16_384, 16_385, 32_767, 32_768, 39_999, 40_000]) {
      expect(await pageText(result, offset, 2)).toBe(
        countingJson(offset, Math.min(40_000, offset + 2)),
      );
      expect(await pageText(result, offset, Number.MAX_SAFE_INTEGER)).toBe(
        countingJson(offset, 40_000),
      );
    }
    for (const offset of [40_001, 2 ** 31, 2 ** 53]) {
      expect(() => result.page({ offset, rowCount: 1 })).toThrow(
        `offset ${offset} is past the end of the result, which has 40000 rows.`,
      );
    }
  });

  test('a result belongs to one broker: another neither sees nor deletes it', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(1), { owner: 'ana' });
    const other = resultsOn(memory, { brokerId: 'Broker_b_1' });
    expect(await Array.fromAsync(other.list())).toEqual([]);
    expect(await codeOf(other.delete(entry.requestId))).toBe('RESULT_NOT_FOUND');
    expect(await keysOf(memory)).toHaveLength(2);
  });
});

describe('the id of a result', () => {
  test('the id of a result has the tag of its owner, which a renewal leaves', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(10), { owner: 'ana' });
    await clock.advance(1);
    expect(ownerTagOf(entry.requestId)).toBe(ownerTag('ana'));
    expect((await results.renew(entry.requestId, 2 * hourMs)).requestId).toBe(entry.requestId);
  });

  test('the id of a result has another tag under another key', () => {
    const ownerTagKey = 'a-key-of-32-letters-for-tests-01';
    const [open, keyed] = [resultsOn(memory), resultsOn(memory, { ownerTagKey })];
    expect(ownerTagOf(keyed.newRequestId('ana'))).toBe(ownerTag('ana', ownerTagKey));
    expect(ownerTagOf(keyed.newRequestId('ana'))).not.toBe(ownerTagOf(open.newRequestId('ana')));
    expect(ownerTagOf(open.newRequestId('ana'))).not.toBe(ownerTagOf(open.newRequestId('bob')));
  });

  test('the id of a result has the first four bytes of an HMAC-SHA256, as openssl computes it', () => {
    // printf ana | openssl dgst -sha256 -mac HMAC -macopt key:a-key-of-32-letters-for-tests-01
    expect(ownerTag('ana', 'a-key-of-32-letters-for-tests-01').toString(16)).toBe('2da86939');
  });
});

describe('expiry', () => {
  test('expiry is enforced on read, from that millisecond on', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(1), { owner: 'ana' });
    await clock.advance(hourMs - 1);
    expect(await codeOf(results.open(entry.requestId))).toBe('resolved');
    await clock.advance(1);
    expect(await codeOf(results.open(entry.requestId))).toBe('RESULT_EXPIRED');
    expect(await codeOf(resultsOn(memory).open(entry.requestId))).toBe('RESULT_EXPIRED');
    const mayRead = (owner?: string): boolean => owner !== 'ana';
    expect(await codeOf(results.open(entry.requestId, { mayRead }))).toBe('RESULT_NOT_FOUND');
  });

  test('expiry deletes what has expired, and nothing else, and remembers why', async () => {
    const results = resultsOn(memory);
    const first = await results.create(countingRows(1), { owner: 'ana' });
    await clock.advance(1000);
    const second = await results.create(countingRows(2), { owner: 'ana' });
    await clock.advance(hourMs - 1000);
    expect(await results.deleteExpired(clock.nowMs())).toBe(1);
    expect(await codeOf(results.open(first.entry.requestId))).toBe('RESULT_EXPIRED');
    expect((await Array.fromAsync(results.list())).map(({ rowCount }) => rowCount)).toEqual([2]);
    expect(await pageText(second, 0, 9)).toBe('[[0],[1]]');
  });

  test('expiry goes on past a result that cannot be deleted, and says so', async () => {
    const store = new FaultStore(memory);
    const results = resultsOn(store);
    for (let count = 0; count < 3; count += 1) {
      await results.create(countingRows(1), { owner: 'ana' });
    }
    store.plan = faultOn('delete', { kind: 'fail-before' }, 1);
    await expect(results.deleteExpired(clock.nowMs() + hourMs)).rejects.toThrow(
      '1 expired results could not be deleted; 2 were deleted.',
    );
    expect(await keysOf(memory)).toHaveLength(2);
  });

  test('expiry deletes also a result whose commit record is damaged', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(1), { owner: 'ana' });
    await memory.put(entry.recordKey, Buffer.from('{}'));
    const restarted = resultsOn(memory);
    expect(await codeOf(restarted.open(entry.requestId))).toBe('RESULT_CORRUPT');
    expect(await restarted.deleteExpired(clock.nowMs() + hourMs)).toBe(1);
    expect(await keysOf(memory)).toEqual([]);
  });
});

describe('renewal', () => {
  test('renewal gives a new expiry, counted from now, and leaves one commit record', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(3), { owner: 'ana' });
    await clock.advance(1000);
    const renewed = await results.renew(entry.requestId, 2 * hourMs);
    expect(renewed.expirationTimeMs).toBe(1_001_000 + 2 * hourMs);
    expect(await keysOf(memory)).toEqual([renewed.recordKey, renewed.dataKey]);
    expect((await resultsOn(memory).open(entry.requestId)).entry).toEqual(renewed);
  });

  test('renewal never gives more than the ceiling', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(3), { owner: 'ana' });
    expect((await results.renew(entry.requestId, 999 * hourMs)).expirationTimeMs).toBe(
      1_000_000 + 24 * hourMs,
    );
  });

  test('renewal that dies half-way leaves the later expiry in force', async () => {
    const store = new FaultStore(memory);
    const { entry } = await resultsOn(memory).create(countingRows(3), { owner: 'ana' });
    store.plan = faultOn('delete', { kind: 'crash', when: 'before' });
    await expect(resultsOn(store).renew(entry.requestId, 2 * hourMs)).rejects.toThrow(
      'The process died here',
    );
    expect(await keysOf(memory)).toHaveLength(3);
    const result = await resultsOn(memory).open(entry.requestId);
    expect(result.entry.expirationTimeMs).toBe(1_000_000 + 2 * hourMs);
    await resultsOn(memory).delete(entry.requestId);
    expect(await keysOf(memory)).toEqual([]);
  });

  test('renewal counts, whatever records failed ones have left', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(3), { owner: 'ana' });
    const here = resultsOn(memory);
    await here.renew(entry.requestId, 9 * hourMs);
    for (const hours of [7, 8]) {
      const store = new FaultStore(memory);
      store.plan = faultOn('delete', { kind: 'crash', when: 'before' });
      await expect(resultsOn(store).renew(entry.requestId, hours * hourMs)).rejects.toThrow(
        'The process died here',
      );
    }
    const renewed = await here.renew(entry.requestId, 2 * hourMs);
    expect(renewed.expirationTimeMs).toBe(1_000_000 + 2 * hourMs);
    expect((await resultsOn(memory).open(entry.requestId)).entry).toEqual(renewed);
    expect(await keysOf(memory)).toEqual([renewed.recordKey, renewed.dataKey]);
  });

  test('renewal by another process is seen before a result is called expired', async () => {
    const here = resultsOn(memory);
    const { entry } = await here.create(countingRows(3), { owner: 'ana' });
    await resultsOn(memory).renew(entry.requestId, 5 * hourMs);
    await clock.advance(2 * hourMs);
    expect((await here.open(entry.requestId)).entry.expirationTimeMs).toBe(1_000_000 + 5 * hourMs);
  });

  test('renewal that is stored after the expiry counts, although the result was requested in between', async () => {
    const reached = Promise.withResolvers<void>();
    const slowPut = faultOn('put', { kind: 'slow', delayMs: 100 });
    const store = new FaultStore(memory, {
      clock,
      plan: (call) => {
        if (call.op === 'put') reached.resolve();
        return slowPut(call);
      },
    });
    const { entry } = await resultsOn(memory).create(countingRows(3), { owner: 'ana' });
    const [here, elsewhere] = [resultsOn(store), resultsOn(memory)];
    await clock.advance(hourMs - 50);
    const renewal = here.renew(entry.requestId, hourMs);
    await reached.promise;
    await clock.advance(50);
    for (const results of [here, elsewhere]) {
      expect(await codeOf(results.open(entry.requestId))).toBe('RESULT_EXPIRED');
    }
    await clock.advance(50);
    const renewed = await renewal;
    expect(renewed.expirationTimeMs).toBe(entry.expirationTimeMs - 50 + hourMs);
    for (const results of [here, elsewhere]) {
      expect((await results.open(entry.requestId)).entry).toEqual(renewed);
    }
    await here.delete(entry.requestId);
    expect(await keysOf(memory)).toEqual([]);
  });

  test('renewal of a result that another process deletes meanwhile brings nothing back', async () => {
    const here = resultsOn(memory);
    const { entry } = await here.create(countingRows(3), { owner: 'ana' });
    await resultsOn(memory).delete(entry.requestId);
    expect(await codeOf(here.renew(entry.requestId, 5 * hourMs))).toBe('RESULT_DELETED');
    expect(await keysOf(memory)).toEqual([]);
  });
});

describe('deletion', () => {
  test('deletion removes the commit record before the data', async () => {
    const store = new RecordingStore(memory);
    const results = resultsOn(store);
    const { entry } = await results.create(countingRows(3), { owner: 'ana' });
    store.reset();
    await results.delete(entry.requestId, { reason: 'evicted' });
    expect(store.calls.filter(({ op }) => op === 'delete').map(({ key }) => key)).toEqual([
      entry.recordKey,
      entry.dataKey,
    ]);
    expect(await codeOf(results.open(entry.requestId))).toBe('RESULT_EVICTED');
    expect(await codeOf(results.delete(entry.requestId))).toBe('RESULT_EVICTED');
    expect(await codeOf(resultsOn(memory).open(entry.requestId))).toBe('RESULT_NOT_FOUND');
  });

  test('deletion takes a record with it that another process writes to renew the result meanwhile', async () => {
    const { entry } = await resultsOn(memory).create(countingRows(3), { owner: 'ana' });
    const reached = Promise.withResolvers<void>();
    const slowDelete = faultOn('delete', { kind: 'slow', delayMs: 100 }, 1);
    const store = new FaultStore(memory, {
      clock,
      plan: (call) => {
        if (call.op === 'delete') reached.resolve();
        return slowDelete(call);
      },
    });
    const deletion = resultsOn(store).delete(entry.requestId);
    await reached.promise;
    await resultsOn(memory).renew(entry.requestId, 5 * hourMs);
    await clock.advance(100);
    await deletion;
    // A record without its data would be a damaged result until it expires.
    expect(await keysOf(memory)).toEqual([]);
  });

  test('deletion under a reader gives the reader an error, not a short page', async () => {
    const here = resultsOn(memory);
    const result = await here.create(countingRows(30_000), { owner: 'ana' });
    await resultsOn(memory).delete(result.entry.requestId);
    expect(await codeOf(pageText(result, 0, 10))).toBe('RESULT_DELETED');
    expect(await codeOf(here.open(result.entry.requestId))).toBe('RESULT_DELETED');
  });

  test.each([
    '',
    '..',
    'a/b',
    '%2e%2e%2f',
    'x\0',
    'x'.repeat(4096),
    '01A1FBBD-A4A0-72B4-A4A2-84902187C39F',
  ])('deletion of %j touches no object: it is not a request id', async (id) => {
    const store = new RecordingStore(memory);
    const results = resultsOn(store);
    expect(await codeOf(results.open(id))).toBe('RESULT_NOT_FOUND');
    expect(await codeOf(results.delete(id))).toBe('RESULT_NOT_FOUND');
    expect(await codeOf(results.renew(id, 1))).toBe('RESULT_NOT_FOUND');
    expect(store.calls).toEqual([]);
  });
});

describe('a failed write', () => {
  test('a failed write of a source that fails throws the same error and leaves nothing', async () => {
    const failure = new Error('division by zero');
    await expect(
      resultsOn(memory).create(failingRows(50_000, failure), { owner: 'ana' }),
    ).rejects.toBe(failure);
    expect(await keysOf(memory)).toEqual([]);
  });

  test('a failed write that is aborted leaves nothing, and says ABORTED', async () => {
    const abort = new AbortController();
    const source = countingRows(50_000);
    const batches = (async function* () {
      for await (const batch of source.batches) {
        yield batch;
        abort.abort();
      }
    })();
    expect(
      await codeOf(
        resultsOn(memory).create({ ...source, batches }, { owner: 'ana', signal: abort.signal }),
      ),
    ).toBe('ABORTED');
    expect(await keysOf(memory)).toEqual([]);
  });

  test('a failed write over the size limit fails as a limit and leaves nothing', async () => {
    const results = resultsOn(memory, { resultBytesMax: 100_000 });
    expect(await codeOf(results.create(countingRows(50_000), { owner: 'ana' }))).toBe(
      'QUERY_LIMIT_EXCEEDED',
    );
    expect(await keysOf(memory)).toEqual([]);
    expect(await codeOf(results.create(countingRows(10_000), { owner: 'ana' }))).toBe('resolved');
  });

  test('a failed write whose commit record cannot be taken back leaves it with its data: a whole result', async () => {
    const store = new FaultStore(memory, {
      plan: ({ op, key, number }) =>
        (op === 'put' && key.endsWith('.json')) || (op === 'delete' && number === 3)
          ? { kind: op === 'put' ? 'fail-after' : 'fail-before' }
          : undefined,
    });
    expect(await codeOf(resultsOn(store).create(countingRows(3), { owner: 'ana' }))).toBe(
      'STORE_UNAVAILABLE',
    );
    const [{ requestId }] = (await Array.fromAsync(resultsOn(memory).list())) as [ResultEntry];
    expect(await pageText(await resultsOn(memory).open(requestId), 0, 3)).toBe(countingJson(0, 3));
  });

  test('a failed write without enough room leaves nothing', async () => {
    const store = new FaultStore(memory, {
      plan: faultOn('put', { kind: 'full', afterBytes: 70_000 }),
    });
    expect(await codeOf(resultsOn(store).create(countingRows(50_000), { owner: 'ana' }))).toBe(
      'STORE_FULL',
    );
    expect(await keysOf(memory)).toEqual([]);
  });
});

test('a damaged batch is an error in every format, never rows', async () => {
  const { entry } = await resultsOn(memory).create(countingRows(40_000), { owner: 'ana' });
  const object = await memory.get(entry.dataKey);
  const bytes = Buffer.concat(await Array.fromAsync(object.body));
  bytes[70_000] = (bytes[70_000] ?? 0) ^ 4; // in the second batch of 16,384 rows of 4 bytes
  await memory.put(entry.dataKey, bytes);
  const result = await resultsOn(memory).open(entry.requestId);
  expect(await pageText(result, 0, 10)).toBe(countingJson(0, 10));
  for (const format of ['json', 'arrow', 'csv', 'ndjson'] as const) {
    expect(await codeOf(pageText(result, 16_384, 10, format))).toBe('RESULT_CORRUPT');
  }
  await memory.put(entry.dataKey, bytes.subarray(0, 80_000));
  expect(await codeOf(pageText(result, 30_000, 10))).toBe('OBJECT_SHORT_READ');
});

describe('a data file that is missing', () => {
  test('a data file that is missing is an error of the store while the commit record stands, and the result is there again when the file is', async () => {
    const results = resultsOn(memory);
    const { entry } = await results.create(countingRows(5000), { owner: 'ana' });
    const reader = resultsOn(memory);
    const opened = await reader.open(entry.requestId);
    const bytes = await readObject(memory, entry.dataKey);
    await memory.delete(entry.dataKey);
    const page = async (): Promise<unknown> => pageText(opened, 0, 2);
    expect([await codeOf(page()), await codeOf(page())]).toEqual([
      'RESULT_CORRUPT',
      'RESULT_CORRUPT',
    ]);
    // The error is the same as for a reader that has cached nothing.
    expect(await codeOf(resultsOn(memory).open(entry.requestId))).toBe('RESULT_CORRUPT');
    await memory.put(entry.dataKey, bytes);
    expect(await codeOf(page())).toBe('resolved');
    expect(await codeOf(reader.open(entry.requestId))).toBe('resolved');
  });
});

test('a stranger costs the store the same calls as an id that never was, whatever is at hand', async () => {
  const store = new RecordingStore(memory);
  const results = resultsOn(store);
  const { entry } = await results.create(countingRows(10), { owner: 'ana' });
  const gone = await results.create(countingRows(10), { owner: 'ana' });
  await results.delete(gone.entry.requestId);
  const callsOf = async (
    reader: ResultStore,
    requestId: string,
    caller: string,
  ): Promise<string[]> => {
    const before = store.calls.length;
    await codeOf(reader.open(requestId, { mayRead: (owner) => owner === caller }));
    return store.calls.slice(before).map(({ op }) => op);
  };
  const asNever = ['list', 'get'];
  expect(await callsOf(results, '01890a5d-ac96-774b-bcce-b302099a8057', 'bob')).toEqual(asNever);
  expect(await callsOf(results, entry.requestId, 'bob')).toEqual(asNever);
  expect(await callsOf(results, entry.requestId, 'bob')).toEqual(asNever);
  expect(await callsOf(results, gone.entry.requestId, 'bob')).toEqual(asNever);
  expect(await callsOf(resultsOn(store), entry.requestId, 'bob')).toEqual(asNever);
  expect(await callsOf(results, entry.requestId, 'ana')).toEqual([]);
});
