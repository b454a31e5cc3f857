import type { Principal } from '@quire/auth';
import { QuireError } from '@quire/core';
import { FairSlots, type SlotClaim, type SlotShares } from '@quire/core/wait';

/** How principals share the slots that queries run in, and the queue for them. */
export type QueryShares = Omit<SlotShares, 'slotCount' | 'waitingMax'>;

interface QueueOptions {
  readonly queriesRunningMax: number;
  readonly queriesQueuedMax: number;
  readonly queryShares?: Partial<QueryShares> | undefined;
}

const sharesDefault: QueryShares = { principalPercentMax: 50, adminSlotCount: 1, principalWaitingMax: 32 };

/**
 * Queries that run, and those that wait for their turn; principals share both. A query that may not even wait is refused with
 * TOO_MANY_QUERIES.
 */
export function createQueryQueue(options: QueueOptions): FairSlots {
  const { queriesRunningMax: slotCount, queriesQueuedMax: waitingMax, queryShares } = options;
  const shares: SlotShares = { ...sharesDefault, ...queryShares, slotCount, waitingMax };
  const { principalWaitingMax } = shares;
  return new FairSlots(shares, ({ principal, takenCount, waitingCount, limit }) => {
    const isOwnLimit = limit === 'principal' && principalWaitingMax < waitingMax;
    const wrong = isOwnLimit
      ? `the most of one principal that may wait (engine.broker.query.queue.principal = ${principalWaitingMax})`
      : `and the queue is full (engine.broker.query.queue = ${waitingMax})`;
    return new QuireError(
      'TOO_MANY_QUERIES',
      `${principal} has ${takenCount} queries running and ${waitingCount} waiting, ${wrong}; try again when one of them has ended.`,
    );
  });
}

/** On whose behalf a call asks for a slot. */
export function claimOf({ name, role }: Principal): SlotClaim {
  return { principal: name, isAdmin: role === 'admin' };
}
