import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';

export interface QuotaUsage {
  /** Bytes at the start of the sweep: eviction begins only when these exceed the critical threshold. */
  readonly startBytes: number;
  /** Bytes now, after what has gone already. */
  readonly nowBytes: number;
}

/**
 * The results to evict, in order: the largest first, of equals the oldest, of those the one with the lower id, up to the first
 * state of at most the target. Empty when the usage at the start did not exceed the critical threshold.
 *
 * `candidates` are indexes into the snapshot. When all of them together do not suffice, all of them come.
 */
export function planQuota(
  snapshot: BrokerSnapshot,
  candidates: readonly number[],
  usage: QuotaUsage,
  policy: QuotaPolicy,
): readonly number[] {
  if (usage.startBytes <= policy.criticalBytes) return [];
  const evicted: number[] = [];
  let leftBytes = usage.nowBytes;
  if (leftBytes <= policy.targetBytes) return evicted;
  // The snapshot is in the order of ids, so that a lower index is a lower id.
  const byPreference = Uint32Array.from(candidates).toSorted(
    (one, other) =>
      snapshot.sizeBytesAt(other) - snapshot.sizeBytesAt(one) ||
      snapshot.submissionTimeMsAt(one) - snapshot.submissionTimeMsAt(other) ||
      one - other,
  );
  for (const index of byPreference) {
    if (leftBytes <= policy.targetBytes) break;
    evicted.push(index);
    leftBytes -= snapshot.sizeBytesAt(index);
  }
  return evicted;
}
