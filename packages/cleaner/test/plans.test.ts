import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planExpiry, planOrphans, planOrphansByAge, planQuota, QuotaPolicy } from '../src/index.ts';
import { type GivenResult, snapshotOf } from './snapshot-builder.ts';

const time = fc.integer({ min: 0, max: 20 });
const results: fc.Arbitrary<GivenResult[]> = fc.array(
  fc.record({ submissionTimeMs: time, expirationTimeMs: time, sizeBytes: fc.integer({ min: 1, max: 12 }) }),
  { maxLength: 12 },
);
const policies = fc
  .record({
    quotaBytes: fc.integer({ min: 1, max: 120 }),
    percents: fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 })),
  })
  .map(({ quotaBytes, percents: [one, other] }) => {
    return new QuotaPolicy({ quotaBytes, criticalPercent: Math.max(one, other), targetPercent: Math.min(one, other) });
  });

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

describe('planExpiry', () => {
  test('names exactly what has expired, the very moment included', () => {
    fc.assert(
      fc.property(results, time, (given, nowMs) => {
        const expected = given.flatMap(({ expirationTimeMs }, index) => (expirationTimeMs <= nowMs ? [index] : []));
        expect(planExpiry(snapshotOf(given), nowMs)).toEqual(expected);
      }),
    );
  });
});

describe('planQuota', () => {
  test('evicts nothing unless usage at the start exceeds the critical threshold', () => {
    fc.assert(
      fc.property(results, policies, fc.nat(200), (given, policy, nowBytes) => {
        const indexes = given.map((_, index) => index);
        expect(planQuota(snapshotOf(given), indexes, { startBytes: policy.criticalBytes, nowBytes }, policy)).toEqual([]);
      }),
    );
  });

  test('evicts the largest first, of equals the oldest, then by id: one order for all, and always the same', () => {
    fc.assert(
      fc.property(results, policies, (given, policy) => {
        const snapshot = snapshotOf(given);
        const indexes = given.map((_, index) => index);
        const usage = { startBytes: Number.MAX_SAFE_INTEGER, nowBytes: sum(given.map(({ sizeBytes }) => sizeBytes)) };
        const evicted = planQuota(snapshot, indexes, usage, policy);
        const rank = (index: number): [number, number, string] => {
          const { sizeBytes, submissionTimeMs } = given[index]!;
          return [-sizeBytes, submissionTimeMs, snapshot.requestIdAt(index)];
        };
        const before = (one: number, other: number): boolean => {
          const [a, b] = [rank(one), rank(other)];
          const place = a.findIndex((value, index) => value !== b[index]);
          return place !== -1 && a[place]! < b[place]!;
        };
        for (let place = 1; place < evicted.length; place += 1) expect(before(evicted[place - 1]!, evicted[place]!)).toBe(true);
        const spared = indexes.filter((index) => !evicted.includes(index));
        for (const index of spared) expect(evicted.every((gone) => before(gone, index))).toBe(true);
        expect(planQuota(snapshot, indexes.toReversed(), usage, policy)).toEqual(evicted);
      }),
    );
  });

  test('stops at the first state of at most the target', () => {
    fc.assert(
      fc.property(results, policies, fc.nat(50), (given, policy, otherBytes) => {
        const nowBytes = sum(given.map(({ sizeBytes }) => sizeBytes)) + otherBytes;
        const startBytes = Math.max(nowBytes, policy.criticalBytes + 1);
        const indexes = given.map((_, index) => index);
        const evicted = planQuota(snapshotOf(given), indexes, { startBytes, nowBytes }, policy);
        const leftBytes = nowBytes - sum(evicted.map((index) => given[index]!.sizeBytes));
        expect(leftBytes <= policy.targetBytes || evicted.length === given.length).toBe(true);
        const beforeTheLast = leftBytes + (given[evicted.at(-1) ?? -1]?.sizeBytes ?? 0);
        expect(evicted.length === 0 || beforeTheLast > policy.targetBytes).toBe(true);
      }),
    );
  });

  test('names nothing but candidates, each once', () => {
    fc.assert(
      fc.property(results, policies, fc.infiniteStream(fc.boolean()), (given, policy, chosen) => {
        const candidates = given.flatMap((_, index) => (chosen.next().value === true ? [index] : []));
        const evicted = planQuota(snapshotOf(given), candidates, { startBytes: 1e9, nowBytes: 1e9 }, policy);
        expect(evicted.toSorted((one, other) => one - other)).toEqual(candidates);
      }),
    );
  });

  test('that a result larger than the quota is stored costs the others nothing', () => {
    const given = [4, 300, 5].map((sizeBytes) => ({ submissionTimeMs: 0, expirationTimeMs: 9, sizeBytes }));
    const policy = new QuotaPolicy({ quotaBytes: 100, criticalPercent: 90, targetPercent: 60 });
    expect(planQuota(snapshotOf(given), [0, 1, 2], { startBytes: 309, nowBytes: 309 }, policy)).toEqual([1]);
  });
});

describe('planOrphans', () => {
  const orphan = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    sizeBytes: fc.integer({ min: 0, max: 1 }),
    lastModifiedMs: fc.integer({ min: -1e15, max: 1e15 }),
    folderModifiedMs: fc.integer({ min: -1e15, max: 1e15 }),
  });
  const step = fc.record({ orphans: fc.uniqueArray(orphan, { selector: ({ key }) => key }), elapsedMs: fc.nat(100) });

  test('names nothing that it has not seen unchanged for the grace period, whatever the wall clocks say', () => {
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 150 }), (steps, graceMs) => {
        let monotonicMs = 0;
        let seen: ReturnType<typeof planOrphans>['sightings'] = new Map();
        const firstSeen = new Map<string, number>();
        for (const { orphans, elapsedMs } of steps) {
          monotonicMs += elapsedMs;
          const texts = orphans.map((each) => JSON.stringify(each));
          for (const text of firstSeen.keys()) if (!texts.includes(text)) firstSeen.delete(text);
          for (const text of texts) if (!firstSeen.has(text)) firstSeen.set(text, monotonicMs);
          const plan = planOrphans(orphans, seen, monotonicMs, graceMs);
          seen = plan.sightings;
          const expected = orphans.filter((each) => monotonicMs - firstSeen.get(JSON.stringify(each))! >= graceMs);
          expect(plan.due).toEqual(expected);
          expect(seen.size).toBe(orphans.length);
        }
      }),
    );
  });

  test('by age, goes by the youngest object of the folder', () => {
    const folder = { key: 'a', sizeBytes: 1, lastModifiedMs: 0, folderModifiedMs: 60 };
    expect(planOrphansByAge([folder], 159, 100)).toEqual([]);
    expect(planOrphansByAge([folder], 160, 100)).toEqual([folder]);
  });
});

describe('QuotaPolicy', () => {
  const right = { quotaBytes: 1000, criticalPercent: 90, targetPercent: 60 };

  test('knows its thresholds in bytes', () => {
    expect(new QuotaPolicy(right)).toEqual({ quotaBytes: 1000, criticalBytes: 900, targetBytes: 600 });
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
  ])('refuses %j', (wrong) => {
    expect(() => new QuotaPolicy({ ...right, ...wrong })).toThrow(expect.objectContaining({ code: 'INVALID_SETTING' }));
  });
});
