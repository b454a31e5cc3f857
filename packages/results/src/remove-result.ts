import { type CallOptions, isFolderDeleter, isQuireError, type ObjectStore } from '@quire/core';
import { parseResultObjectName, resultPrefix } from './layout.ts';
import type { RemovalReason } from './removed-results.ts';
import type { ResultEntry } from './result-entry.ts';

/** Options of `removeResult`. */
export interface RemoveOptions extends CallOptions {
  readonly reason?: RemovalReason;
  /** Removes the result even if it was renewed after the listing. Default: no. */
  readonly includesRenewed?: boolean;
  /**
   * Called once the result is no longer committed but its data still exists. For an expired result
   * the data may already be deleted: readers that do not find it receive the same reason.
   */
  readonly onUncommitted?: () => void;
}

/**
 * Removes a result from a listing: commit records first, then data. Returns `kept` if it was
 * renewed after the listing.
 *
 * Safe against a concurrent renewal, also by another process. A renewal writes its new record and
 * then checks that the old one still exists. A removal deletes the old one and then looks for a new
 * one. So at least one of the two sees the other. If both do, the renewal fails with RESULT_DELETED
 * and deletes its record: the result is gone, and its data is an orphan, whatever this function
 * returns.
 */
export async function removeResult(
  store: ObjectStore,
  entry: ResultEntry,
  options: RemoveOptions = {},
): Promise<'removed' | 'kept'> {
  const { onUncommitted, reason, includesRenewed = false, ...call } = options;
  // Callers rely on a confirmed deletion. Sweeps do not wait for the disk: if a power failure
  // restores what they removed, an expired result is still expired, and the next sweep finds both.
  const isDurable = reason === 'deleted';
  if (
    !includesRenewed &&
    !isDurable &&
    (onUncommitted === undefined || reason === 'expired') &&
    isFolderDeleter(store) &&
    // The same order in one step, if there is no other record.
    (await store.deleteFolder([entry.recordKey, entry.dataKey], call))
  ) {
    onUncommitted?.();
    return 'removed';
  }
  await store.delete(entry.recordKey, { ...call, isDurable });
  // A record found now may be the one that a renewal replaces: the above applies to it as well.
  for (let hasDeleted = true; hasDeleted;) {
    hasDeleted = false;
    for await (const { key } of store.list(resultPrefix(entry.brokerId, entry.requestId), call)) {
      const name = parseResultObjectName(key);
      if (name?.kind !== 'record') continue;
      if (!includesRenewed && name.expirationTimeMs > entry.expirationTimeMs) return 'kept';
      await store.delete(key, { ...call, isDurable });
      hasDeleted = true;
    }
  }
  onUncommitted?.();
  await store.delete(entry.dataKey, call);
  return 'removed';
}

/**
 * Deletes everything that a failed write may have left behind: commit records, then data. Returns
 * true if all is deleted. Stops at the first object that cannot be deleted, because a commit record
 * must not outlive its data. Data without a record is an orphan for a sweep.
 */
export async function removeFailedWrite(
  store: Pick<ObjectStore, 'delete'>,
  keys: Iterable<string> | AsyncIterable<string>,
): Promise<boolean> {
  try {
    for await (const key of keys) await store.delete(key);
    return true;
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return false;
  }
}
