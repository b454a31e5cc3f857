import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { sortedLazily } from './sorted-lazily.ts';

/** How much of a quota is used, as the quota pass counts it. */
export interface QuotaUsage {
  /**
   * Bytes stored, and those that writes hold or wait for: eviction begins only when these exceed
   * the critical threshold.
   */
  readonly pressureBytes: number;
  /**
   * Of these, the bytes stored: eviction ends when these are at most the target, however much is
   * being written.
   */
  readonly storedBytes: number;
  /**
   * Of these, the results that are too new for the snapshot: no young result of another owner goes
   * in their place. Default: none.
   */
  readonly unseen?: OwnerUsage;
}

/**
 * The results to evict, in order, up to the first state with at most the target stored; empty
 * unless the pressure exceeds the critical threshold.
 *
 * First those that are older than the protection time at `nowMs`: the largest first, of equals the
 * oldest, of those the one with the lower id. When these do not suffice, and without them the
 * pressure still exceeds the critical threshold, the young ones follow: each time the oldest one of
 * the owner who has the most bytes of them. So owners with at most an equal part of the target (the
 * target by the number of owners with young results) lose none, whatever others store; results of
 * no known owner count as those of one.
 *
 * `candidates` are indexes into the snapshot. When all of them together do not suffice, all of them
 * come.
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
  // Packed, because of a million results. The snapshot is in the order of ids, so that a lower
  // index is a lower id.
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
 * Young results in the order in which they go: sorted by the bytes that their owner has in them and
 * in younger ones, the most first.
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
