import { MiB, type ObjectStore, QuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import { countingJson, countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { ResultStore, type SpaceReservation, type WriteOrder } from '../src/index.ts';

let memory: MemoryObjectStore;

beforeEach(() => {
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
});

function resultsWith(extend: SpaceReservation['extend'], ends: string[] = []): ResultStore {
  return new ResultStore({
    store: memory,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 3_600_000,
    clock: new ManualClock(),
    random: new SeededRandom(1),
    batchSizeBytes: 1000,
    admission: {
      reserve: () => ({
        extend,
        commit: () => void ends.push('commit'),
        release: (isFreed) => void ends.push(isFreed ? 'freed' : 'left'),
      }),
      removed: () => void ends.push('removed'),
    },
  });
}

describe('a write that waits for room', () => {
  test('a write that waits for room stores nothing meanwhile and pulls no more rows, and goes on when it has room', async () => {
    const room = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let pulledCount = 0;
    const rows = countingRows(2000, 250);
    const counted = async function* () {
      for await (const batch of rows.batches) {
        pulledCount += 1;
        yield batch;
      }
    };
    const extend = (): Promise<void> => {
      asked.resolve();
      return room.promise;
    };
    const writing = resultsWith(extend).create({ ...rows, batches: counted() }, { owner: 'o' });
    await asked.promise;
    const pulledBefore = pulledCount;
    const bytesBefore = memory.usedBytes;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect([pulledCount, memory.usedBytes]).toEqual([pulledBefore, bytesBefore]);
    expect(pulledBefore).toBeLessThan(8);
    room.resolve();
    expect(await pageText(await writing, 0, 3000)).toBe(countingJson(0, 2000));
  });

  test('a write that waits for room gives up as one whose room was refused at once, and leaves nothing', async () => {
    const ends: string[] = [];
    const refusal = new QuireError('QUERY_LIMIT_EXCEEDED', 'no room');
    const refusing = resultsWith(() => Promise.reject(refusal), ends);
    await expect(refusing.create(countingRows(2000), { owner: 'o' })).rejects.toBe(refusal);
    expect([ends, memory.usedBytes]).toEqual([['freed'], 0]);
  });

  test('a write whose remains cannot be deleted, for a reason that is not of stores, frees its space', async () => {
    const defect = new TypeError('a defect of the host');
    memory.delete = () => Promise.reject(defect);
    const ends: string[] = [];
    const refusal = new QuireError('QUERY_LIMIT_EXCEEDED', 'no space');
    const refusing = resultsWith(() => Promise.reject(refusal), ends);
    await expect(refusing.create(countingRows(2000), { owner: 'o' })).rejects.toBe(defect);
    await expect(refusing.startWrite({ owner: 'o' }).fail(refusal)).rejects.toBe(defect);
    expect(ends).toEqual(['left', 'left']);
  });

  test('a write that waits for room hands on the signal that its caller gave', async () => {
    const stop = new AbortController();
    const waiting = resultsWith((_bytes, options) => {
      return new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
        stop.abort();
      });
    });
    await expect(
      waiting.create(countingRows(10), { owner: 'o', signal: stop.signal }),
    ).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});

test('a writer in another process sends few rows of a store that reads files, whose pages need no request', () => {
  const orderOf = (store: ObjectStore): WriteOrder =>
    new ResultStore({
      store,
      brokerId: 'b',
      expirationMs: 3_600_000,
      expirationMaxMs: 3_600_000,
      clock: new ManualClock(),
    }).startWrite({ owner: 'o' }).order;
  expect(orderOf(memory).firstBytesMax).toBe(MiB);
  const files = Object.assign(new MemoryObjectStore({ sizeMaxBytes: 1e8 }), {
    readCached: () => false,
  });
  expect(orderOf(files).firstBytesMax).toBe(128 * 1024);
});

// Seed 300,005 of a day: a broker whose count was too low stored more than its quota.
test('the space of a result that a sweep and a call remove at once is freed once', async () => {
  const ends: string[] = [];
  const results = resultsWith(() => undefined, ends);
  await results.create(countingRows(3), { owner: 'o' });
  for await (const entry of results.list()) {
    await Promise.all([results.remove(entry, 'expired'), results.remove(entry, 'expired')]);
  }
  expect(ends).toEqual(['commit', 'removed']);
});
