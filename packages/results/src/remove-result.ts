import { type CallOptions, isFolderDeleter, type ObjectStore } from '@quire/core';
import { parseResultObjectName, resultPrefix } from './layout.ts';
import type { ResultEntry } from './result-entry.ts';

/** Options of `removeResult`. */
export interface RemoveOptions extends CallOptions {
  /** Called when the result is no longer committed, and its data still there. */
  readonly onUncommitted?: () => void;
  /**
   * Whether `onUncommitted` may as well be called when the data has gone: a reader that misses it
   * finds the same reason.
   */
  readonly isHeardLater?: boolean;
}

/**
 * Removes a result as a listing has shown it: commit records first, then data. A result that was
 * renewed since stays: `renewed`.
 *
 * Safe against a renewal at any moment, also by another process: a renewal writes its new record,
 * and then makes sure that the old one still stands; here the old one goes first, and then we look
 * for a new one. So at least one of the two sees the other. When both do, the renewal fails with
 * RESULT_DELETED and takes its record back: the result is gone, and its data an orphan, whatever is
 * said here.
 */
export async function removeResult(
  store: ObjectStore,
  entry: ResultEntry,
  options: RemoveOptions = {},
): Promise<'removed' | 'kept'> {
  const { onUncommitted, isHeardLater = onUncommitted === undefined, ...call } = options;
  // In the same order, but in one step, when there is no other record.
  if (
    isHeardLater &&
    isFolderDeleter(store) &&
    (await store.deleteFolder([entry.recordKey, entry.dataKey], call))
  ) {
    onUncommitted?.();
    return 'removed';
  }
  await store.delete(entry.recordKey, call);
  // A renewal keeps the submission time: so only commit records are looked at.
  const recordPrefix = `${resultPrefix(entry.brokerId, entry.requestId)}${entry.submissionTimeMs}-`;
  for (let hasDeleted = true; hasDeleted;) {
    hasDeleted = false;
    for await (const object of store.list(recordPrefix, call)) {
      const name = parseResultObjectName(object.key);
      if (name?.kind !== 'record') continue;
      if (name.expirationTimeMs > entry.expirationTimeMs) return 'kept';
      await store.delete(object.key, call);
      // That may have been the one which a renewal replaces: what was said above holds for it as
      // well.
      hasDeleted = true;
    }
  }
  onUncommitted?.();
  await store.delete(entry.dataKey, call);
  return 'removed';
}
