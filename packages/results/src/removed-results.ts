import { type ErrorCode, QuireError, type RequestId } from '@quire/core';
import { LRUCache } from 'lru-cache';

/** Why a result is no longer there. */
export type RemovalReason = 'expired' | 'evicted' | 'deleted';

interface Removal {
  readonly reason: RemovalReason;
  /** Undefined when nobody knew any more whose it was: it was removed unopened. */
  readonly owner: string | undefined;
}

const codes = {
  expired: 'RESULT_EXPIRED',
  evicted: 'RESULT_EVICTED',
  deleted: 'RESULT_DELETED',
} as const satisfies Record<RemovalReason, ErrorCode>;
const rememberedMax = 100_000;

/**
 * The results that went recently, and why, so that a caller hears "gone" and not "never existed".
 *
 * Kept in memory only, the last 100,000: after a restart such an id is unknown.
 */
export class RemovedResults {
  // Counted as sizes: with `max`, the cache would take all of its memory, some megabytes, from the
  // start.
  readonly #removals = new LRUCache<RequestId, Removal>({
    maxSize: rememberedMax,
    sizeCalculation: () => 1,
  });

  add(requestId: RequestId, reason: RemovalReason, owner: string | undefined): void {
    // The first reason stands: deleting what has expired does not make it deleted by someone.
    if (!this.#removals.has(requestId)) this.#removals.set(requestId, { reason, owner });
  }

  ownerOf(requestId: RequestId): string | undefined {
    return this.#removals.get(requestId)?.owner;
  }

  /** The error for a result that went, if it is remembered. */
  errorFor(requestId: RequestId): QuireError | undefined {
    const removal = this.#removals.get(requestId);
    return removal === undefined ? undefined : removedError(requestId, removal.reason);
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
