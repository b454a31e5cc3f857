import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { sortedLazily } from './sorted-lazily.ts';

/** The usage of a quota, as the quota pass counts it. */
export interface QuotaUsage {
  /**
   * The bytes stored, plus those that writes hold or wait for: eviction starts only when they
   * exceed the critical threshold.
   */
  readonly pressureBytes: number;
  /**
   * The bytes stored: eviction ends when they are at most the target, regardless of the bytes that
   * are being written.
   */
  readonly storedBytes: number;
  /**
   * The results that are too new for the snapshot. They count for their owners, so that no young
   * result of another owner is evicted instead. Default: none.
   */
  readonly unseen?: OwnerUsage;
}

/**
 * Returns the results to evict, in order, until at most the target is stored; empty unless the
 * pressure exceeds the critical threshold.
 *
 * First are those older than the protection time at `nowMs`: the largest first, then the oldest,
 * then the lowest id.
 *
 * If they do not suffice and the pressure without them still exceeds the critical threshold, the
 * young ones follow: each time the oldest one of the owner with the most bytes of them. So owners
 * with at most an equal part of the target (divided by the number of owners with young results)
 * lose none, regardless of the other owners. Results of unknown owners count as those of one owner.
 *
 * `candidates` are indexes into the snapshot. If all of them together do not suffice, all are
 * returned.
 */
export function planQuota(
  snapshot: BrokerSnapshot,
  candidates: readonly number[],
  { pressureBytes, storedBytes, unseen }: QuotaUsage,
  policy: QuotaPolicy,
  nowMs: number,
): readonly number[] {
  const { criticalBytes, targetBytes, protectionMs } = policy;
  if (pressureBytes <= criticalBytes || storedBytes <= targetBytes) return [];
  const isYoung = (index: number): boolean =>
    nowMs - snapshot.submissionTimeMsAt(index) < protectionMs;
  const evicted: number[] = [];
  let freedBytes = 0;
  const evict = (
    order: Iterable<number>,
    isSpared?: (index: number, surplusBytes: number) => boolean,
  ): void => {
    for (const index of order) {
      const surplusBytes = storedBytes - freedBytes - targetBytes;
      if (surplusBytes <= 0) return;
      if (isSpared?.(index, surplusBytes) === true) continue;
      evicted.push(index);
      freedBytes += snapshot.sizeBytesAt(index);
    }
  };
  // Packed, because there may be a million results. The snapshot is sorted by id, so a lower index
  // is a lower id.
  const old = Uint32Array.from(candidates.filter((index) => !isYoung(index)));
  evict(
    sortedLazily(
      old,
      (one, other) =>
        snapshot.sizeBytesAt(other) - snapshot.sizeBytesAt(one) ||
        snapshot.submissionTimeMsAt(one) - snapshot.submissionTimeMsAt(other) ||
        one - other,
    ),
  );
  if (storedBytes - freedBytes <= targetBytes || pressureBytes - freedBytes <= criticalBytes) {
    return evicted;
  }
  const unseenBytes = unseen?.totalBytes ?? 0;
  evict(youngInOrder(snapshot, candidates.filter(isYoung)), (index, surplusBytes) => {
    return (
      unseenBytes > 0 &&
      surplusBytes <= unseenBytes - (unseen?.bytesOf(snapshot.ownerTagAt(index)) ?? 0)
    );
  });
  return evicted;
}

/**
 * Yields young results in order of eviction: by the bytes that their owner has in them and in
 * younger ones, in descending order.
 */
function* youngInOrder(
  snapshot: BrokerSnapshot,
  indexes: readonly number[],
): Generator<number, void> {
  const byTime = (one: number, other: number): number =>
    snapshot.submissionTimeMsAt(one) - snapshot.submissionTimeMsAt(other) || one - other;
  const young = Uint32Array.from(indexes);
  const first = young.length === 0 ? undefined : snapshot.ownerTagAt(young[0] ?? 0);
  if (young.every((index) => snapshot.ownerTagAt(index) === first)) {
    yield* sortedLazily(young, byTime);
    return;
  }
  young.sort(byTime);
  const bytesOfOwner = new Map<number | undefined, number>();
  const bytesFrom = new Float64Array(young.length);
  for (let place = young.length - 1; place >= 0; place -= 1) {
    const index = young[place] ?? 0;
    const owner = snapshot.ownerTagAt(index);
    const bytes = (bytesOfOwner.get(owner) ?? 0) + snapshot.sizeBytesAt(index);
    bytesOfOwner.set(owner, bytes);
    bytesFrom[place] = bytes;
  }
  const places = Uint32Array.from(young, (_, place) => place);
  const order = sortedLazily(
    places,
    (one, other) => (bytesFrom[other] ?? 0) - (bytesFrom[one] ?? 0) || one - other,
  );
  for (const place of order) yield young[place] ?? 0;
}
