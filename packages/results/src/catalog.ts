import type { CallOptions, ObjectEntry, ObjectStore, RequestId } from '@quire/core';
import { brokerPrefix, dataKeyOf, parseResultObjectName } from './layout.ts';
import type { ResultEntry } from './result-entry.ts';

/** What lies in the folder of one request id, as a listing shows it. */
export interface ResultFolder {
  readonly brokerId: string;
  readonly requestId: RequestId;
  /** The committed result: there when a commit record and data both are. */
  readonly entry: ResultEntry | undefined;
  /** What no committed result needs: data without record, records without data, records that a renewal has replaced. */
  readonly orphans: readonly ObjectEntry[];
  /** Bytes of all these objects, orphans included. */
  readonly sizeBytes: number;
  /** When the youngest of them was stored, by the store's clock. */
  readonly lastModifiedMs: number;
}

export interface FolderListOptions extends CallOptions {
  /** Told of every object under the prefix whose name is none of ours. */
  readonly onForeign?: (object: ObjectEntry) => void;
}

/**
 * The committed results under a prefix, in key order, from one listing; opens no object.
 *
 * Where a renewal left two commit records, the one with the latest expiry counts. Names that are not ours, and data
 * without a commit record, do not show. Memory: one result at a time, whatever the number of results.
 */
export async function* listResults(store: ObjectStore, prefix: string, options: CallOptions = {}): AsyncGenerator<ResultEntry> {
  for await (const { entry } of listResultFolders(store, prefix, options)) {
    if (entry !== undefined) yield entry;
  }
}

/** Everything of ours under a prefix, committed or not, folder by folder in key order, from one listing; opens no object. */
export async function* listResultFolders(
  store: ObjectStore,
  prefix: string,
  options: FolderListOptions = {},
): AsyncGenerator<ResultFolder> {
  let group: ObjectEntry[] = [];
  let groupName = '';
  for await (const object of store.list(prefix, { signal: options.signal })) {
    if (parseResultObjectName(object.key) === undefined) {
      options.onForeign?.(object);
      continue;
    }
    const name = object.key.slice(0, object.key.lastIndexOf('/'));
    if (name !== groupName) {
      const folder = folderOf(group);
      if (folder !== undefined) yield folder;
      group = [];
      groupName = name;
    }
    group.push(object);
  }
  const folder = folderOf(group);
  if (folder !== undefined) yield folder;
}

/** The committed results of one broker. */
export function listBrokerResults(store: ObjectStore, brokerId: string, options: CallOptions = {}): AsyncGenerator<ResultEntry> {
  return listResults(store, brokerPrefix(brokerId), options);
}

/** What the objects of one folder amount to; undefined when there are none. */
function folderOf(objects: readonly ObjectEntry[]): ResultFolder | undefined {
  let sizeBytes = 0;
  let lastModifiedMs = 0;
  let data: ObjectEntry | undefined;
  let latest: (ResultEntry & { readonly object: ObjectEntry }) | undefined;
  let owner: Pick<ResultFolder, 'brokerId' | 'requestId'> | undefined;
  for (const object of objects) {
    const name = parseResultObjectName(object.key);
    if (name === undefined) continue;
    owner = name;
    sizeBytes += object.sizeBytes;
    lastModifiedMs = Math.max(lastModifiedMs, object.lastModifiedMs);
    if (name.kind === 'data') {
      data = object;
    } else if (latest === undefined || name.expirationTimeMs >= latest.expirationTimeMs) {
      const { requestId, brokerId, submissionTimeMs, expirationTimeMs, rowCount } = name;
      const dataKey = dataKeyOf(brokerId, requestId);
      const keys = { sizeBytes: 0, dataKey, recordKey: object.key };
      latest = { requestId, brokerId, submissionTimeMs, expirationTimeMs, rowCount, ...keys, object };
    }
  }
  if (owner === undefined) return undefined;
  const { brokerId, requestId } = owner;
  if (latest === undefined || data === undefined) {
    return { brokerId, requestId, entry: undefined, orphans: objects, sizeBytes, lastModifiedMs };
  }
  const { object: record, ...entry } = latest;
  const orphans = objects.length === 2 ? [] : objects.filter((object) => object !== data && object !== record);
  return { brokerId, requestId, entry: { ...entry, sizeBytes }, orphans, sizeBytes, lastModifiedMs };
}
