import { type ErrorCode, QuireError, type RequestId } from '@quire/core';
import { LRUCache } from 'lru-cache';

/** The reason for the removal of a result. */
export type RemovalReason = 'expired' | 'evicted' | 'deleted';

/** The recorded facts about a removed result. */
export interface Removal {
  readonly reason: RemovalReason;
  /** The owner; undefined if the result was removed unopened and its owner was no longer cached. */
  readonly owner: string | undefined;
  /** True if its data is deleted as well. */
  readonly isFreed?: boolean;
}

const codes = {
  expired: 'RESULT_EXPIRED',
  evicted: 'RESULT_EVICTED',
  deleted: 'RESULT_DELETED',
} as const satisfies Record<RemovalReason, ErrorCode>;
const rememberedMax = 100_000;

/** The last 100,000 removed results and the reasons, in memory only. */
export class RemovedResults {
  // Counted as sizes: with `max`, the cache would allocate several megabytes at creation.
  readonly #removals = new LRUCache<RequestId, Removal>({
    maxSize: rememberedMax,
    sizeCalculation: () => 1,
  });

  /** Records a removal and returns the recorded one: the first reason is kept. */
  add(requestId: RequestId, removal: Removal): Removal {
    const known = this.#removals.get(requestId);
    if (known === undefined) this.#removals.set(requestId, removal);
    return known ?? removal;
  }

  get(requestId: RequestId): Removal | undefined {
    return this.#removals.get(requestId);
  }

  /** Records that the data of a removed result is deleted. Returns false if that is known. */
  noteFreed(requestId: RequestId): boolean {
    const known = this.#removals.get(requestId);
    if (known?.isFreed === true) return false;
    if (known !== undefined) this.#removals.set(requestId, { ...known, isFreed: true });
    return true;
  }
}

export function removedError(requestId: RequestId, reason: RemovalReason): QuireError {
  return new QuireError(
    codes[reason],
    `The result ${requestId} no longer exists: it ${reason === 'expired' ? 'has expired' : `was ${reason}`}.`,
  );
}

export function notFoundError(requestId: string): QuireError {
  // A malicious id may be long or contain control characters: it is quoted and truncated.
  const shown = JSON.stringify(
    requestId.length > 64 ? `${requestId.slice(0, 64)}…` : requestId,
  ).slice(1, -1);
  return new QuireError('RESULT_NOT_FOUND', `Query results for ${shown} not found.`);
}

/** Returns the error for data that was lost: its commit record exists, so it was not removed. */
export function lostDataError(dataKey: string, cause?: unknown): QuireError {
  const message = `The data file ${dataKey} is missing, although the commit record of its result exists.`;
  return new QuireError('RESULT_CORRUPT', message, { cause });
}
