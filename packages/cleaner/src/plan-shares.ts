import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import type { StorageUsage } from './storage-usage.ts';

/**
 * Returns the owners whose results and writes exceed the critical threshold of their share. Without
 * `usage`, writes do not count.
 */
export function ownersOverShare(
  snapshot: BrokerSnapshot,
  policy: QuotaPolicy,
  usage: StorageUsage | undefined,
): readonly number[] {
  if (!policy.hasShares) return [];
  const over: number[] = [];
  for (const [ownerTag, { bytes }] of snapshot.owners) {
    const share = policy.shareOf(ownerTag);
    if (share === undefined || ownerTag === undefined) continue;
    if (Math.max(bytes, usage?.pressureBytesOf(ownerTag) ?? 0) > share.criticalBytes) {
      over.push(ownerTag);
    }
  }
  return over;
}
