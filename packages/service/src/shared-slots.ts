import type { Principal } from '@quire/auth';
import { type ErrorCode, QuireError } from '@quire/core';
import { FairSlots, type SlotClaim, type SlotShares } from '@quire/core/wait';

/** The slots of a service, with the names of their settings. */
export interface SharedSlotsOptions {
  /** The plural of the work in the slots: `queries`. */
  readonly work: string;
  readonly shares: SlotShares;
  /** The code for a claim that may not wait: an error of kind `unavailable`. */
  readonly code: ErrorCode;
  /** The setting of `waitingMax`. */
  readonly queueSetting: string;
  /** The setting of `principalWaitingMax`. */
  readonly principalQueueSetting: string;
}

/**
 * Creates slots that principals share. A refusal reports the principal's running and waiting work,
 * and the setting of the limit.
 */
export function createSharedSlots(options: SharedSlotsOptions): FairSlots {
  const { work, shares, code, queueSetting, principalQueueSetting } = options;
  return new FairSlots(shares, ({ principal, takenCount, waitingCount, limit }) => {
    const { waitingMax, principalWaitingMax } = shares;
    const isOwnLimit = limit === 'principal' && principalWaitingMax < waitingMax;
    const wrong = isOwnLimit
      ? `the maximum for one principal (${principalQueueSetting} = ${principalWaitingMax})`
      : `and the queue is full (${queueSetting} = ${waitingMax})`;
    const counts = `${principal} has ${takenCount} ${work} running and ${waitingCount} waiting`;
    return new QuireError(code, `${counts}, ${wrong}; try again when one of them has ended.`);
  });
}

/** Returns the claim of a call for a slot. */
export function claimOf({ name, role }: Principal): SlotClaim {
  return { principal: name, isAdmin: role === 'admin' };
}
