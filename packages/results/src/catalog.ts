import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import { brokerPrefix, dataKeyOf, parseResultObjectName } from './layout.ts';
import type { ResultEntry } from './result-entry.ts';

/**
 * The committed results under a prefix, in key order, from one listing; opens no object.
 *
 * Where a renewal left two commit records, the one with the latest expiry counts. Names that are not ours, and data
 * without a commit record, do not show. Memory: one result at a time, whatever the number of results.
 */
export async function* listResults(store: ObjectStore, prefix: string, options: CallOptions = {}): AsyncGenerator<ResultEntry> {
  let group: ObjectEntry[] = [];
  let groupName = '';
  for await (const object of store.list(prefix, options)) {
    const name = object.key.slice(0, object.key.lastIndexOf('/'));
    if (name !== groupName) {
      const entry = entryOf(group);
      if (entry !== undefined) yield entry;
      group = [];
      groupName = name;
    }
    group.push(object);
  }
  const entry = entryOf(group);
  if (entry !== undefined) yield entry;
}

/** The committed results of one broker. */
export function listBrokerResults(store: ObjectStore, brokerId: string, options: CallOptions = {}): AsyncGenerator<ResultEntry> {
  return listResults(store, brokerPrefix(brokerId), options);
}

/** What the objects of one result's folder amount to: an entry when a commit record and its data are both there. */
function entryOf(objects: readonly ObjectEntry[]): ResultEntry | undefined {
  let sizeBytes = 0;
  let hasData = false;
  let latest: ResultEntry | undefined;
  for (const object of objects) {
    const name = parseResultObjectName(object.key);
    if (name === undefined) continue;
    sizeBytes += object.sizeBytes;
    if (name.kind === 'data') {
      hasData = true;
    } else if (latest === undefined || name.expirationTimeMs >= latest.expirationTimeMs) {
      const { requestId, brokerId, submissionTimeMs, expirationTimeMs, rowCount } = name;
      const dataKey = dataKeyOf(brokerId, requestId);
      latest = {
        requestId,
        brokerId,
        submissionTimeMs,
        expirationTimeMs,
        rowCount,
        sizeBytes: 0,
        dataKey,
        recordKey: object.key,
      };
    }
  }
  return latest !== undefined && hasData ? { ...latest, sizeBytes } : undefined;
}
