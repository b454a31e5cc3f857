import type { OwnerReport, PassReport, Removal, SweepReport } from '@quire/cleaner';
import { formatBytes } from '@quire/core';
import { formatOwnerTag } from '@quire/results';
import { formatTimeLeft, grouped } from '../phrases.ts';

/** Formats one deletion as a line: `delete  <id>  1.5 MiB  expired  2h  Broker_a_1`. */
export function removalLine(removal: Removal, isDryRun: boolean): string {
  const { id, reason, bytes, ageMs, brokerId, limitedBy } = removal;
  const parts = [
    isDryRun ? 'would delete' : 'deleted',
    id,
    formatBytes(bytes),
    limitedBy === undefined ? reason : `${reason} (${limitedBy})`,
    `${formatTimeLeft(Math.max(1, ageMs))} old`,
  ];
  return `${[...parts, ...(brokerId === undefined ? [] : [brokerId])].join('  ')}\n`;
}

/** Summarizes a sweep in a few lines. */
export function describeSweep(
  report: SweepReport,
  nameOf: (ownerTag: number | undefined) => string | undefined,
): string {
  const freed = report.isDryRun ? 'would free' : 'freed';
  const lines = report.brokers.flatMap((broker) => {
    const { brokerId, resultCount, usageStartBytes, usageEndBytes, quotaBytes } = broker;
    const quota = quotaBytes === undefined ? 'no quota' : `quota ${formatBytes(quotaBytes)}`;
    return [
      `${brokerId}: ${formatBytes(usageStartBytes)} → ${formatBytes(usageEndBytes)}, ${grouped(resultCount)} results left, ${quota}`,
      ...passLine('expired', broker.expiry, freed),
      ...passLine('evicted', broker.quota, freed),
      ...passLine('orphans', broker.orphans, freed),
      ...shareLines(broker.owners, nameOf),
    ];
  });
  lines.push(...passLine('leftovers of crashed writes', report.leftovers, freed));
  if (report.brokers.length === 0) lines.push('The store holds no results.');
  if (report.isStopped) lines.push('Stopped before the end.');
  return `${lines.join('\n')}\n`;
}

/** Describes the usage of each owner with a share, before and after the sweep. */
function shareLines(
  owners: readonly OwnerReport[],
  nameOf: (ownerTag: number | undefined) => string | undefined,
): string[] {
  return owners.flatMap(({ ownerTag, startBytes, endBytes, shareBytes }) => {
    if (shareBytes === undefined || ownerTag === undefined) return [];
    const name = nameOf(ownerTag) ?? `owner ${formatOwnerTag(ownerTag)}`;
    return [
      `  share of ${name}: ${formatBytes(startBytes)} → ${formatBytes(endBytes)} of ${formatBytes(shareBytes)}`,
    ];
  });
}

function passLine(
  name: string,
  { wanted, freed, failed, skipped }: PassReport,
  verb: string,
): string[] {
  if (wanted.count === 0 && wanted.bytes === 0) return [];
  const rest = [
    ...(failed.count > 0 ? [`failed ${grouped(failed.count)} (${formatBytes(failed.bytes)})`] : []),
    ...(skipped.count > 0 ? [`left alone ${grouped(skipped.count)}`] : []),
  ];
  return [
    `  ${name}: ${[`wanted ${formatBytes(wanted.bytes)}`, `${verb} ${grouped(freed.count)} (${formatBytes(freed.bytes)})`, ...rest].join(', ')}`,
  ];
}
