import { type ErrorCode, QuireError, type RequestId } from '@quire/core';
import { LRUCache } from 'lru-cache';

/** Why a result was removed. */
export type RemovalReason = 'expired' | 'evicted' | 'deleted';

/** What is remembered of a removed result. */
export interface Removal {
  readonly reason: RemovalReason;
  /** Undefined when the result was removed unopened and its owner had been forgotten. */
  readonly owner: string | undefined;
}

const codes = {
  expired: 'RESULT_EXPIRED',
  evicted: 'RESULT_EVICTED',
  deleted: 'RESULT_DELETED',
} as const satisfies Record<RemovalReason, ErrorCode>;
const rememberedMax = 100_000;

/** The last 100,000 results that were removed, and why. In memory only. */
export class RemovedResults {
  // Counted as sizes: with `max`, the cache would take all of its memory, some megabytes, from the
  // start.
  readonly #removals = new LRUCache<RequestId, Removal>({
    maxSize: rememberedMax,
    sizeCalculation: () => 1,
  });

  /** Returns what is remembered: the first reason, whatever is added later. */
  add(requestId: RequestId, removal: Removal): Removal {
    const known = this.#removals.get(requestId);
    if (known === undefined) this.#removals.set(requestId, removal);
    return known ?? removal;
  }

  get(requestId: RequestId): Removal | undefined {
    return this.#removals.get(requestId);
  }
}

export function removedError(requestId: RequestId, reason: RemovalReason): QuireError {
  return new QuireError(
    codes[reason],
    `The result ${requestId} is gone: it was ${reason === 'expired' ? 'kept until its expiration time' : reason}.`,
  );
}

export function notFoundError(requestId: string): QuireError {
  // A hostile id may be long or hold control characters: it is shown quoted and cut.
  const shown = JSON.stringify(
    requestId.length > 64 ? `${requestId.slice(0, 64)}…` : requestId,
  ).slice(1, -1);
  return new QuireError('RESULT_NOT_FOUND', `Query results for ${shown} not found.`);
}

/** The error for data that was lost: its commit record exists, so it was not removed. */
export function lostDataError(dataKey: string, cause?: unknown): QuireError {
  const message = `The data file ${dataKey} is missing, though the commit record of its result is there.`;
  return new QuireError('RESULT_CORRUPT', message, { cause });
}
