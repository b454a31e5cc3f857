import { faultAt, FaultStore, RecordingStore } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, expect, test } from 'vitest';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';

const rowCount = 50_000;
const pageRowCount = 7000;

let faults: FaultStore;
let store: RecordingStore;
let requestId: string;

function openResults(isReadingAhead: boolean): ResultStore {
  return new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    batchSizeBytes: 4096,
    isReadingAhead,
  });
}

beforeEach(async () => {
  faults = new FaultStore(new MemoryObjectStore({ sizeMaxBytes: 1e9 }));
  store = new RecordingStore(faults);
  requestId = (await openResults(false).create(countingRows(rowCount), { owner: 'o' })).entry
    .requestId;
});

/**
 * Reads pages that begin at these offsets, and returns the number of reads of each, including its
 * read-ahead.
 */
async function readsPerPage(results: ResultStore, offsets: readonly number[]): Promise<number[]> {
  const result = await results.open(requestId);
  const counts: number[] = [];
  for (const offset of offsets) {
    store.reset();
    const end = Math.min(offset + pageRowCount, rowCount);
    expect(await pageText(result, offset, pageRowCount)).toBe(countingJson(offset, end));
    counts.push(store.count('get'));
  }
  return counts;
}

const forward = [0, 7000, 14_000, 21_000, 28_000, 35_000, 42_000, 49_000];

test('a walk forward reads a page ahead from the second page on, and as often in all as without', async () => {
  await using results = openResults(true);
  expect(await readsPerPage(results, forward)).toEqual([1, 2, 1, 1, 1, 1, 1, 0]);
  expect(await readsPerPage(openResults(false), forward)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
});

test('a walk backward does likewise', async () => {
  await using results = openResults(true);
  const backward = [43_000, 36_000, 29_000, 22_000, 15_000, 8000, 1000];
  // The neighbour of the last page is in a cached batch.
  expect(await readsPerPage(results, backward)).toEqual([1, 2, 1, 1, 1, 1, 0]);
});

test('pages here and there read nothing ahead', async () => {
  await using results = openResults(true);
  expect(await readsPerPage(results, [0, 20_000, 41_000, 10_000])).toEqual([1, 1, 1, 1]);
});

test('a page that could not be read ahead is read when it is asked for', async () => {
  await using results = openResults(true);
  await readsPerPage(results, [0]);
  faults.plan = faultAt(faults.callCount + 2, { kind: 'fail-before' }); // the page itself, then the one ahead
  expect(await readsPerPage(results, [7000])).toEqual([2]);
  expect(await readsPerPage(results, [14_000])).toEqual([2]);
});

test('closing gives up what is on its way ahead', async () => {
  const results = openResults(true);
  await readsPerPage(results, [0, 7000]);
  await results[Symbol.asyncDispose]();
  const calls = store.count();
  await results[Symbol.asyncDispose]();
  expect(store.count()).toBe(calls);
});
