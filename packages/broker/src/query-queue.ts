import type { FairSlots, SlotShares } from '@quire/core/wait';
import { createSharedSlots } from '@quire/service';

/** How principals share the slots that queries run in, and the queue for them. */
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
 * Queries that run, and those that wait for their turn; principals share both. A query that may not
 * even wait is refused with TOO_MANY_QUERIES.
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
