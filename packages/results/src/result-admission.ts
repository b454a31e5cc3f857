import type { RequestId } from '@quire/core';

/** Decides whether there is room for what is written, and keeps count of it. */
export interface ResultAdmission {
  /** Begins to take room for a result; nothing of it is stored yet. */
  reserve(requestId: RequestId): RoomReservation;
  /** A stored result has been removed, whole: `sizeBytes` are free again. */
  removed(requestId: RequestId, sizeBytes: number): void;
}

/** The room that one result takes as it is written; ended by `commit` or `release`. */
export interface RoomReservation {
  /**
   * Takes more room, before the bytes are written.
   *
   * @throws QUERY_LIMIT_EXCEEDED when there is none; the write must then be given up
   */
  grow(bytes: number): void;
  /** The result stands, and its room with it. */
  commit(): void;
  /** The write has failed. `isFreed` tells whether all that it wrote is gone again. */
  release(isFreed: boolean): void;
}

/** Lets everything be written, and counts nothing. */
export const unlimitedAdmission: ResultAdmission = {
  reserve: () => ({ grow: () => undefined, commit: () => undefined, release: () => undefined }),
  removed: () => undefined,
};
