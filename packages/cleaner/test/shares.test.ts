import { isQuireError, type RequestId } from '@quire/core';
import { dataKeyOf, ownerTag, recordKeyOf } from '@quire/results';
import { describe, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { StorageAdmission, StoreSweeper, storeRemover, QuotaPolicy } from '../src/index.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

const quotaBytes = 100_000;
const [maxPercentKey, maxBytesKey] = ['percent.key', 'ann.key'] as const;
/** Results of this many rows have a twentieth of the quota, less some bytes. */
const rowCount = 900;
const minuteMs = 60_000;

function setupWith(
  shares: { readonly maxPercent?: number; readonly ann?: number },
  protectionMs = minuteMs,
): CleanerSetup {
  const setup = new CleanerSetup({ batchSizeBytes: 2000 });
  const { maxPercent = 100, ann } = shares;
  const owners =
    ann === undefined ? [] : [{ ownerTag: ownerTag('ann'), maxBytes: ann, maxBytesKey }];
  setup.setQuota(quotaBytes, { protectionMs, shares: { maxPercent, maxPercentKey, owners } });
  // The cleaner reads its settings before a sweep; the admission has to know them before the first
  // write.
  setup.admission.policy = new QuotaPolicy(setup.settings.quota!);
  return setup;
}

async function failureOf(writing: Promise<unknown>): Promise<string> {
  try {
    await writing;
    return 'stored';
  } catch (error) {
    return isQuireError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

function countOf(owners: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(owners, (owner) => owner)].map(([owner, each]) => [owner, each.length]),
  );
}

describe('an owner who exceeds its share', () => {
  test('an owner who exceeds its share loses its own results, the largest first, and nobody else does, though the broker has room and others have larger ones', async () => {
    const setup = setupWith({ maxPercent: 50 });
    const [bobs] = await setup.fillAs('bob', 3000);
    const ids = await setup.fillAs('ann', 900, 2000, 900, 900, 900, 900);
    await setup.clock.advance(minuteMs);
    setup.setQuota(quotaBytes, { shares: { maxPercent: 30, maxPercentKey, owners: [] } });
    const report = await setup.cleaner.sweep('once');
    // The target of 30,000 bytes is 18,000: the largest is deleted, then the two oldest.
    expect(await setup.idsLeft()).toEqual([bobs, ...ids.slice(3)]);
    expect(report).toMatchObject({
      isGood: true,
      brokers: [{ quota: { freed: { count: 3 } }, sparedBytes: 0 }],
    });
  });

  test('an owner who exceeds its share has a share of its own where the settings name it', async () => {
    const setup = setupWith({ ann: 60_000 });
    const ids = await setup.fillAs('ann', 900, 900, 900, 900);
    await setup.fillAs('bob', 900, 900, 900, 900);
    await setup.clock.advance(minuteMs);
    setup.setQuota(quotaBytes, {
      shares: {
        maxPercent: 100,
        maxPercentKey,
        owners: [{ ownerTag: ownerTag('ann'), maxBytes: 10_000, maxBytesKey }],
      },
    });
    await setup.cleaner.sweep('once');
    expect(countOf(await setup.ownersLeft())).toEqual({ ann: 1, bob: 4 });
    expect(await setup.idsLeft()).toContain(ids.at(-1));
  });

  test('an owner who exceeds its share is found by a cleaner that has no admission, and in a dry run, which deletes nothing', async () => {
    const setup = setupWith({ maxPercent: 100 });
    await setup.fillAs('ann', 900, 900, 900, 900, 900, 900);
    await setup.fillAs('bob', 900, 900);
    await setup.clock.advance(minuteMs);
    const { policy } = setupWith({ maxPercent: 20 }).admission;
    const sweeper = new StoreSweeper(
      { store: setup.store, brokerId: undefined, remover: storeRemover(setup.store) },
      setup.clock,
    );
    const removals: string[] = [];
    const options = {
      trigger: 'once',
      policy,
      graceMs: hourMs,
      concurrencyMax: 2,
      usesWallClock: true,
      onFailure: () => undefined,
    } as const;
    for (const isDryRun of [true, false]) {
      await sweeper.sweep({ ...options, isDryRun, onRemoval: ({ id }) => void removals.push(id) });
      expect(countOf(await setup.ownersLeft())).toEqual(
        isDryRun ? { ann: 6, bob: 2 } : { ann: 2, bob: 2 },
      );
    }
    expect(removals.slice(0, 4)).toEqual(removals.slice(4));
    expect(removals.length).toBe(8);
  });

  test('an owner who exceeds its share is found again after a restart, from one listing', async () => {
    const setup = setupWith({ maxPercent: 100 });
    await setup.fillAs('ann', 900, 900, 900, 900, 900);
    const restarted = new CleanerSetup({ disk: setup.disk });
    restarted.setQuota(quotaBytes, { shares: { maxPercent: 20, maxPercentKey, owners: [] } });
    await restarted.clock.advance(minuteMs);
    await restarted.cleaner.sweep('once');
    expect(countOf(await restarted.ownersLeft())).toEqual({ ann: 2 });
    expect(restarted.admission.usage.totalBytesOf(ownerTag('ann'))).toBe(
      restarted.admission.usage.totalBytes,
    );
  });

  test('an owner who exceeds its share counts what it is writing: a write beyond the share waits for a sweep of its own results, then goes on', async () => {
    const setup = setupWith({ maxPercent: 30 }, 0);
    setup.cleaner.start();
    await setup.fillAs('bob', 900, 900, 900, 900);
    await setup.fillAs('ann', 900, 900, 900, 900, 900, 900);
    for (let count = 0; count < 10; count += 1) await setup.fillAs('ann', 2000);
    const left = countOf(await setup.ownersLeft());
    expect(left['bob']).toBe(4);
    expect(setup.admission.usage.totalBytesOf(ownerTag('ann'))).toBeLessThanOrEqual(30_000);
    expect(setup.admission.queue.refusedCount).toBe(0);
    await setup.cleaner.stop();
  });
});

describe('a write that its share has no room for', () => {
  test('a write that its share has no room for fails with the share, its setting, what is stored in it and what would fit', async () => {
    const setup = setupWith({ ann: 20_000 });
    await setup.fillAs('ann', 900, 900);
    await setup.fillAs('bob', 900);
    expect(await failureOf(setup.fillAs('ann', 6000))).toMatch(
      /^QUERY_LIMIT_EXCEEDED: There is no space for the result within its principal's share: of the principal's share of 19\.5 KiB \(ann\.key\), 10\.2 KiB are stored, this query has written \d\.\d+ KiB, and a result of at most 9\.3\d KiB would fit\.$/,
    );
    expect(await failureOf(setup.fillAs('bob', 6000))).toBe('stored');
    expect(setup.admission.queue).toMatchObject({
      refusedCount: 1,
      refusedByShareCount: 1,
      refusal: undefined,
    });
    expect(countOf(await setup.ownersLeft())).toEqual({ ann: 2, bob: 2 });
  });

  test('a write that its share has no room for and never could have, fails before anything is evicted for it', async () => {
    const setup = setupWith({ maxPercent: 20 }, 0);
    const [large] = await setup.fillAs('ann', 1500);
    expect(await failureOf(setup.fillAs('ann', 6000))).toMatch(/^QUERY_LIMIT_EXCEEDED/);
    const small = setupWith({ maxPercent: 20 }, 0);
    expect(await failureOf(small.fillAs('ann', 6000))).toMatch(
      /^QUERY_LIMIT_EXCEEDED: The result, of 1\d\.\d KiB or more, is too large to store: it exceeds the critical 17\.6 KiB: of the principal's share of 19\.5 KiB \(percent\.key\), 0 B are stored,/,
    );
    expect(await setup.idsLeft()).toEqual([large]);
  });

  test('a write that its share has no room for fails when no result of its owner can be deleted, though others could, and others go on', async () => {
    const setup = setupWith({ maxPercent: 20 });
    setup.cleaner.start();
    await setup.fillAs('bob', 900, 900);
    await setup.fillAs('ann', 900, 900, 900);
    await setup.clock.advance(minuteMs);
    setup.store.plan = (call) => (call.op === 'delete' ? { kind: 'fail-before' } : undefined);
    expect(await failureOf(setup.fillAs('ann', 2500))).toMatch(
      /^QUERY_LIMIT_EXCEEDED: There is no space for the result within its principal's share: of the principal's share of 19\.5 KiB \(percent\.key\)/,
    );
    expect(await failureOf(setup.fillAs('bob', 900))).toBe('stored');
    setup.store.plan = () => undefined;
    expect(await failureOf(setup.fillAs('ann', 1500))).toBe('stored');
    await setup.cleaner.stop();
  });
});

test('a write that waits for its share has one sweep, whatever others store meanwhile, and the quota spares', async () => {
  const setup = setupWith({ ann: 20_000 });
  // Above the target of the quota and below critical: a sweep could free more, but need not.
  await setup.fillAs('bob', 6000, 6000, 900);
  await setup.fillAs('ann', 900, 900);
  const sweep = setup.admission.queue.sweep!;
  let sweepCount = 0;
  setup.admission.queue.sweep = async () => {
    sweepCount += 1;
    await sweep();
    if (sweepCount < 10) await setup.fillAs('bob', 10);
  };
  expect(await failureOf(setup.fillAs('ann', 2500))).toMatch(
    /^QUERY_LIMIT_EXCEEDED: There is no space for the result within/,
  );
  expect(sweepCount).toBe(1);
  expect(countOf(await setup.ownersLeft())).toEqual({ ann: 2, bob: 4 });
});

describe('a flood of one owner', () => {
  test.each([
    ['with shares', 50],
    ['without shares', 100],
  ])(
    'a flood of one owner: %s costs another one no result that it has just received',
    async (_name, maxPercent) => {
      const setup = setupWith({ maxPercent });
      setup.cleaner.start();
      // Some 14 results of an admin, a fifth of the quota in total: the flood takes the rest, and
      // more.
      const kept = await setup.fillAs('root', ...Array.from({ length: 14 }, () => 250));
      for (let count = 0; count < 60; count += 1) await failureOf(setup.fillAs('flood', rowCount));
      expect(await setup.idsLeft()).toEqual(expect.arrayContaining(kept));
      expect(setup.admission.usage.totalBytes).toBeLessThanOrEqual(quotaBytes);
      await setup.cleaner.stop();
    },
  );

  test('a flood of one owner that would have to wait for others is refused, not others evicted', async () => {
    const setup = setupWith({ maxPercent: 50 });
    const usage = async (): Promise<number> => (await setup.results.usage()).sizeBytes;
    setup.cleaner.start();
    for (let count = 0; count < 40; count += 1) await failureOf(setup.fillAs('flood', rowCount));
    expect(await usage()).toBeLessThanOrEqual(quotaBytes / 2);
    await setup.cleaner.stop();
  });
});

describe('results of no known owner', () => {
  test('results of no known owner count towards no share, and are evicted for the quota like any other', async () => {
    const setup = setupWith({ maxPercent: 20 });
    // As an earlier release named them.
    const old = [
      '01890000-0000-7000-8000-000000000001',
      '01890000-0000-7000-8000-000000000002',
    ] as RequestId[];
    for (const requestId of old) {
      await setup.results.create(countingRows(3000), { owner: 'ann', requestId });
    }
    await setup.fillAs('ann', 900);
    await setup.clock.advance(minuteMs);
    await setup.cleaner.sweep('once');
    expect(await setup.idsLeft()).toEqual(expect.arrayContaining(old));
    expect(setup.admission.usage.totalBytesOf(undefined)).toBeGreaterThan(24_000);
    setup.setQuota(39_000);
    await setup.cleaner.sweep('once');
    expect((await setup.idsLeft()).filter((id) => (old as string[]).includes(id)).length).toBe(1);
  });

  test('results of no known owner are told by nothing but their ids', async () => {
    const setup = setupWith({ maxPercent: 20 });
    const id = setup.results.newRequestId('ann');
    const name = {
      submissionTimeMs: setup.clock.nowMs(),
      expirationTimeMs: setup.clock.nowMs() + hourMs,
      rowCount: 1,
    };
    for (const key of [dataKeyOf('b', id), recordKeyOf('b', id, name)]) {
      await setup.disk.put(key, new Uint8Array(9000));
    }
    await setup.cleaner.sweep('once');
    expect(setup.admission.usage.totalBytesOf(ownerTag('ann'))).toBe(18_000);
    expect(new StorageAdmission().usage.totalBytesOf(ownerTag('ann'))).toBe(0);
  });
});
