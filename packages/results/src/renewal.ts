import { type CallOptions, type Clock, isConditionalWriter, type ObjectStore } from '@quire/core';
import { encodeCommitRecord } from './commit-record.ts';
import { recordKeyOf } from './layout.ts';
import type { OpenRecord } from './commit-record.ts';
import { removedError } from './removed-results.ts';
import { isStored } from './result-finder.ts';

/**
 * Replaces the commit record of a result by one with another expiry. It writes the new one first
 * and then deletes the old one, so that the result is never without a record. `removeResult`
 * explains why that is safe against removals.
 *
 * The new record is written only if it does not exist: another process may be renewing to the same
 * millisecond, and its record must not be deleted here.
 *
 * @throws RESULT_DELETED when the old record is missing: the result was removed, or another process
 *   has renewed it
 */
export async function replaceRecord(
  store: ObjectStore,
  clock: Clock,
  { entry, record }: OpenRecord,
  expirationTimeMs: number,
  options: CallOptions,
): Promise<OpenRecord> {
  const newRecord = { ...record, expirationTimeMs };
  const recordKey = recordKeyOf(entry.brokerId, entry.requestId, newRecord);
  const bytes = encodeCommitRecord(newRecord);
  const seenMs = clock.monotonicMs();
  if (!(await putNew(store, recordKey, bytes, options))) {
    throw removedError(entry.requestId, 'deleted');
  }
  // Of two records the later expiry counts, so a power failure that restored a deleted one would
  // revert a renewal that shortened the life of the result, or this one that failed.
  const durably = { ...options, isDurable: true };
  if (!(await isStored(store, entry.recordKey, options))) {
    await store.delete(recordKey, durably);
    throw removedError(entry.requestId, 'deleted');
  }
  await store.delete(entry.recordKey, durably);
  const sizeBytes = record.dataSizeBytes + bytes.byteLength;
  return {
    entry: { ...entry, recordKey, expirationTimeMs, sizeBytes },
    record: newRecord,
    seenMs,
  };
}

/**
 * Stores an object; returns false if an object with that key exists, as far as the store can detect
 * it.
 */
async function putNew(
  store: ObjectStore,
  key: string,
  bytes: Uint8Array,
  options: CallOptions,
): Promise<boolean> {
  if (isConditionalWriter(store)) {
    return (await store.putIfAbsent(key, bytes, options)) !== undefined;
  }
  await store.put(key, bytes, options);
  return true;
}
