import {
  type CallOptions,
  type Clock,
  isQuireError,
  type ObjectStore,
  QuireError,
  readObject,
  type RequestId,
} from '@quire/core';
import { readResultFolder, type ResultFolder } from './catalog.ts';
import { decodeCommitRecord } from './commit-record.ts';
import { dataKeyOf, parseResultObjectName, resultPrefix } from './layout.ts';
import type { PeerBrokers } from './peer-brokers.ts';
import type { OpenRecord } from './commit-record.ts';
import { lostDataError, notFoundError } from './removed-results.ts';
import type { OpenOptions } from './result-store-options.ts';
import type { ResultEntry } from './result-entry.ts';
import { elsewhereError, readRunningPlace } from './running-mark.ts';

/** The objects that the store has for an id. */
interface Found {
  readonly entry: ResultEntry | undefined;
  /** The mark of a query that another broker runs. */
  readonly runningKey: string | undefined;
}

const nothing: Found = { entry: undefined, runningKey: undefined };

interface ResultFinderParts {
  readonly store: ObjectStore;
  readonly brokerId: string;
  /** If set, results of other brokers in the same store are found as well. */
  readonly peers: PeerBrokers | undefined;
  readonly clock: Clock;
}

/**
 * The number of attempts to read one record. A renewal between listing and reading replaces it; the
 * next attempt finds the new one.
 */
const attemptsMax = 3;

/** Finds results in the store with listings, and reads their commit records. */
export class ResultFinder {
  readonly #store: ObjectStore;
  readonly #brokerId: string;
  readonly #peers: PeerBrokers | undefined;
  readonly #clock: Clock;

  constructor({ store, brokerId, peers, clock }: ResultFinderParts) {
    this.#store = store;
    this.#brokerId = brokerId;
    this.#peers = peers;
    this.#clock = clock;
  }

  /**
   * Finds the entry of a result; undefined if it does not exist. Makes one listing for a result of
   * this broker. For one of a peer, it makes at most one more for each known peer and, if none has
   * it, a search for new ones.
   *
   * @throws RESULT_CORRUPT when its commit record exists and its data does not
   */
  async findEntry(requestId: RequestId, options: CallOptions): Promise<ResultEntry | undefined> {
    return (await this.#search(requestId, options)).entry;
  }

  /**
   * Finds a result as `findEntry` does and reads its record; undefined if it does not exist.
   *
   * @throws RESULT_CORRUPT when the record is damaged or describes another result
   * @throws QUERY_ELSEWHERE, or RESULT_NOT_FOUND for callers who may not read it, when another
   *   broker runs the query
   */
  async find(
    requestId: RequestId,
    { mayRead, ...options }: OpenOptions,
  ): Promise<OpenRecord | undefined> {
    let before: ResultEntry | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const { entry, runningKey } = await this.#search(requestId, options);
      if (entry === undefined && runningKey === undefined) return undefined;
      // Another record than before: the result lives, and was renewed once more.
      if (entry?.recordKey !== before?.recordKey) attempt = 1;
      before = entry;
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

  /**
   * Reads the commit record that an entry of a listing names.
   *
   * @throws OBJECT_NOT_FOUND when it has been removed or replaced since
   * @throws RESULT_CORRUPT when it is damaged or describes another result
   */
  async read(entry: ResultEntry, options: CallOptions): Promise<OpenRecord> {
    const seenMs = this.#clock.monotonicMs();
    const bytes = await readObject(this.#store, entry.recordKey, options);
    const record = decodeCommitRecord(entry.recordKey, bytes);
    if (record.requestId !== entry.requestId || record.rowCount !== entry.rowCount) {
      throw new QuireError(
        'RESULT_CORRUPT',
        `The commit record ${entry.recordKey} describes another result.`,
      );
    }
    return { entry, record, seenMs };
  }

  /**
   * Makes the same requests as `find` and a read of the record, for a result that does not exist.
   */
  async findNothing(requestId: RequestId, options: CallOptions): Promise<void> {
    await this.findEntry(requestId, options);
    await this.readNothing(requestId, options);
  }

  /** Makes the request of reading a record that does not exist. */
  async readNothing(requestId: RequestId, options: CallOptions): Promise<void> {
    try {
      await readObject(this.#store, `${resultPrefix(this.#brokerId, requestId)}0`, options);
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
    }
  }

  /** Reports whether the result has a commit record, whether or not its data exists. */
  async isCommitted(
    { brokerId, requestId }: Pick<ResultEntry, 'brokerId' | 'requestId'>,
    options: CallOptions,
  ): Promise<boolean> {
    for await (const { key } of this.#store.list(resultPrefix(brokerId, requestId), options)) {
      if (parseResultObjectName(key)?.kind === 'record') return true;
    }
    return false;
  }

  async #search(requestId: RequestId, options: CallOptions): Promise<Found> {
    const { entry } = await this.#findIn([this.#brokerId], requestId, options);
    // This process knows its own queries: a mark with its own broker id was left by an earlier
    // process.
    if (entry !== undefined || this.#peers === undefined) return { entry, runningKey: undefined };
    const { known } = this.#peers; // others may become known during the search
    const found = await this.#findIn(known, requestId, options);
    if (found.entry !== undefined || found.runningKey !== undefined) return found;
    const others = await this.#peers.lookForNew(requestId, known, options);
    return this.#findIn(others, requestId, options);
  }

  /** Searches all brokers concurrently, which takes no longer than one search. */
  async #findIn(
    brokerIds: readonly string[],
    requestId: RequestId,
    options: CallOptions,
  ): Promise<Found> {
    const found = await Promise.all(
      brokerIds.map(async (brokerId): Promise<Found> => {
        const folder = await readResultFolder(
          this.#store,
          resultPrefix(brokerId, requestId),
          options,
        );
        if (folder === undefined) return nothing;
        if (folder.entry === undefined) await this.#assertNotLost(folder, options);
        return { entry: folder.entry, runningKey: keyOfKind(folder, 'running') };
      }),
    );
    return (
      found.find(({ entry }) => entry !== undefined) ??
      found.find(({ runningKey }) => runningKey !== undefined) ??
      nothing
    );
  }

  /**
   * Checks that data is not missing while the result is still committed. A listing is not a
   * snapshot: it may include a commit record and then miss data that was removed in between. A
   * removal deletes the record first, so data that is missing while the record exists was lost.
   */
  async #assertNotLost(folder: ResultFolder, options: CallOptions): Promise<void> {
    const dataKey = dataKeyOf(folder.brokerId, folder.requestId);
    if (keyOfKind(folder, 'record') === undefined) return;
    if (await isStored(this.#store, dataKey, options)) return;
    if (await this.isCommitted(folder, options)) throw lostDataError(dataKey);
  }
}

function keyOfKind({ orphans }: ResultFolder, kind: 'record' | 'running'): string | undefined {
  return orphans.find(({ key }) => parseResultObjectName(key)?.kind === kind)?.key;
}

/** Reports whether the store has an object. */
export async function isStored(
  store: Pick<ObjectStore, 'head'>,
  key: string,
  options?: CallOptions,
): Promise<boolean> {
  try {
    await store.head(key, options);
    return true;
  } catch (error) {
    if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
    return false;
  }
}
