import type { CallOptions, RequestId } from '@quire/core';

/** Decides whether there is space for a write, and accounts for it. */
export interface ResultAdmission {
  /** Starts to reserve space for a result of which nothing is stored yet. */
  reserve(requestId: RequestId): SpaceReservation;
  /** Reports that a stored result was completely removed: `sizeBytes` are free again. */
  removed(requestId: RequestId, sizeBytes: number): void;
  /**
   * Reports that the stored size of a result may have changed: it was renewed or deleted, or an
   * attempt was made.
   */
  changed?(requestId: RequestId): void;
}

/** The space reserved for a result while it is written; ended by `commit` or `release`. */
export interface SpaceReservation {
  /**
   * Reserves more space before the bytes are written.
   *
   * A promise means that there is no space yet: the writer and the store wait for it. Undefined
   * means that the space is already reserved, so that a batch that fits costs no promise.
   *
   * Throws, or rejects, with:
   * @throws QUERY_LIMIT_EXCEEDED when there is no space and none will become free; the write must
   *   then be aborted
   * @throws ABORTED when the signal is aborted
   */
  extend(bytes: number, options?: CallOptions): Promise<void> | undefined;
  /**
   * Reports whether there is so much space that a writer may reserve more than it needs at once, to
   * make fewer requests: no write waits for it, and no result is evicted. Omitted: always true.
   */
  hasAmpleSpace?(bytes: number): boolean;
  /** Commits the space of a stored result: `sizeBytes`, if more was reserved than it needed. */
  commit(sizeBytes?: number): void;
  /**
   * Releases the space of a failed write. `isFreed` is true if everything it wrote has been
   * deleted; `error` is the cause: with STORE_FULL the store itself was full.
   */
  release(isFreed: boolean, error?: unknown): void;
}

/** Admits every write and counts nothing. */
export const unlimitedAdmission: ResultAdmission = {
  reserve: () => ({ extend: () => undefined, commit: () => undefined, release: () => undefined }),
  removed: () => undefined,
};
