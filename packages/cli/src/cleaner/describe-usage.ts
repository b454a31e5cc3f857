import { formatBytes, formatDurationMs } from '@quire/core';
import { grouped } from '../phrases.ts';
import type { Styles } from '../styles.ts';
import { layOutTable } from '../table/text-table.ts';
import { describeSweep } from './describe-sweep.ts';
import type { BrokerUsage, OwnerUsagePart, StoreUsage } from '@quire/server/cleaner';

const barWidth = 40;

/**
 * Describes a store's usage: a bar against the quota with its thresholds, shares by owner and age,
 * and what a sweep would delete.
 */
export function describeUsage(
  { brokers, nextSweep }: StoreUsage,
  {
    styles,
    widthMax,
    nameOf,
  }: {
    styles: Styles;
    widthMax: number;
    nameOf: (ownerTag: number | undefined) => string | undefined;
  },
): string {
  const parts = brokers.map((broker) => describeBroker(broker, styles, widthMax));
  return [
    ...parts,
    `${styles.strong('What a sweep would delete now')}\n${describeSweep(nextSweep, nameOf)}`,
  ].join('\n');
}

function describeBroker(broker: BrokerUsage, styles: Styles, widthMax: number): string {
  const { brokerId, usageBytes, resultCount, orphanCount, quota, largestBytes } = broker;
  const counts = `${grouped(resultCount)} results${orphanCount === 0 ? '' : `, ${grouped(orphanCount)} orphans`}`;
  const lines = [`${styles.strong(brokerId)}  ${formatBytes(usageBytes)}  ${styles.faint(counts)}`];
  if (quota === undefined) lines.push(styles.faint('  no quota is enforced'));
  else lines.push(...describeQuota(usageBytes, quota, styles));
  if (quota !== undefined && largestBytes !== undefined) {
    const young = `results younger than ${formatDurationMs(quota.protectionMs)} are evicted last`;
    lines.push(styles.faint(`  a result of at most ${formatBytes(largestBytes)} fits; ${young}`));
  }
  lines.push(
    ...describeParts('owner', broker.byOwner, styles, widthMax),
    ...describeParts('age', broker.byAge, styles, widthMax),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * `[#######----|-----|---] 45% of 1 GiB; critical at 900 MiB, target 600 MiB`, with bars at the
 * thresholds.
 */
function describeQuota(
  usageBytes: number,
  quota: NonNullable<BrokerUsage['quota']>,
  styles: Styles,
): readonly string[] {
  const { quotaBytes, criticalBytes, targetBytes } = quota;
  const cellOf = (bytes: number): number =>
    Math.min(barWidth - 1, Math.floor((bytes / quotaBytes) * barWidth));
  const marks = new Set([cellOf(targetBytes), cellOf(criticalBytes)]);
  const filledCount = Math.min(barWidth, Math.ceil((usageBytes / quotaBytes) * barWidth));
  const cells = Array.from({ length: barWidth }, (_, cell) =>
    marks.has(cell) ? '|' : cell < filledCount ? '#' : '-',
  ).join('');
  const paint = usageBytes > criticalBytes ? styles.bad : styles.good;
  const percent = ((usageBytes / quotaBytes) * 100).toFixed(1);
  const thresholds = `critical above ${formatBytes(criticalBytes)}, then down to ${formatBytes(targetBytes)}`;
  return [
    `  [${paint(cells)}] ${percent}% of ${formatBytes(quotaBytes)}`,
    styles.faint(`  ${thresholds}`),
  ];
}

function describeParts(
  by: string,
  parts: readonly OwnerUsagePart[],
  styles: Styles,
  widthMax: number,
): readonly string[] {
  if (parts.length === 0) return [];
  const hasShares = parts.some(({ shareBytes }) => shareBytes !== undefined);
  const columns = [
    { name: by, dataType: 'STRING' },
    { name: 'results', dataType: 'LONG' },
    { name: 'size', dataType: 'LONG' },
    ...(hasShares ? [{ name: 'share', dataType: 'STRING' }] : []),
  ];
  const rows = parts.map(({ name, resultCount, sizeBytes, shareBytes }) => [
    name,
    grouped(resultCount),
    formatBytes(sizeBytes),
    ...(hasShares ? [shareBytes === undefined ? '' : shareOf(sizeBytes, shareBytes)] : []),
  ]);
  const table = layOutTable(columns, rows, { widthMax: widthMax - 2, styles });
  return [...table.header, ...table.lines].map((line) => `  ${line}`);
}

function shareOf(sizeBytes: number, shareBytes: number): string {
  return `${((sizeBytes / shareBytes) * 100).toFixed(1)}% of ${formatBytes(shareBytes)}`;
}
