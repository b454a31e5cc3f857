import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OwnerUsage, planQuota, QuotaPolicy } from '../src/index.ts';
import { type GivenResult, snapshotOf } from './snapshot-builder.ts';

/** A pressure far above every threshold. */
const pressureBytes = 1e9;
const time = fc.integer({ min: 0, max: 20 });
const policies = fc.record({
  quotaBytes: fc.integer({ min: 1, max: 120 }),
  targetPercent: fc.integer({ min: 1, max: 100 }),
});
const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
const all = (given: readonly GivenResult[]): number[] => given.map((_, index) => index);
const bytesOf = (given: readonly GivenResult[]): number =>
  sum(given.map(({ sizeBytes }) => sizeBytes));

describe('planQuota, of young results of several owners,', () => {
  const ownerTag = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
  const ofOwners: fc.Arbitrary<GivenResult[]> = fc.array(
    fc.record({
      submissionTimeMs: time,
      expirationTimeMs: time,
      sizeBytes: fc.integer({ min: 1, max: 12 }),
      ownerTag,
    }),
    { minLength: 1, maxLength: 20 },
  );
  const allYoung = policies.map(
    (parts) => new QuotaPolicy({ ...parts, criticalPercent: 100, protectionMs: 1000 }),
  );

  test('planQuota, of young results of several owners, evicts each time the oldest one of the owner who has the most', () => {
    fc.assert(
      fc.property(ofOwners, allYoung, (given, policy) => {
        const left = new Set(all(given));
        const bytesLeft = (owner?: number): number =>
          sum(
            [...left]
              .filter((index) => given[index]!.ownerTag === owner)
              .map((index) => given[index]!.sizeBytes),
          );
        const expected: number[] = [];
        while (
          left.size > 0 &&
          sum([...left].map((index) => given[index]!.sizeBytes)) > policy.targetBytes
        ) {
          const oldest = [...left].filter((index) =>
            [...left].every(
              (other) =>
                given[other]!.ownerTag !== given[index]!.ownerTag || isBefore(given, index, other),
            ),
          );
          const most = Math.max(...oldest.map((index) => bytesLeft(given[index]!.ownerTag)));
          const [next] = oldest
            .filter((index) => bytesLeft(given[index]!.ownerTag) === most)
            .toSorted((one, other) => (isBefore(given, one, other) ? -1 : 1));
          expected.push(next!);
          left.delete(next!);
        }
        const usage = { pressureBytes, storedBytes: bytesOf(given) };
        expect(planQuota(snapshotOf(given), all(given), usage, policy, 20)).toEqual(expected);
      }),
    );
  });

  const isBefore = (given: readonly GivenResult[], one: number, other: number): boolean =>
    given[one]!.submissionTimeMs < given[other]!.submissionTimeMs ||
    (given[one]!.submissionTimeMs === given[other]!.submissionTimeMs && one <= other);

  test('planQuota, of young results of several owners, costs nothing who has at most an equal part of the target, however much others store', () => {
    fc.assert(
      fc.property(ofOwners, allYoung, (given, policy) => {
        const evicted = planQuota(
          snapshotOf(given),
          all(given),
          { pressureBytes, storedBytes: bytesOf(given) },
          policy,
          20,
        );
        const byOwner = Map.groupBy(all(given), (index) => given[index]!.ownerTag);
        const modest = [...byOwner.values()].filter(
          (indexes) =>
            sum(indexes.map((index) => given[index]!.sizeBytes)) <=
            policy.targetBytes / byOwner.size,
        );
        expect(evicted.filter((index) => modest.flat().includes(index))).toEqual([]);
      }),
    );
  });

  test('planQuota, of young results of several owners, spares those of others where only what came after the listing is too much', () => {
    const given = [30, 40].map((sizeBytes, ownerTag) => ({
      submissionTimeMs: 0,
      expirationTimeMs: 9,
      sizeBytes,
      ownerTag,
    }));
    const policy = new QuotaPolicy({ quotaBytes: 100, criticalPercent: 90, targetPercent: 70 });
    const planWith = (
      ownerTag: number | undefined,
      bytes: number,
      nowMs = 1,
    ): readonly number[] => {
      const unseen = new OwnerUsage([[ownerTag, { bytes, count: 1 }]]);
      return planQuota(
        snapshotOf(given),
        [0, 1],
        { pressureBytes: 110, storedBytes: 110, unseen },
        policy,
        nowMs,
      );
    };
    expect(planWith(2, 40)).toEqual([]);
    expect(planWith(2, 39)).toEqual([1]);
    expect(planWith(undefined, 40)).toEqual([]);
    expect(planWith(0, 40)).toEqual([0]);
    expect(planWith(2, 40, 100_000)).toEqual([1]);
  });
});
