import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { sortedLazily } from './sorted-lazily.ts';

/** How much of a quota is used, as the quota pass counts it. */
export interface QuotaUsage {
  /** Bytes stored, and those that writes hold or wait for: eviction begins only when these exceed the critical threshold. */
  readonly pressureBytes: number;
  /** Of these, the bytes stored: eviction ends when these are at most the target, however much is being written. */
  readonly storedBytes: number;
}

/**
 * The results to evict, in order, up to the first state with at most the target stored; empty unless the pressure exceeds the
 * critical threshold.
 *
 * First those that are older than the protection time at `nowMs`: the largest first, of equals the oldest, of those the one with the
 * lower id. When these do not suffice, and without them the pressure still exceeds the critical threshold, the young ones: the
 * oldest first, of equals the one with the lower id. So nobody loses in the next moment what he was told of in this one.
 *
 * `candidates` are indexes into the snapshot. When all of them together do not suffice, all of them come.
 */
export function planQuota(
  snapshot: BrokerSnapshot,
  candidates: readonly number[],
  { pressureBytes, storedBytes }: QuotaUsage,
  policy: QuotaPolicy,
  nowMs: number,
): readonly number[] {
  const { criticalBytes, targetBytes, protectionMs } = policy;
  if (pressureBytes <= criticalBytes || storedBytes <= targetBytes) return [];
  const isYoung = (index: number): boolean => nowMs - snapshot.submissionTimeMsAt(index) < protectionMs;
  const evicted: number[] = [];
  let freedBytes = 0;
  const evict = (order: Iterable<number>): void => {
    for (const index of order) {
      if (storedBytes - freedBytes <= targetBytes) return;
      evicted.push(index);
      freedBytes += snapshot.sizeBytesAt(index);
    }
  };
  // Packed, because of a million results. The snapshot is in the order of ids, so that a lower index is a lower id.
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
  if (storedBytes - freedBytes <= targetBytes || pressureBytes - freedBytes <= criticalBytes) return evicted;
  const young = Uint32Array.from(candidates.filter(isYoung));
  evict(
    sortedLazily(young, (one, other) => snapshot.submissionTimeMsAt(one) - snapshot.submissionTimeMsAt(other) || one - other),
  );
  return evicted;
}
