import { formatBytes } from '@quire/core';
import type { QuotaPolicy } from './quota-policy.ts';

/** The state of a quota, or of a share, when a write was refused. */
export interface RoomAccount {
  readonly policy: QuotaPolicy;
  readonly storedBytes: number;
  /** What other writes hold, or may have left. */
  readonly othersBytes: number;
  /** What is stored and would stay if a sweep freed all that it may. */
  readonly keptBytes: number;
  /** What the refused write has written. */
  readonly ownBytes: number;
}

/** The message to a query whose result found no room. */
export function noRoom(account: RoomAccount): string {
  const where = account.policy.shareKey === undefined ? '' : " within its principal's share";
  return `There is no room for the result${where}: ${describe(account)}`;
}

/** The message to a query that wants to write `bytes` more than any result may have. */
export function tooLarge(account: RoomAccount, bytes: number): string {
  const needed = formatBytes(account.ownBytes + bytes);
  const critical = formatBytes(account.policy.criticalBytes);
  return `The result, of ${needed} or more, could not stay, since it alone exceeds the critical ${critical}: ${describe(account)}`;
}

function describe({ policy, storedBytes, othersBytes, keptBytes, ownBytes }: RoomAccount): string {
  const { shareKey, quotaBytes, criticalBytes } = policy;
  const largestBytes = Math.max(0, Math.min(criticalBytes, quotaBytes - keptBytes - othersBytes));
  const limit = shareKey === undefined ? 'the quota of' : "the principal's share of";
  const setting = shareKey === undefined ? '' : ` (${shareKey})`;
  const others = othersBytes === 0 ? '' : `other queries are writing ${formatBytes(othersBytes)}, `;
  return (
    `of ${limit} ${formatBytes(quotaBytes)}${setting}, ${formatBytes(storedBytes)} are stored, ${others}` +
    `this query has written ${formatBytes(ownBytes)}, and a result of at most ${formatBytes(largestBytes)} would fit.`
  );
}
