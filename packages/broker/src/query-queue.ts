import type { FairSlots, SlotShares } from '@quire/core/wait';
import { createSharedSlots } from '@quire/service';

/** The shares of principals in the slots for queries, and in their queue. */
export type QueryShares = Omit<SlotShares, 'slotCount' | 'waitingMax'>;

interface QueueOptions {
  readonly queriesRunningMax: number;
  readonly queriesQueuedMax: number;
  readonly queryShares?: Partial<QueryShares> | undefined;
}

const sharesDefault: QueryShares = {
  principalPercentMax: 50,
  isShareStrict: false,
  adminSlotCount: 1,
  principalWaitingMax: 32,
};

/**
 * Creates the slots for running queries, with a queue for waiting ones; principals share both. A
 * query that may not wait is refused with TOO_MANY_QUERIES.
 */
export function createQueryQueue({
  queriesRunningMax,
  queriesQueuedMax,
  queryShares,
}: QueueOptions): FairSlots {
  return createSharedSlots({
    work: 'queries',
    shares: {
      ...sharesDefault,
      ...queryShares,
      slotCount: queriesRunningMax,
      waitingMax: queriesQueuedMax,
    },
    code: 'TOO_MANY_QUERIES',
    queueSetting: 'engine.broker.query.queue',
    principalQueueSetting: 'engine.broker.query.queue.principal',
  });
}
