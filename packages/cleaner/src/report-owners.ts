import { formatOwnerTag } from '@quire/results';
import type { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import type { OwnerReport, Removal } from './sweep-report.ts';

/** As many owners are reported one by one. */
const ownersMax = 100;

/** Returns what the owners who had the most at the start of a sweep have after it. */
export function reportOwners(
  owners: OwnerUsage,
  freedBytesOf: ReadonlyMap<number | undefined, number>,
  policy: QuotaPolicy | undefined,
): readonly OwnerReport[] {
  return owners.largest(ownersMax).map(([ownerTag, { bytes: startBytes, count: resultCount }]) => ({
    ownerTag,
    resultCount,
    startBytes,
    endBytes: startBytes - (freedBytesOf.get(ownerTag) ?? 0),
    shareBytes: policy?.shareOf(ownerTag)?.quotaBytes,
  }));
}

/** The member of a removal that names the owner. */
export function ownerMember(ownerTag: number | undefined): Pick<Removal, 'owner'> {
  return ownerTag === undefined ? {} : { owner: formatOwnerTag(ownerTag) };
}
