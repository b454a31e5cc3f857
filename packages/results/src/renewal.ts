import { type CallOptions, type Clock, isConditionalWriter, type ObjectStore } from '@quire/core';
import { encodeCommitRecord } from './commit-record.ts';
import { parseResultObjectName, recordKeyOf, resultPrefix } from './layout.ts';
import type { OpenRecord } from './commit-record.ts';
import { removedError } from './removed-results.ts';
import type { ResultEntry } from './result-entry.ts';
import { isStored } from './result-finder.ts';

/**
 * Replaces the commit record of a result by one with another expiry. It writes the new one first
 * and then deletes the old one, so that the result is never without a record. `removeResult`
 * explains why that is safe against removals.
 *
 * Failed renewals may have left further records. Those with a later expiry would count instead of
 * the new one, so they are deleted as well, but only if they existed before the new one: of several
 * concurrent renewals, none deletes the record that was written last.
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
  const { laterKeys, isListed } = await listRecords(store, entry, expirationTimeMs, options);
  // A listing may lag, so only its absence from the store shows that the record is gone.
  if (!isListed && !(await isStored(store, entry.recordKey, options))) {
    throw removedError(entry.requestId, 'deleted');
  }
  const seenMs = clock.monotonicMs();
  if (!(await putNew(store, recordKey, bytes, options))) {
    throw removedError(entry.requestId, 'deleted');
  }
  // A power failure must not restore a deleted record, which would count if its expiry is later.
  const durably = { ...options, isDurable: true };
  if (!(await isStored(store, entry.recordKey, options))) {
    await store.delete(recordKey, durably);
    throw removedError(entry.requestId, 'deleted');
  }
  for (const key of [entry.recordKey, ...laterKeys]) await store.delete(key, durably);
  const sizeBytes = record.dataSizeBytes + bytes.byteLength;
  return {
    entry: { ...entry, recordKey, expirationTimeMs, sizeBytes },
    record: newRecord,
    seenMs,
  };
}

/** Finds the commit records of a result that expire later, and whether its own one is listed. */
async function listRecords(
  store: ObjectStore,
  { brokerId, requestId, recordKey }: ResultEntry,
  expirationTimeMs: number,
  options: CallOptions,
): Promise<{ readonly laterKeys: readonly string[]; readonly isListed: boolean }> {
  const laterKeys: string[] = [];
  let isListed = false;
  for await (const { key } of store.list(resultPrefix(brokerId, requestId), options)) {
    const name = parseResultObjectName(key);
    if (key === recordKey) isListed = true;
    else if (name?.kind === 'record' && name.expirationTimeMs > expirationTimeMs) {
      laterKeys.push(key);
    }
  }
  return { laterKeys, isListed };
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
