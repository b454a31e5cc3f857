import {
  type CallOptions,
  type Clock,
  isQuireError,
  MiB,
  type ObjectStore,
  QuireError,
  readObject,
  type RequestId,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import { LRUCache } from 'lru-cache';
import { listResultFolders, type ResultFolder } from './catalog.ts';
import { type CommitRecord, decodeCommitRecord, encodeCommitRecord } from './commit-record.ts';
import { dataKeyOf, parseResultObjectName, recordKeyOf, resultPrefix } from './layout.ts';
import type { PeerBrokers } from './peer-brokers.ts';
import { notFoundError, removedError } from './removed-results.ts';
import type { OpenOptions } from './result-store-options.ts';
import { elsewhereError, readRunningPlace } from './running-mark.ts';
import type { ResultEntry } from './result-entry.ts';

/** A commit record and the entry that names it. */
export interface OpenRecord {
  readonly entry: ResultEntry;
  readonly record: CommitRecord;
  /** When the store was last seen to have it, by the monotonic clock. */
  readonly seenMs: number;
}

/** What a look into the store shows of an id. */
interface Found {
  readonly entry: ResultEntry | undefined;
  /** Of a query that another broker runs: the object that says so. */
  readonly runningKey: string | undefined;
}

const nothing: Found = { entry: undefined, runningKey: undefined };

interface RecordReaderParts {
  readonly store: ObjectStore;
  readonly brokerId: string;
  /** With these, results of other brokers in the same store are found as well. */
  readonly peers: PeerBrokers | undefined;
  readonly clock: Clock;
  /** How long a record at hand is believed in, in milliseconds. */
  readonly stalenessMaxMs: () => number;
}

const cacheBytesMax = 16 * MiB;
/**
 * A renewal between listing and reading moves the record; looking again finds it, and twice in a
 * row is bad luck enough.
 */
const attemptsMax = 3;
/** Roughly what one batch takes in a parsed record, and what the rest of it takes. */
const bytesPerBatch = 16;
const bytesPerRecord = 4096;
const ownersMax = 100_000;

/** Finds, reads and replaces commit records, and keeps those used last. */
export class RecordReader {
  readonly #store: ObjectStore;
  readonly #brokerId: string;
  readonly #peers: PeerBrokers | undefined;
  readonly #clock: Clock;
  readonly #stalenessMaxMs: () => number;
  /**
   * Looks that are under way, by the keys of their records: those who come meanwhile wait for the
   * same one.
   */
  readonly #looks = new Map<string, Promise<boolean>>();
  /**
   * Kept longer than records, because it is small: whose results were, of results that are removed
   * unopened.
   */
  readonly #owners = new LRUCache<RequestId, string>({
    maxSize: ownersMax,
    sizeCalculation: () => 1,
  });
  readonly #records = new LRUCache<RequestId, OpenRecord>({
    maxSize: cacheBytesMax,
    sizeCalculation: ({ record }) => bytesPerRecord + record.spans.ends.length * bytesPerBatch,
  });

  constructor({ store, brokerId, peers, clock, stalenessMaxMs }: RecordReaderParts) {
    this.#store = store;
    this.#brokerId = brokerId;
    this.#peers = peers;
    this.#clock = clock;
    this.#stalenessMaxMs = stalenessMaxMs;
  }

  cached(requestId: RequestId): OpenRecord | undefined {
    return this.#records.get(requestId);
  }

  /**
   * Whether a record at hand stands: somebody else may have removed or renewed the result since it
   * was last seen. No request while that is not long ago; then one, without a body, for all who ask
   * at the same time.
   */
  async stands(open: OpenRecord, { signal }: CallOptions): Promise<boolean> {
    if (this.#wasSeenRecently(open)) return true;
    const { recordKey } = open.entry;
    let look = this.#looks.get(recordKey);
    if (look === undefined) {
      look = this.#look(open).finally(() => this.#looks.delete(recordKey));
      this.#looks.set(recordKey, look);
    }
    return unlessAborted(look, signal);
  }

  /** The record of a live result, if it is believed in without a look, and may be read. */
  atHand(requestId: RequestId, mayRead?: (owner: string) => boolean): OpenRecord | undefined {
    const cached = this.cached(requestId);
    if (cached === undefined || mayRead?.(cached.record.owner) === false) return undefined;
    return this.#wasSeenRecently(cached) && !this.isExpired(cached.entry) ? cached : undefined;
  }

  isExpired({ expirationTimeMs }: ResultEntry): boolean {
    return expirationTimeMs <= this.#clock.nowMs();
  }

  #wasSeenRecently({ seenMs }: OpenRecord): boolean {
    return this.#clock.monotonicMs() - seenMs < this.#stalenessMaxMs();
  }

  async #look(open: OpenRecord): Promise<boolean> {
    const { requestId, recordKey } = open.entry;
    const seenMs = this.#clock.monotonicMs();
    const isThere = await this.#isThere(recordKey);
    // Not what was put in its place meanwhile, nor what this process has removed.
    if (this.#records.get(requestId)?.entry.recordKey === recordKey) {
      if (isThere) this.#records.set(requestId, { ...open, seenMs });
      else this.forget(requestId);
    }
    return isThere;
  }

  remember(open: OpenRecord): void {
    this.#records.set(open.entry.requestId, open);
    this.#owners.set(open.entry.requestId, open.record.owner);
  }

  /** Whose result it is, when that is known without a look into the store. */
  knownOwner(requestId: RequestId): string | undefined {
    return this.#owners.get(requestId);
  }

  /** Whose result it is; nobody's when its commit record cannot be read. */
  async ownerOf(entry: ResultEntry, options: CallOptions): Promise<string> {
    try {
      return (this.cached(entry.requestId) ?? (await this.read(entry, options))).record.owner;
    } catch (error) {
      if (isQuireError(error, 'RESULT_CORRUPT', 'RESULT_FORMAT_UNKNOWN', 'OBJECT_NOT_FOUND')) {
        return '';
      }
      throw error;
    }
  }

  forget(requestId: RequestId): void {
    this.#records.delete(requestId);
  }

  /**
   * Undefined when the result does not exist. One listing for a result of our own; for one of a
   * peer, at most one more for each peer that is known, and, when none of those has it, a look for
   * new ones.
   *
   * @throws RESULT_CORRUPT when its commit record stands without its data
   */
  async findEntry(requestId: RequestId, options: CallOptions): Promise<ResultEntry | undefined> {
    return (await this.#search(requestId, options)).entry;
  }

  async #search(requestId: RequestId, options: CallOptions): Promise<Found> {
    const { entry } = await this.#findIn([this.#brokerId], requestId, options);
    // What we run ourselves, we know without the store: a mark with our name is what an earlier
    // process has left.
    if (entry !== undefined || this.#peers === undefined) return { entry, runningKey: undefined };
    const known = await this.#findIn(this.#peers.known, requestId, options);
    if (known.entry !== undefined || known.runningKey !== undefined) return known;
    return this.#findIn(await this.#peers.lookForNew(requestId, options), requestId, options);
  }

  /** Asks all at once: that takes no longer than asking one. */
  async #findIn(
    brokerIds: readonly string[],
    requestId: RequestId,
    options: CallOptions,
  ): Promise<Found> {
    const found = await Promise.all(
      brokerIds.map(async (brokerId): Promise<Found> => {
        for await (const folder of listResultFolders(
          this.#store,
          resultPrefix(brokerId, requestId),
          options,
        )) {
          if (folder.entry === undefined) await this.#assertNotLost(brokerId, folder, options);
          const mark = folder.orphans.find(
            ({ key }) => parseResultObjectName(key)?.kind === 'running',
          );
          return { entry: folder.entry, runningKey: mark?.key };
        }
        return nothing;
      }),
    );
    return (
      found.find(({ entry }) => entry !== undefined) ??
      found.find(({ runningKey }) => runningKey !== undefined) ??
      nothing
    );
  }

  async #isThere(key: string, options?: CallOptions): Promise<boolean> {
    try {
      await this.#store.head(key, options);
      return true;
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      return false;
    }
  }

  /**
   * A listing is not a snapshot: it may show a commit record, and then miss the data that was
   * removed meanwhile. A removal takes the record first. So data that is missing while the record
   * still stands was lost.
   *
   * @throws RESULT_CORRUPT when a commit record stands without its data
   */
  async #assertNotLost(
    brokerId: string,
    { requestId, orphans }: ResultFolder,
    options: CallOptions,
  ): Promise<void> {
    const record = orphans.find(({ key }) => parseResultObjectName(key)?.kind === 'record');
    if (record === undefined) return;
    if (await this.#isThere(dataKeyOf(brokerId, requestId), options)) return;
    if (!(await this.#isThere(record.key, options))) return;
    const message = `The data file of ${requestId} is missing, though its commit record ${record.key} is there.`;
    throw new QuireError('RESULT_CORRUPT', message);
  }

  /**
   * As `findEntry`, and one read; undefined when the result does not exist.
   *
   * @throws QUERY_ELSEWHERE, to those who may read it, or else RESULT_NOT_FOUND, when another
   * broker makes it now
   */
  async find(
    requestId: RequestId,
    { mayRead, ...options }: OpenOptions,
  ): Promise<OpenRecord | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const { entry, runningKey } = await this.#search(requestId, options);
      if (entry === undefined && runningKey === undefined) return undefined;
      try {
        if (entry !== undefined) return await this.read(entry, options);
        const place = await readRunningPlace(
          this.#store,
          runningKey ?? '',
          this.#clock.nowMs(),
          options,
        );
        if (place === undefined) return undefined;
        throw mayRead === undefined || mayRead(place.owner)
          ? elsewhereError(requestId, place)
          : notFoundError(requestId);
      } catch (error) {
        if (attempt === attemptsMax || !isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      }
    }
  }

  /** Tells whether a commit record of a result stands, whether or not its data does. */
  async isCommitted({ brokerId, requestId }: ResultEntry, options: CallOptions): Promise<boolean> {
    for await (const { key } of this.#store.list(resultPrefix(brokerId, requestId), options)) {
      if (parseResultObjectName(key)?.kind === 'record') return true;
    }
    return false;
  }

  /** Does the work of `find` for a result that does not exist, and that of reading its record. */
  async findNothing(requestId: RequestId, options: CallOptions): Promise<void> {
    await this.findEntry(requestId, options);
    await this.readNothing(requestId, options);
  }

  /** Does the work of reading a record that is not there. */
  async readNothing(requestId: RequestId, options: CallOptions): Promise<void> {
    try {
      await readObject(this.#store, `${resultPrefix(this.#brokerId, requestId)}0`, options);
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
    }
  }

  /** @throws RESULT_CORRUPT when the record is damaged or speaks of another result than its name */
  async read(entry: ResultEntry, options: CallOptions): Promise<OpenRecord> {
    const seenMs = this.#clock.monotonicMs();
    const record = decodeCommitRecord(
      entry.recordKey,
      await readObject(this.#store, entry.recordKey, options),
    );
    if (record.requestId !== entry.requestId || record.rowCount !== entry.rowCount) {
      throw new QuireError(
        'RESULT_CORRUPT',
        `The commit record ${entry.recordKey} describes another result.`,
      );
    }
    const open = { entry, record, seenMs };
    this.remember(open);
    return open;
  }

  /**
   * Gives a result another expiry: new commit record first, then the old one goes, so that the
   * result never is without.
   *
   * @throws RESULT_DELETED when the record to be replaced is not there: the result went meanwhile,
   * or has another record since
   */
  async replace(
    { entry, record }: OpenRecord,
    expirationTimeMs: number,
    options: CallOptions,
  ): Promise<OpenRecord> {
    const newRecord = { ...record, expirationTimeMs };
    const recordKey = recordKeyOf(entry.brokerId, entry.requestId, newRecord);
    const bytes = encodeCommitRecord(newRecord);
    // Should this fail halfway, only the store can say which record stands.
    this.forget(entry.requestId);
    const seenMs = this.#clock.monotonicMs();
    await this.#store.put(recordKey, bytes, options);
    try {
      // A removal deletes this record first and then looks for newer ones: see `removeResult`.
      await this.#store.head(entry.recordKey, options);
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      // Another process removes the result: do not bring half of it back.
      await this.#store.delete(recordKey, options);
      throw removedError(entry.requestId, 'deleted');
    }
    await this.#store.delete(entry.recordKey, options);
    const open = {
      entry: {
        ...entry,
        recordKey,
        expirationTimeMs,
        sizeBytes: record.dataSizeBytes + bytes.byteLength,
      },
      record: newRecord,
      seenMs,
    };
    this.remember(open);
    return open;
  }
}
