import type { CallOptions, RequestId } from '@quire/core';

/** Decides whether there is room for what is written, and keeps count of it. */
export interface ResultAdmission {
  /** Begins to take room for a result; nothing of it is stored yet. */
  reserve(requestId: RequestId): SpaceReservation;
  /** A stored result has been removed, whole: `sizeBytes` are free again. */
  removed(requestId: RequestId, sizeBytes: number): void;
  /** What is stored of a result may have changed: it was renewed, or deleted, or that was tried. */
  changed?(requestId: RequestId): void;
}

/** The room that one result takes as it is written; ended by `commit` or `release`. */
export interface SpaceReservation {
  /**
   * Takes more room, before the bytes are written. A promise means that there is none yet: the
   * writer waits for it, and the store with the writer. Undefined means that the room is taken
   * already, so that a batch that fits costs no promise.
   *
   * Throws, or rejects, with:
   * @throws QUERY_LIMIT_EXCEEDED when there is no room and none will come; the write must then be
   * given up
   * @throws ABORTED when the signal is aborted meanwhile
   */
  extend(bytes: number, options?: CallOptions): Promise<void> | undefined;
  /**
   * Whether there is so much room that a writer may take more than it needs at once, to ask seldom:
   * nobody waits for it, and it costs no result its place. Left out: there always is.
   */
  hasAmpleSpace?(bytes: number): boolean;
  /** The result stands, and its space with it: `sizeBytes`, when more was taken than it needed. */
  commit(sizeBytes?: number): void;
  /**
   * The write has failed. `isFreed` tells whether all that it wrote is gone again, `error` why it
   * failed: with STORE_FULL the store itself had no room.
   */
  release(isFreed: boolean, error?: unknown): void;
}

/** Lets everything be written, and counts nothing. */
export const unlimitedAdmission: ResultAdmission = {
  reserve: () => ({ extend: () => undefined, commit: () => undefined, release: () => undefined }),
  removed: () => undefined,
};
