import { createRequestId, isQuireError, QuireError } from '@quire/core';
import { collect, faultOn } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { nextCronDelayMs } from '../src/sweep-schedule.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

/** The time for which new results are protected, unless told otherwise. */
const minuteMs = 60_000;

async function store(setup: CleanerSetup, ...rowCounts: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const rowCount of rowCounts) {
    ids.push((await setup.results.create(countingRows(rowCount), { owner: 'o' })).entry.requestId);
  }
  return ids;
}

async function idsLeft(setup: CleanerSetup): Promise<string[]> {
  return (await collect(setup.results.list())).map(({ requestId }) => requestId);
}

describe('a sweep', () => {
  test('evicts the largest down to the target, and readers hear that it was evicted', async () => {
    const setup = new CleanerSetup({ quotaBytes: 20_000 });
    const [small, large, medium] = await store(setup, 100, 2500, 1000);
    await setup.clock.advance(minuteMs);
    const report = await setup.cleaner.sweep('schedule');
    expect(report).toMatchObject({ isGood: true, brokers: [{ quota: { freed: { count: 0 } } }] });
    setup.setQuota(15_000);
    await setup.cleaner.sweep('settings');
    expect(await idsLeft(setup)).toEqual([small, medium]);
    await expect(setup.results.open(large!)).rejects.toMatchObject({ code: 'RESULT_EVICTED' });
    expect(setup.results.ownerOfRemoved(large!)).toBe('o');
    expect(setup.log.find(({ message }) => message === 'deleted')?.members).toMatchObject({ id: large, reason: 'evicted' });
  });

  test('deletes what has expired first, and then may need to evict nothing', async () => {
    const setup = new CleanerSetup({ quotaBytes: 14_000 });
    const [expired] = await store(setup, 1000);
    await setup.clock.advance(hourMs - 1);
    const [live] = await store(setup, 1500);
    await setup.clock.advance(1);
    const report = await setup.cleaner.sweep('schedule');
    expect(await idsLeft(setup)).toEqual([live]);
    expect(report?.brokers[0]).toMatchObject({ expiry: { freed: { count: 1 } }, quota: { wanted: { count: 0, bytes: 0 } } });
    await expect(setup.results.open(expired!)).rejects.toMatchObject({ code: 'RESULT_EXPIRED' });
  });

  test('takes the mark of a query away whose broker was killed, after the grace, and before that of none that runs', async () => {
    const setup = new CleanerSetup();
    const place = { owner: 'o', broker: { host: 'b.example', port: 8099 }, endsBeforeMs: setup.clock.nowMs() + hourMs };
    const shared = new ResultStore({ store: setup.disk, brokerId: 'b', isShared: true, expirationMs: 9e9, expirationMaxMs: 9e9 });
    const [killed, running] = [createRequestId(setup.clock, setup.random), createRequestId(setup.clock, setup.random)];
    for (const id of [killed, running]) await shared.markRunning(id, place)?.written;
    const room = setup.admission.reserve(running); // as a write that goes on
    const [stored] = await store(setup, 100);
    await setup.cleaner.sweep('schedule');
    await setup.clock.advance(hourMs - 1);
    const early = await setup.cleaner.sweep('schedule');
    expect(early?.brokers[0]?.orphans.freed.count).toBe(0);
    expect(await idsLeft(setup)).toEqual([stored]);
    await setup.clock.advance(1);
    await setup.cleaner.sweep('schedule');
    const keys = (await collect(setup.disk.list(''))).map(({ key }) => key);
    expect(keys.filter((key) => key.endsWith('running.json'))).toEqual([`b/${running}/running.json`]);
    room.release(true, undefined);
  });

  test('goes on past what it cannot delete, makes up for it, and says what it wanted and freed', async () => {
    const setup = new CleanerSetup();
    const [, largest] = await store(setup, 100, 2500, 1000);
    setup.setQuota(15_000);
    setup.store.plan = ({ op, key }) => (op === 'delete' && key.includes(largest!) ? { kind: 'fail-before' } : undefined);
    const report = await setup.cleaner.sweep('schedule');
    expect(report?.isGood).toBe(false);
    expect(report?.brokers[0]?.quota).toMatchObject({ wanted: { count: 3 }, freed: { count: 2 }, failed: { count: 1 } });
    expect(await idsLeft(setup)).toEqual([largest]);
    expect(setup.messages()).toEqual(
      expect.arrayContaining(['could not be deleted', 'the quota pass could not reach its target', 'sweep ended']),
    );
  });

  test('gives up after many failures in a row, and does not try for ever', async () => {
    const setup = new CleanerSetup();
    await store(setup, ...Array.from({ length: 130 }, () => 1));
    await setup.clock.advance(2 * hourMs);
    setup.store.plan = faultOn('delete', { kind: 'fail-before' });
    const report = await setup.cleaner.sweep('schedule');
    expect(report?.brokers[0]?.expiry).toMatchObject({ wanted: { count: 130 }, freed: { count: 0 } });
    expect(report!.brokers[0]!.expiry.failed.count).toBeLessThan(105);
  });

  test('that cannot list the store fails, says so, and the next one is good again', async () => {
    const setup = new CleanerSetup();
    setup.store.plan = faultOn('list', { kind: 'fail-before' }, 1);
    await expect(setup.cleaner.sweep('schedule')).rejects.toBeInstanceOf(QuireError);
    expect(setup.cleaner.status.lastError).toContain('injected fault');
    await setup.cleaner.sweep('schedule');
    expect(setup.cleaner.status).toMatchObject({ lastError: undefined, lastSweep: { isGood: true } });
  });

  test('lists once and opens nothing', async () => {
    const setup = new CleanerSetup();
    await store(setup, 500);
    setup.setQuota(1000);
    const ops: string[] = [];
    setup.store.plan = ({ op }) => void ops.push(op);
    await setup.cleaner.sweep('schedule');
    // The one listing; then, for the one result that goes, its record, a look for a renewal, its data.
    expect(ops).toEqual(['list', 'delete', 'list', 'delete']);
  });

  test('never overlaps another', async () => {
    const setup = new CleanerSetup();
    /** The sweep that had ended last when a listing began. */
    const endedLast: (string | undefined)[] = [];
    setup.store.plan = ({ op }) => {
      if (op === 'list') endedLast.push(setup.cleaner.status.lastSweep?.trigger);
      return { kind: 'slow', delayMs: 10 };
    };
    const both = Promise.all([setup.cleaner.sweep('schedule'), setup.cleaner.sweep('critical')]);
    await setup.clock.advance(1000);
    await both;
    expect(endedLast).toEqual([undefined, 'schedule']);
  });

  test('leaves a result alone that was renewed after the listing', async () => {
    const setup = new CleanerSetup();
    const [id] = await store(setup, 10);
    const stale = await collect(setup.results.list());
    await setup.results.renew(id!, 5 * hourMs);
    expect(await setup.results.remove(stale[0]!, 'expired')).toBe('kept');
    expect(await pageText(await setup.results.open(id!), 0, 1)).toBe('[[0]]');
  });
});

describe('a store that fails in a way of its own', () => {
  test('does not end the cleaner', async () => {
    const setup = new CleanerSetup();
    setup.store.plan = ({ op }) => {
      if (op === 'list') throw new TypeError('a defect of the host');
      return undefined;
    };
    setup.cleaner.start();
    await setup.clock.advance(1000);
    expect(setup.cleaner.status.lastError).toBe('a defect of the host');
    setup.store.plan = () => undefined;
    await setup.clock.advance(1.1 * hourMs);
    expect(setup.cleaner.status).toMatchObject({ lastError: undefined, lastSweep: { isGood: true } });
    await setup.cleaner.stop();
  });
});

describe('admission', () => {
  test('takes one listing at a time: what is measured at the start, and the listing of a sweep', async () => {
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
    const others = await store(setup, 4000, 4000);
    const usageBytes = setup.admission.usageBytes;
    await expect(setup.results.create(countingRows(100_000), { owner: 'o' })).rejects.toMatchObject({
      code: 'QUERY_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /^The result, of 64\.1 KiB or more, could not stay, since it alone exceeds the critical 43\.9 KiB: of the quota of 48\.8 KiB, \d\d\.\d KiB are stored, this query has written 0 B, and a result of at most 19\.5 KiB would fit\.$/,
      ) as string,
    });
    expect(await idsLeft(setup)).toEqual(others);
    expect(setup.cleaner.status.lastSweep).toBeUndefined();
    expect(setup.admission.usageBytes).toBe(usageBytes);
    expect(usageBytes).toBe((await setup.results.usage()).sizeBytes);
  });

  test('a write in flight, whatever its size, costs the others at most what brings these down to the target', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 12_000 }),
        async (storedCounts, writtenCount) => {
          const setup = new CleanerSetup({ quotaBytes: 30_000, batchSizeBytes: 800 });
          await store(setup, ...storedCounts);
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
          const ids = await idsLeft(setup);
          const left = live.filter(({ requestId }) => ids.includes(requestId));
          const leftBytes = left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          expect(liveBytes > 18_000 || left.length === live.length).toBe(true);
          // Up to the last one that went, more than the target was stored.
          const goneBytes = live.filter((entry) => !left.includes(entry)).map(({ sizeBytes }) => sizeBytes);
          expect(left.length === live.length || leftBytes + Math.max(0, ...goneBytes) > 18_000).toBe(true);
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
    const [live] = await store(setup, 1500, 3000);
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
    expect(await idsLeft(setup)).toEqual([live, entry.requestId]);
    expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'critical', brokers: [{ quota: { freed: { count: 0 } } }] });
    await setup.cleaner.stop();
  });

  test('debris that a failed write may have left counts until a listing shows that it is gone, and evicts nobody', async () => {
    const setup = new CleanerSetup({ quotaBytes: 30_000, batchSizeBytes: 800 });
    const live = await store(setup, 2000);
    const usageBytes = setup.admission.usageBytes;
    setup.store.plan = faultOn('delete', { kind: 'fail-before' });
    await expect(setup.results.create(countingRows(9000, 200), { owner: 'o' })).rejects.toMatchObject({
      code: 'QUERY_LIMIT_EXCEEDED',
    });
    expect(setup.admission.usageBytes).toBeGreaterThan(27_000);
    expect(setup.admission.storedBytes).toBe(usageBytes);
    setup.store.plan = () => undefined;
    await setup.cleaner.sweep('critical');
    expect(await idsLeft(setup)).toEqual(live);
    expect(setup.admission.usageBytes).toBe(usageBytes);
  });

  test('a result larger than the quota that cannot be deleted is not made up for by all the others', async () => {
    const setup = new CleanerSetup();
    const ids = await store(setup, 100, 6000, 1000);
    const giant = ids[1]!;
    await setup.clock.advance(minuteMs);
    setup.setQuota(15_000);
    setup.store.plan = ({ op, key }) => (op === 'delete' && key.includes(giant) ? { kind: 'fail-before' } : undefined);
    const report = await setup.cleaner.sweep('settings');
    expect(report).toMatchObject({ isGood: false, brokers: [{ quota: { freed: { count: 0 }, failed: { count: 1 } } }] });
    expect(new Set(await idsLeft(setup))).toEqual(new Set(ids));
  });

  test('crossing the critical threshold has a sweep run at once, which frees down to the target', async () => {
    const setup = new CleanerSetup({ quotaBytes: 22_000 });
    setup.cleaner.start();
    await setup.clock.advance(1000);
    await store(setup, 1500, 1500);
    await setup.clock.advance(1);
    expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'schedule' });
    await store(setup, 1500);
    await setup.clock.advance(1);
    expect(setup.cleaner.status.lastSweep).toMatchObject({ trigger: 'critical', isGood: true });
    expect(setup.admission.usageBytes).toBeLessThanOrEqual(13_200);
    await setup.cleaner.stop();
  });

  test('knows what is stored from the start, and frees it at once when that is too much', async () => {
    const setup = new CleanerSetup();
    await store(setup, 1500, 1500, 1500);
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
    expect(modest.admission.usageBytes).toBe((await modest.results.usage()).sizeBytes);
    await modest.cleaner.stop();
  });

  test('counts what is really there after a listing, whatever happened behind its back', async () => {
    const setup = new CleanerSetup({ quotaBytes: 1e6 });
    const [id] = await store(setup, 100, 200);
    for await (const { key } of setup.disk.list(`b/${id}`)) await setup.disk.delete(key);
    await setup.disk.put('b/notes', new Uint8Array(77));
    await setup.cleaner.sweep('schedule');
    expect(setup.admission.usageBytes).toBe((await setup.results.usage()).sizeBytes + 77);
  });
});

describe('the schedule', () => {
  test('sweeps after the initial delay and then every period, with a little jitter', async () => {
    const setup = new CleanerSetup();
    setup.cleaner.start();
    await setup.clock.advance(999);
    expect(setup.cleaner.status.lastSweep).toBeUndefined();
    await setup.clock.advance(1);
    const firstMs = setup.cleaner.status.lastSweep!.startTimeMs;
    await setup.clock.advance(hourMs * 0.949);
    expect(setup.cleaner.status.lastSweep!.startTimeMs).toBe(firstMs);
    await setup.clock.advance(hourMs * 0.11);
    const elapsedMs = setup.cleaner.status.lastSweep!.startTimeMs - firstMs;
    expect(elapsedMs).toBeGreaterThan(hourMs * 0.949);
    expect(elapsedMs).toBeLessThan(hourMs * 1.051);
    await setup.cleaner.stop();
  });

  test('is not moved by a clock that is set back', async () => {
    const setup = new CleanerSetup();
    setup.cleaner.start();
    await setup.clock.advance(1000);
    const first = setup.cleaner.status.lastSweep;
    setup.clock.stepWallClock(-24 * hourMs);
    await setup.clock.advance(hourMs * 1.06);
    expect(setup.cleaner.status.lastSweep).not.toBe(first);
    await setup.cleaner.stop();
  });

  test('may be a cron expression, in UTC', () => {
    const nowMs = Date.UTC(2026, 2, 1, 3, 0);
    expect(nextCronDelayMs('15 3 * * *', nowMs)).toBe(15 * 60_000);
    expect(() => nextCronDelayMs('99 3 * * *', nowMs)).toThrow(expect.objectContaining({ code: 'INVALID_SETTING' }));
  });
});
