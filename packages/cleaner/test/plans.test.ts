import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planExpiry, planOrphans, planQuota, QuotaPolicy } from '../src/index.ts';
import { planOrphansByAge } from '../src/plan-orphans.ts';
import { type GivenResult, snapshotOf } from './snapshot-builder.ts';

const time = fc.integer({ min: 0, max: 20 });
const results: fc.Arbitrary<GivenResult[]> = fc.array(
  fc.record({
    submissionTimeMs: time,
    expirationTimeMs: time,
    sizeBytes: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 12 },
);
const policies = fc
  .record({
    quotaBytes: fc.integer({ min: 1, max: 120 }),
    percents: fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 })),
  })
  .map(({ quotaBytes, percents: [one, other] }) => {
    return new QuotaPolicy({
      quotaBytes,
      criticalPercent: Math.max(one, other),
      targetPercent: Math.min(one, other),
    });
  });

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

describe('planExpiry', () => {
  test('planExpiry names exactly what has expired, that moment included', () => {
    fc.assert(
      fc.property(results, time, (given, nowMs) => {
        const expected = given.flatMap(({ expirationTimeMs }, index) =>
          expirationTimeMs <= nowMs ? [index] : [],
        );
        expect(planExpiry(snapshotOf(given), nowMs)).toEqual(expected);
      }),
    );
  });
});

describe('planQuota', () => {
  /** A pressure far above every threshold. */
  const pressureBytes = 1e9;
  const noProtection = (policy: QuotaPolicy): QuotaPolicy =>
    Object.assign(policy, { protectionMs: 0 });
  const all = (given: readonly GivenResult[]): number[] => given.map((_, index) => index);
  const bytesOf = (given: readonly GivenResult[]): number =>
    sum(given.map(({ sizeBytes }) => sizeBytes));
  const precedes = (
    one: readonly (number | string)[],
    other: readonly (number | string)[],
  ): boolean => {
    const place = one.findIndex((value, index) => value !== other[index]);
    return place !== -1 && one[place]! < other[place]!;
  };

  /** The plan, by sorting everything. */
  const sortedPlan = (
    given: readonly GivenResult[],
    { pressureBytes: pressure, storedBytes }: Parameters<typeof planQuota>[2],
    { criticalBytes, targetBytes, protectionMs }: QuotaPolicy,
    nowMs: number,
  ): number[] => {
    if (pressure <= criticalBytes || storedBytes <= targetBytes) return [];
    const isYoung = (index: number): boolean =>
      nowMs - given[index]!.submissionTimeMs < protectionMs;
    const byTime = (one: number, other: number): number =>
      given[one]!.submissionTimeMs - given[other]!.submissionTimeMs || one - other;
    const bySize = (one: number, other: number): number =>
      given[other]!.sizeBytes - given[one]!.sizeBytes || byTime(one, other);
    const old = all(given).filter((index) => !isYoung(index));
    let freed = 0;
    const isNeeded = (index: number): boolean => {
      if (storedBytes - freed <= targetBytes) return false;
      freed += given[index]!.sizeBytes;
      return true;
    };
    const evicted = old.toSorted(bySize).filter(isNeeded);
    if (storedBytes - freed <= targetBytes || pressure - freed <= criticalBytes) return evicted;
    return [...evicted, ...all(given).filter(isYoung).toSorted(byTime).filter(isNeeded)];
  };

  test('planQuota evicts nothing unless the pressure exceeds the critical threshold', () => {
    fc.assert(
      fc.property(results, policies, fc.nat(200), (given, policy, storedBytes) => {
        const usage = { pressureBytes: policy.criticalBytes, storedBytes };
        expect(planQuota(snapshotOf(given), all(given), usage, policy, 1e6)).toEqual([]);
      }),
    );
  });

  test('planQuota evicts the largest first, of equals the oldest, then by id: one order for all, and always the same', () => {
    fc.assert(
      fc.property(results, policies.map(noProtection), (given, policy) => {
        const snapshot = snapshotOf(given);
        const usage = { pressureBytes, storedBytes: bytesOf(given) };
        const evicted = planQuota(snapshot, all(given), usage, policy, 100);
        const rank = (index: number): [number, number, string] => {
          const { sizeBytes, submissionTimeMs } = given[index]!;
          return [-sizeBytes, submissionTimeMs, snapshot.requestIdAt(index)];
        };
        const before = (one: number, other: number): boolean => precedes(rank(one), rank(other));
        for (let place = 1; place < evicted.length; place += 1) {
          expect(before(evicted[place - 1]!, evicted[place]!)).toBe(true);
        }
        const spared = all(given).filter((index) => !evicted.includes(index));
        for (const index of spared) expect(evicted.every((gone) => before(gone, index))).toBe(true);
        expect(planQuota(snapshot, all(given).toReversed(), usage, policy, 100)).toEqual(evicted);
      }),
    );
  });

  test('planQuota evicts the young only after all others, the oldest first, and only while the pressure is critical without these', () => {
    fc.assert(
      fc.property(
        results,
        policies,
        fc.nat(20),
        fc.nat(120),
        (given, policy, protectionMs, writtenBytes) => {
          Object.assign(policy, { protectionMs });
          const nowMs = 20;
          const snapshot = snapshotOf(given);
          const usage = {
            pressureBytes: bytesOf(given) + writtenBytes,
            storedBytes: bytesOf(given),
          };
          const evicted = planQuota(snapshot, all(given), usage, policy, nowMs);
          const isYoung = (index: number): boolean =>
            nowMs - given[index]!.submissionTimeMs < protectionMs;
          const young = evicted.filter(isYoung);
          if (young.length === 0) return;
          const old = all(given).filter((index) => !isYoung(index));
          expect(evicted.slice(0, old.length).toSorted((one, other) => one - other)).toEqual(old);
          const leftBytes = usage.pressureBytes - sum(old.map((index) => given[index]!.sizeBytes));
          expect(leftBytes).toBeGreaterThan(policy.criticalBytes);
          const ages = young.map((index) => [given[index]!.submissionTimeMs, index]);
          expect(ages).toEqual(ages.toSorted((one, other) => (precedes(one, other) ? -1 : 1)));
        },
      ),
    );
  });

  test('planQuota stops at the first state with at most the target stored, however much is being written', () => {
    fc.assert(
      fc.property(
        results,
        policies.map(noProtection),
        fc.nat(50),
        fc.nat(500),
        (given, policy, otherBytes, writtenBytes) => {
          const storedBytes = bytesOf(given) + otherBytes;
          const usage = { pressureBytes: storedBytes + writtenBytes, storedBytes };
          const evicted = planQuota(snapshotOf(given), all(given), usage, policy, 100);
          if (usage.pressureBytes <= policy.criticalBytes) return;
          const leftBytes = storedBytes - sum(evicted.map((index) => given[index]!.sizeBytes));
          expect(leftBytes <= policy.targetBytes || evicted.length === given.length).toBe(true);
          const beforeTheLast = leftBytes + (given[evicted.at(-1) ?? -1]?.sizeBytes ?? 0);
          expect(evicted.length === 0 || beforeTheLast > policy.targetBytes).toBe(true);
        },
      ),
    );
  });

  test('planQuota is the plan that sorting all of them would make', () => {
    const many = fc.array(
      fc.record({
        submissionTimeMs: fc.integer({ max: 90, min: 0 }),
        expirationTimeMs: time,
        sizeBytes: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 100, maxLength: 700 },
    );
    fc.assert(
      fc.property(
        many,
        fc.nat(90),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(2_000),
        (given, protectionMs, share, extra) => {
          const snapshot = snapshotOf(given);
          const storedBytes = bytesOf(given);
          const policy = Object.assign(
            new QuotaPolicy({ quotaBytes: storedBytes, criticalPercent: 95, targetPercent: 95 }),
            {
              protectionMs,
              targetBytes: share * storedBytes,
            },
          );
          const usage = { pressureBytes: storedBytes + extra, storedBytes };
          const plan = planQuota(snapshot, all(given), usage, policy, 90);
          expect(plan).toEqual(sortedPlan(given, usage, policy, 90));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('planQuota names only candidates, each once', () => {
    fc.assert(
      fc.property(results, policies, fc.infiniteStream(fc.boolean()), (given, policy, chosen) => {
        const candidates = given.flatMap((_, index) =>
          chosen.next().value === true ? [index] : [],
        );
        const evicted = planQuota(
          snapshotOf(given),
          candidates,
          { pressureBytes, storedBytes: 1e9 },
          policy,
          10,
        );
        expect(evicted.toSorted((one, other) => one - other)).toEqual(candidates);
      }),
    );
  });

  test('planQuota spares a result that was stored a moment ago, though it is the largest', () => {
    const given = [
      { submissionTimeMs: 0, expirationTimeMs: 1e9, sizeBytes: 20 },
      { submissionTimeMs: 0, expirationTimeMs: 1e9, sizeBytes: 25 },
      { submissionTimeMs: 50_000, expirationTimeMs: 1e9, sizeBytes: 50 },
    ];
    const policy = new QuotaPolicy({ quotaBytes: 100, criticalPercent: 90, targetPercent: 60 });
    expect(
      planQuota(
        snapshotOf(given),
        [0, 1, 2],
        { pressureBytes: 95, storedBytes: 95 },
        policy,
        60_001,
      ),
    ).toEqual([1, 0]);
    expect(
      planQuota(
        snapshotOf(given),
        [0, 1, 2],
        { pressureBytes: 95, storedBytes: 95 },
        policy,
        110_000,
      ),
    ).toEqual([2]);
    // As much again is being written, which is too much even without the old ones.
    expect(
      planQuota(snapshotOf(given), [2], { pressureBytes: 95, storedBytes: 70 }, policy, 60_001),
    ).toEqual([2]);
  });

  test('planQuota costs the others nothing when a result larger than the quota is stored', () => {
    const given = [4, 300, 5].map((sizeBytes) => ({
      submissionTimeMs: 0,
      expirationTimeMs: 9,
      sizeBytes,
    }));
    const policy = new QuotaPolicy({ quotaBytes: 100, criticalPercent: 90, targetPercent: 60 });
    const usage = { pressureBytes: 309, storedBytes: 309 };
    expect(planQuota(snapshotOf(given), [0, 1, 2], usage, policy, 100_000)).toEqual([1]);
  });
});

describe('planOrphans', () => {
  const orphan = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    sizeBytes: fc.integer({ min: 0, max: 1 }),
    lastModifiedMs: fc.integer({ min: -1e15, max: 1e15 }),
    folderModifiedMs: fc.integer({ min: -1e15, max: 1e15 }),
  });
  const step = fc.record({
    orphans: fc.uniqueArray(orphan, { selector: ({ key }) => key }),
    elapsedMs: fc.nat(100),
  });

  test('planOrphans names nothing that it has not seen unchanged for the grace period, whatever the wall clocks say', () => {
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 150 }), (steps, graceMs) => {
        let monotonicMs = 0;
        let seen: ReturnType<typeof planOrphans>['observations'] = new Map();
        const firstSeen = new Map<string, number>();
        for (const { orphans, elapsedMs } of steps) {
          monotonicMs += elapsedMs;
          const texts = orphans.map((each) => JSON.stringify(each));
          for (const text of firstSeen.keys()) if (!texts.includes(text)) firstSeen.delete(text);
          for (const text of texts) if (!firstSeen.has(text)) firstSeen.set(text, monotonicMs);
          const plan = planOrphans(orphans, seen, monotonicMs, graceMs);
          seen = plan.observations;
          const expected = orphans.filter(
            (each) => monotonicMs - firstSeen.get(JSON.stringify(each))! >= graceMs,
          );
          expect(plan.due).toEqual(expected);
          expect(seen.size).toBe(orphans.length);
        }
      }),
    );
  });

  test('planOrphans goes by the youngest object of a folder when it plans by age', () => {
    const folder = { key: 'a', sizeBytes: 1, lastModifiedMs: 0, folderModifiedMs: 60 };
    expect(planOrphansByAge([folder], 159, 100)).toEqual([]);
    expect(planOrphansByAge([folder], 160, 100)).toEqual([folder]);
  });
});

describe('QuotaPolicy', () => {
  const right = { quotaBytes: 1000, criticalPercent: 90, targetPercent: 60 };

  test('QuotaPolicy knows its thresholds in bytes', () => {
    expect(new QuotaPolicy(right)).toEqual({
      quotaBytes: 1000,
      criticalBytes: 900,
      targetBytes: 600,
      protectionMs: 60_000,
    });
    expect(new QuotaPolicy(right).guaranteedBytes).toBe(300);
    expect(new QuotaPolicy(right).hasShares).toBe(false);
    expect(new QuotaPolicy({ ...right, targetPercent: 90 })).toMatchObject({
      criticalBytes: 900,
      targetBytes: 900,
    });
  });

  test.each([
    { quotaBytes: 0 },
    { quotaBytes: -1 },
    { quotaBytes: NaN },
    { quotaBytes: Infinity },
    { criticalPercent: 0 },
    { criticalPercent: 101 },
    { criticalPercent: NaN },
    { criticalPercent: 59 },
    { targetPercent: 0 },
    { targetPercent: -5 },
    { targetPercent: 91 },
    { targetPercent: NaN },
    { protectionMs: -1 },
    { protectionMs: NaN },
  ])('QuotaPolicy refuses %j', (wrong) => {
    expect(() => new QuotaPolicy({ ...right, ...wrong })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTING' }),
    );
  });

  test('QuotaPolicy knows the share of each owner, with the same thresholds, and none of results without one', () => {
    const owners = [
      { ownerTag: 1, maxBytes: 100, maxBytesKey: 'ann' },
      { ownerTag: 2, maxBytes: 5000, maxBytesKey: 'bob' },
    ];
    const policy = new QuotaPolicy({
      ...right,
      shares: { maxPercent: 25, maxPercentKey: 'each', owners },
    });
    const thresholds = { protectionMs: 60_000 };
    expect(policy.shareOf(1)).toMatchObject({
      ...thresholds,
      quotaBytes: 100,
      criticalBytes: 90,
      targetBytes: 60,
      shareKey: 'ann',
    });
    expect(policy.shareOf(2)).toMatchObject({
      ...thresholds,
      quotaBytes: 1000,
      criticalBytes: 900,
      shareKey: 'bob',
    });
    expect(policy.shareOf(3)).toMatchObject({
      ...thresholds,
      quotaBytes: 250,
      criticalBytes: 225,
      shareKey: 'each',
    });
    expect(policy.shareOf(undefined)).toBe(undefined);
    const forTwo = new QuotaPolicy({
      ...right,
      shares: { maxPercent: 100, maxPercentKey: 'each', owners },
    });
    expect([forTwo.shareOf(3), forTwo.hasShares]).toEqual([undefined, true]);
    expect(forTwo.isSameAs(policy)).toBe(false);
    expect(
      () => new QuotaPolicy({ ...right, shares: { maxPercent: 0, maxPercentKey: 'each', owners } }),
    ).toThrow(
      'The settings of the storage cleaner are not valid: a share of 0 % for one principal; expected more than 0 and at most 100.',
    );
  });
});
