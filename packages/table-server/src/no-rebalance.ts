import type { Clock, Random } from '@quire/core';
import type { RebalanceJob } from '@quire/core/table-engine';

/** The outcome of every rebalance on one machine. */
export function noRebalance(
  tableNameWithType: string,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): RebalanceJob {
  const nowMs = clock.nowMs();
  return {
    jobId: Buffer.from(random.bytes(16)).toString('hex'),
    tableNameWithType,
    status: 'NO_OP',
    startedMs: nowMs,
    endedMs: nowMs,
    description: 'All tenants share the directory of this one server: there is nothing to move.',
    segmentsToMoveCount: 0,
    segmentsMovedCount: 0,
  };
}
