import type { RequestId } from '@quire/core';

/** A result in a listing: every member is derived from object names and sizes. */
export interface ResultEntry {
  readonly requestId: RequestId;
  readonly brokerId: string;
  /** The time at which the result was stored, in epoch milliseconds. */
  readonly submissionTimeMs: number;
  /** The time at which the result expires, in epoch milliseconds. */
  readonly expirationTimeMs: number;
  readonly rowCount: number;
  /** The size of the data file and of every commit record. */
  readonly sizeBytes: number;
  readonly dataKey: string;
  readonly recordKey: string;
}

/**
 * Compares two results by their time, newest first. Ids have the time of the query, but a result
 * has that of its storage.
 */
export function newestFirst(one: ResultEntry, other: ResultEntry): number {
  return (
    other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1)
  );
}
