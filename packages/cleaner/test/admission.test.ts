import { setImmediate } from 'node:timers/promises';
import { isQuireError, type ObjectStore, QuireError } from '@quire/core';
import { collect, faultOn } from '@quire/core/testing';
import fc from 'fast-check';
import { ResultStore } from '@quire/results';
import { expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

/** The default time for which new results are protected. */
const minuteMs = 60_000;

test('admission takes one listing at a time: what is measured at the start, and the listing of a sweep', async () => {
  const setup = new CleanerSetup({ quotaBytes: 50_000 });
  let listingCount = 0;
  setup.store.plan = ({ op }) => {
    if (op === 'list') listingCount += 1;
    return op === 'list' && listingCount === 1 ? { kind: 'slow', delayMs: 1000 } : undefined;
  };
  setup.cleaner.start();
  const swept = setup.cleaner.sweep('once');
  await setup.clock.advance(999);
  expect(listingCount).toBe(1);
  await setup.clock.advance(1);
  await swept;
  expect(listingCount).toBe(2);
  await setup.cleaner.stop();
});

test('a result that alone exceeds the critical threshold fails as soon as it does, leaves nothing, and evicts nobody', async () => {
  const setup = new CleanerSetup({ quotaBytes: 50_000, batchSizeBytes: 100_000 });
  const others = await setup.fill(4000, 4000);
  const usageBytes = setup.admission.usage.totalBytes;
  await expect(setup.results.create(countingRows(100_000), { owner: 'o' })).rejects.toMatchObject({
    code: 'QUERY_LIMIT_EXCEEDED',
    message: expect.stringMatching(
      /^The result, of 64\.1 KiB or more, is too large to store: it exceeds the critical 43\.9 KiB: of the quota of 48\.8 KiB, \d\d\.\d KiB are stored, this query has written 0 B, and a result of at most 19\.5 KiB would fit\.$/,
    ) as string,
  });
  expect(await setup.idsLeft()).toEqual(others);
  expect(setup.cleaner.status.lastSweep).toBeUndefined();
  expect(setup.admission.usage.totalBytes).toBe(usageBytes);
  expect(usageBytes).toBe((await setup.results.usage()).sizeBytes);
});

test('a write in flight, whatever its size, costs the others at most what brings these down to the target', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 12_000 }),
      async (storedCounts, writtenCount) => {
        const setup = new CleanerSetup({ quotaBytes: 30_000, batchSizeBytes: 800 });
        await setup.fill(...storedCounts);
        await setup.clock.advance(minuteMs);
        await setup.cleaner.sweep('schedule');
        const live = await collect(setup.results.list());
        const liveBytes = live.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        const rows = countingRows(writtenCount, 200);
        const sweepMeanwhile = async function* () {
          for await (const batch of rows.batches) {
            await setup.cleaner.sweep('critical');
            yield batch;
          }
          await setup.cleaner.sweep('critical');
        };
        const written = await setup.results
          .create({ ...rows, batches: sweepMeanwhile() }, { owner: 'o' })
          .catch((error: unknown) => {
            if (!isQuireError(error, 'QUERY_LIMIT_EXCEEDED')) throw error;
          });
        const ids = await setup.idsLeft();
        const left = live.filter(({ requestId }) => ids.includes(requestId));
        const leftBytes = left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        expect(liveBytes > 18_000 || left.length === live.length).toBe(true);
        // Until the last deletion, more than the target was stored.
        const goneBytes = live
          .filter((entry) => !left.includes(entry))
          .map(({ sizeBytes }) => sizeBytes);
        expect(left.length === live.length || leftBytes + Math.max(0, ...goneBytes) > 18_000).toBe(
          true,
        );
        expect(written === undefined ? 0 : written.entry.sizeBytes).toBeLessThanOrEqual(27_000);
      },
    ),
    { seed: 5, numRuns: 60 },
  );
});

test('what expired goes at once when a write in flight crosses the critical threshold', async () => {
  const setup = new CleanerSetup({ quotaBytes: 40_000, batchSizeBytes: 800 });
  setup.cleaner.start();
  await setup.clock.advance(1000);
  const [live] = await setup.fill(1500, 3000);
  await setup.results.renew(live!, 5 * hourMs);
  setup.clock.stepWallClock(2 * hourMs);
  const rows = countingRows(4000, 200);
  const slowly = async function* () {
    for await (const batch of rows.batches) {
      await setup.clock.advance(1);
      yield batch;
    }
  };
  const { entry } = await setup.results.create({ ...rows, batches: slowly() }, { owner: 'o' });
  expect(await setup.idsLeft()).toEqual([live, entry.requestId]);
  expect(setup.cleaner.status.lastSweep).toMatchObject({
    trigger: 'critical',
    brokers: [{ quota: { freed: { count: 0 } } }],
  });
  await setup.cleaner.stop();
});

test('debris that a failed write may have left counts until a listing shows that it is gone, and evicts nobody', async () => {
  const setup = new CleanerSetup({ quotaBytes: 30_000, batchSizeBytes: 800 });
  const live = await setup.fill(2000);
  const usageBytes = setup.admission.usage.totalBytes;
  setup.store.plan = faultOn('delete', { kind: 'fail-before' });
  await expect(setup.results.create(countingRows(9000, 200), { owner: 'o' })).rejects.toMatchObject(
    {
      code: 'QUERY_LIMIT_EXCEEDED',
    },
  );
  expect(setup.admission.usage.totalBytes).toBeGreaterThan(27_000);
  expect(setup.admission.usage.storedBytes).toBe(usageBytes);
  setup.store.plan = () => undefined;
  await setup.cleaner.sweep('critical');
  expect(await setup.idsLeft()).toEqual(live);
  expect(setup.admission.usage.totalBytes).toBe(usageBytes);
});

test('a result larger than the quota that cannot be deleted is not made up for by all the others', async () => {
  const setup = new CleanerSetup();
  const ids = await setup.fill(100, 6000, 1000);
  const giant = ids[1]!;
  await setup.clock.advance(minuteMs);
  setup.setQuota(15_000);
  setup.store.plan = ({ op, key }) =>
    op === 'delete' && key.includes(giant) ? { kind: 'fail-before' } : undefined;
  const report = await setup.cleaner.sweep('settings');
  expect(report).toMatchObject({
    isGood: false,
    brokers: [{ quota: { freed: { count: 0 }, failed: { count: 1 } } }],
  });
  expect(new Set(await setup.idsLeft())).toEqual(new Set(ids));
});

test('crossing the critical threshold has a sweep run at once, which frees down to the target', async () => {
  const setup = new CleanerSetup({ quotaBytes: 22_000 });
  setup.cleaner.start();
  await setup.clock.advance(1000);
  await setup.fill(1500, 1500);
  await setup.clock.advance(1);
  expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'schedule' });
  await setup.fill(1500);
  await setup.clock.advance(1);
  expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'critical', isGood: true });
  expect(setup.admission.usage.totalBytes).toBeLessThanOrEqual(13_200);
  await setup.cleaner.stop();
});

test('admission knows what is stored from the start, and frees it at once when that is too much', async () => {
  const setup = new CleanerSetup();
  await setup.fill(1500, 1500, 1500);
  const successor = new CleanerSetup({ quotaBytes: 22_000, disk: setup.disk });
  successor.cleaner.start();
  await successor.clock.advance(0);
  await successor.clock.advance(1);
  expect(successor.cleaner.status.lastSweep).toMatchObject({
    trigger: 'critical',
    brokers: [{ quota: { freed: { count: 2 } } }],
  });
  await successor.cleaner.stop();
  const modest = new CleanerSetup({ quotaBytes: 22_000, disk: setup.disk });
  modest.cleaner.start();
  await modest.clock.advance(1);
  expect(modest.cleaner.status.lastSweep).toBeUndefined();
  expect(modest.admission.usage.totalBytes).toBe((await modest.results.usage()).sizeBytes);
  await modest.cleaner.stop();
});

test('admission counts what is really there after a listing, whatever happened behind its back', async () => {
  const setup = new CleanerSetup({ quotaBytes: 1e6 });
  const [id] = await setup.fill(100, 200);
  for await (const { key } of setup.disk.list(`b/${id}`)) await setup.disk.delete(key);
  await setup.disk.put('b/notes', new Uint8Array(77));
  await setup.cleaner.sweep('schedule');
  expect(setup.admission.usage.totalBytes).toBe((await setup.results.usage()).sizeBytes + 77);
});

test('a store that fails while its source waits for space ends the wait, and so closes the source', async () => {
  const setup = new CleanerSetup({ quotaBytes: 50_000, batchSizeBytes: 800 });
  const other = setup.admission.reserve(setup.results.newRequestId('o'));
  await other.extend(40_000);
  const failed = Promise.withResolvers<never>();
  // As a bucket does, of which a part fails: it does not wait until the source has returned.
  const put: ObjectStore['put'] = async (_, body) => {
    const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const pull = async (): Promise<never> => {
      while ((await iterator.next()).done !== true);
      throw new Error('The source has ended.');
    };
    return Promise.race([pull(), failed.promise]);
  };
  const results = new ResultStore({
    store: Object.assign(Object.create(setup.store) as ObjectStore, {
      put,
      delete: async () => undefined,
    }),
    brokerId: 'b',
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
    clock: setup.clock,
    batchSizeBytes: 800,
    admission: setup.admission,
  });
  const rows = countingRows(4000, 200);
  const closed = Promise.withResolvers<void>();
  const batches = async function* () {
    try {
      yield* rows.batches;
    } finally {
      closed.resolve();
    }
  };
  const creating = results.create({ ...rows, batches: batches() }, { owner: 'o' });
  while (setup.admission.queue.waitingCount === 0) await setImmediate();
  failed.reject(new QuireError('STORE_UNAVAILABLE', 'A part failed.'));
  await expect(creating).rejects.toThrow('A part failed.');
  await closed.promise;
  other.release(true);
  expect(setup.admission.usage.totalBytes).toBe(0);
});
