import type { CallOptions, ObjectEntry, ObjectStore, RequestId } from '@quire/core';
import {
  brokerPrefix,
  parseResultFileName,
  parseResultFolder,
  parseResultObjectName,
  type RecordName,
} from './layout.ts';
import type { ResultEntry } from './result-entry.ts';

/** The objects in the folder of one request id, as a listing shows them. */
export interface ResultFolder {
  readonly brokerId: string;
  readonly requestId: RequestId;
  /** The committed result; undefined unless both a commit record and data exist. */
  readonly entry: ResultEntry | undefined;
  /**
   * Objects that no committed result needs: data without a record, records without data, records
   * replaced by a renewal, marks of running queries.
   */
  readonly orphans: readonly ObjectEntry[];
  /** The total size of these objects, including orphans. */
  readonly sizeBytes: number;
  /** The modification time of the youngest of them, by the store's clock. */
  readonly lastModifiedMs: number;
}

/** Options of `listResultFolders`. */
export interface FolderListOptions extends CallOptions {
  /** As `ListOptions.skipsFolder`: these folders may be omitted. */
  readonly skipsFolder?: ((folder: string) => boolean) | undefined;
  /** Called for every object under the prefix that is not named like an object of a result. */
  readonly onForeign?: (object: ObjectEntry) => void;
}

/**
 * Yields all objects of results under a prefix, committed or not, folder by folder in key order,
 * from one listing, without opening objects.
 *
 * If a renewal left two commit records, the one with the later expiry counts. Memory: one result at
 * a time.
 */
export async function* listResultFolders(
  store: ObjectStore,
  prefix: string,
  options: FolderListOptions = {},
): AsyncGenerator<ResultFolder> {
  let prefixOfFolder = '';
  let objects: FolderObjects | undefined;
  for await (const object of store.list(prefix, {
    signal: options.signal,
    skipsFolder: options.skipsFolder,
  })) {
    const nameStart = object.key.lastIndexOf('/') + 1;
    // A folder's name is parsed once rather than for each of its objects, which matters for
    // millions.
    if (nameStart !== prefixOfFolder.length || !object.key.startsWith(prefixOfFolder)) {
      const folder = objects?.toFolder();
      if (folder !== undefined) yield folder;
      prefixOfFolder = object.key.slice(0, nameStart);
      const owner = parseResultFolder(prefixOfFolder);
      objects = owner && new FolderObjects(owner.brokerId, owner.requestId);
    }
    if (objects?.add(object, object.key.slice(nameStart)) !== true) options.onForeign?.(object);
  }
  const folder = objects?.toFolder();
  if (folder !== undefined) yield folder;
}

/** The number of listings of a folder that show data without a record. */
const attemptsMax = 3;

/**
 * Lists the folder of a result; undefined if it is empty. A listing during a renewal may show
 * neither the new record nor the old one, so data without a record is listed again.
 */
export async function readResultFolder(
  store: ObjectStore,
  prefix: string,
  options: CallOptions,
): Promise<ResultFolder | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const [folder] = await Array.fromAsync(listResultFolders(store, prefix, options));
    const kinds = folder?.orphans.map(({ key }) => parseResultObjectName(key)?.kind) ?? [];
    const isRecordMissing = kinds.includes('data') && !kinds.includes('record');
    if (folder?.entry !== undefined || !isRecordMissing || attempt === attemptsMax) return folder;
  }
}

/**
 * Yields the committed results of one broker in key order; skips keys with foreign names, and data
 * without a commit record.
 */
export async function* listBrokerResults(
  store: ObjectStore,
  brokerId: string,
  options: CallOptions = {},
): AsyncGenerator<ResultEntry> {
  for await (const { entry } of listResultFolders(store, brokerPrefix(brokerId), options)) {
    if (entry !== undefined) yield entry;
  }
}

/** Collects the objects of one folder. */
class FolderObjects {
  readonly #brokerId: string;
  readonly #requestId: RequestId;
  readonly #objects: ObjectEntry[] = [];
  #sizeBytes = 0;
  #lastModifiedMs = 0;
  #data: ObjectEntry | undefined;
  #record: ObjectEntry | undefined;
  #latest: RecordName | undefined;

  constructor(brokerId: string, requestId: RequestId) {
    this.#brokerId = brokerId;
    this.#requestId = requestId;
  }

  /** Adds an object; returns false if its name is foreign. */
  add(object: ObjectEntry, name: string): boolean {
    const file = parseResultFileName(name);
    if (file === undefined) return false;
    this.#objects.push(object);
    this.#sizeBytes += object.sizeBytes;
    this.#lastModifiedMs = Math.max(this.#lastModifiedMs, object.lastModifiedMs);
    if (file.kind === 'data') {
      this.#data = object;
    } else if (
      file.kind === 'record' &&
      (this.#latest === undefined || file.expirationTimeMs >= this.#latest.expirationTimeMs)
    ) {
      this.#record = object;
      this.#latest = file;
    }
    return true;
  }

  /** Returns the folder; undefined if it has no object of a result. */
  toFolder(): ResultFolder | undefined {
    const objects = this.#objects;
    if (objects.length === 0) return undefined;
    const [data, record, latest] = [this.#data, this.#record, this.#latest];
    const [brokerId, requestId, sizeBytes, lastModifiedMs] = [
      this.#brokerId,
      this.#requestId,
      this.#sizeBytes,
      this.#lastModifiedMs,
    ];
    if (latest === undefined || record === undefined || data === undefined) {
      return { brokerId, requestId, entry: undefined, orphans: objects, sizeBytes, lastModifiedMs };
    }
    const { submissionTimeMs, expirationTimeMs, rowCount } = latest;
    const times = { submissionTimeMs, expirationTimeMs, rowCount };
    const entry = {
      requestId,
      brokerId,
      ...times,
      sizeBytes,
      dataKey: data.key,
      recordKey: record.key,
    };
    const orphans =
      objects.length === 2
        ? noObjects
        : objects.filter((object) => object !== data && object !== record);
    return { brokerId, requestId, entry, orphans, sizeBytes, lastModifiedMs };
  }
}

const noObjects: readonly ObjectEntry[] = [];

/** Returns the total size and the number of results. */
export async function measureUsage(
  entries: AsyncIterable<ResultEntry>,
): Promise<{ readonly sizeBytes: number; readonly resultCount: number }> {
  let sizeBytes = 0;
  let resultCount = 0;
  for await (const entry of entries) {
    sizeBytes += entry.sizeBytes;
    resultCount += 1;
  }
  return { sizeBytes, resultCount };
}
