import { formatOwnerTag } from '@quire/results';
import type { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import type { OwnerReport, Removal } from './sweep-report.ts';

/** The maximum number of owners that are reported separately. */
const ownersMax = 100;

/** Returns the usage after a sweep of the owners who had the most before it. */
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

/** Returns the member of a removal that names the owner. */
export function ownerMember(ownerTag: number | undefined): Pick<Removal, 'owner'> {
  return ownerTag === undefined ? {} : { owner: formatOwnerTag(ownerTag) };
}
