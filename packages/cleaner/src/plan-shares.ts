import type { StorageAdmission } from './admission.ts';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';

/**
 * The owners of whose results and writes there is more than is critical for their share. Without an
 * admission, writes do not count.
 */
export function ownersOverShare(
  snapshot: BrokerSnapshot,
  policy: QuotaPolicy,
  admission: StorageAdmission | undefined,
): readonly number[] {
  if (!policy.hasShares) return [];
  const over: number[] = [];
  for (const [ownerTag, { bytes }] of snapshot.owners) {
    const share = policy.shareOf(ownerTag);
    if (share === undefined || ownerTag === undefined) continue;
    if (Math.max(bytes, admission?.pressureBytesOf(ownerTag) ?? 0) > share.criticalBytes) {
      over.push(ownerTag);
    }
  }
  return over;
}
