import type { Principal } from '@quire/auth';
import { type ErrorCode, QuireError } from '@quire/core';
import { FairSlots, type SlotClaim, type SlotShares } from '@quire/core/wait';

/** Slots of a service, in the words of its settings. */
export interface SharedSlotsOptions {
  /** What runs in the slots: `queries`. */
  readonly work: string;
  readonly shares: SlotShares;
  /** What a claim is refused with that may not even wait: an error of kind `unavailable`. */
  readonly code: ErrorCode;
  /** The setting of `waitingMax`. */
  readonly queueSetting: string;
  /** The setting of `principalWaitingMax`. */
  readonly principalQueueSetting: string;
}

/**
 * Creates slots that principals share. A refusal says what the principal has under way, and which
 * setting it has reached.
 */
export function createSharedSlots(options: SharedSlotsOptions): FairSlots {
  const { work, shares, code, queueSetting, principalQueueSetting } = options;
  return new FairSlots(shares, ({ principal, takenCount, waitingCount, limit }) => {
    const { waitingMax, principalWaitingMax } = shares;
    const isOwnLimit = limit === 'principal' && principalWaitingMax < waitingMax;
    const wrong = isOwnLimit
      ? `the most of one principal that may wait (${principalQueueSetting} = ${principalWaitingMax})`
      : `and the queue is full (${queueSetting} = ${waitingMax})`;
    const counts = `${principal} has ${takenCount} ${work} running and ${waitingCount} waiting`;
    return new QuireError(code, `${counts}, ${wrong}; try again when one of them has ended.`);
  });
}

/** On whose behalf a call asks for a slot. */
export function claimOf({ name, role }: Principal): SlotClaim {
  return { principal: name, isAdmin: role === 'admin' };
}
