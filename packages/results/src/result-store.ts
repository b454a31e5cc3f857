import {
  type CallOptions,
  type Clock,
  createRequestId,
  isQuireError,
  isRequestId,
  type ObjectStore,
  ownerTagOf,
  QuireError,
  type RequestId,
  systemClock,
  systemRandom,
  throwIfAborted,
} from '@quire/core';
import { KeyedQueue } from '@quire/core/wait';
import { listBrokerResults, measureUsage } from './catalog.ts';
import {
  checkCreateOptions,
  checkDurationMs,
  checkStoreOptions,
  checkTimeMs,
} from './check-options.ts';
import { type GrowResult, growingFiles } from './growing/growing-files.ts';
import { ownerTag } from './owner-tag.ts';
import { PageReader } from './page-reader.ts';
import { PeerBrokers } from './peer-brokers.ts';
import { LiveResults } from './live-results.ts';
import type { OpenRecord } from './commit-record.ts';
import { RecordCache } from './record-cache.ts';
import { notFoundError, type RemovalReason } from './removed-results.ts';
import { removeEach } from './remove-each.ts';
import { type RemoveOptions, removeResult } from './remove-result.ts';
import { replaceRecord } from './renewal.ts';
import { type ResultAdmission, unlimitedAdmission } from './result-admission.ts';
import { newestFirst, type ResultEntry } from './result-entry.ts';
import { ResultFinder } from './result-finder.ts';
import type { ResultSource } from './result-source.ts';
import type { NewResult, OpenOptions, ResultStoreOptions } from './result-store-options.ts';
import { Result } from './result.ts';
import { storedPages } from './stored-pages.ts';
import type { PageThreads } from './threads/page-threads.ts';
import { type MarkRunning, markerOf } from './running-mark.ts';
import { writeResult } from './write-result.ts';
import { RemoteWrite, type ResultOrder } from './remote-write.ts';

const stalenessMaxMsDefault = 5000;
/**
 * The number of attempts of a renewal. Those that fail because another process has just renewed the
 * same result do not count.
 */
const renewalAttemptsMax = 3;
/** The stored length of a query's text: an entry of a list stays below 64 KiB of JSON. */
const sqlLengthMax = 8192;
/** The number of commit records that a list of an owner's results reads concurrently. */
const readsMax = 16;
const unreadableCodes = ['OBJECT_NOT_FOUND', 'RESULT_CORRUPT', 'RESULT_FORMAT_UNKNOWN'] as const;
/** The number of concurrent removals of one `deleteExpired`. */
const removalsMax = 16;

/**
 * The results of one broker in an object store: created once, read page by page, renewed, deleted.
 *
 * A result exists as soon as its commit record does, which is after its data is durable; it is
 * removed in the reverse order. So a crash at any point leaves a whole result or none, and at worst
 * data without a record.
 */
export class ResultStore implements AsyncDisposable {
  readonly brokerId: string;
  /** Prepares a result to be read while `create` or `startWrite` writes it; the caller ends it. */
  readonly grow: GrowResult;
  /**
   * Marks a query as running on this broker for the other brokers of a shared store, until the mark
   * is ended; undefined if there are no others.
   */
  readonly markRunning: MarkRunning;
  /** The threads that encode large pages. */
  readonly pageThreads: PageThreads | undefined;
  readonly #store: ObjectStore;
  readonly #live: LiveResults;
  readonly #finder: ResultFinder;
  readonly #pages: PageReader;
  /** Runs renewals and removals of one result sequentially. */
  readonly #changes = new KeyedQueue<RequestId>();
  readonly #clock: Clock;
  readonly #options: ResultStoreOptions;
  readonly #admission: ResultAdmission;

  /**
   * Creates the store of results.
   *
   * @throws INVALID_PARAMETER when the broker id cannot be part of object names, or another option
   *   is out of range
   */
  constructor(options: ResultStoreOptions) {
    checkStoreOptions(options);
    this.brokerId = options.brokerId;
    this.#store = options.store;
    this.pageThreads = options.pageThreads;
    this.#pages = new PageReader(options);
    this.grow = growingFiles(this.#pages, options.tempDirectory);
    this.markRunning = markerOf(options);
    const { store, brokerId, clock = systemClock } = options;
    this.#clock = clock;
    const peers = options.isShared === true ? new PeerBrokers(store, brokerId, clock) : undefined;
    this.#finder = new ResultFinder({ store, brokerId, peers, clock });
    const stalenessMaxMs = (): number => options.stalenessMaxMs ?? stalenessMaxMsDefault;
    const cache = new RecordCache({ store, clock, stalenessMaxMs });
    this.#live = new LiveResults({ cache, finder: this.#finder, clock });
    this.#options = options;
    this.#admission = options.admission ?? unlimitedAdmission;
  }

  /** Returns an id for a result of `owner`, with the owner tag by which quotas are shared. */
  newRequestId(owner: string): RequestId {
    const { random = systemRandom, ownerTagKey } = this.#options;
    return createRequestId(this.#clock, random, ownerTag(owner, ownerTagKey));
  }

  /**
   * Stores a whole answer; resolves once it is committed and durable.
   *
   * Memory: one batch, regardless of the size of the answer. If it rejects, nothing is left behind.
   * The first batches are cached, so that the first page needs no read.
   *
   * @throws any error of the source
   * @throws INVALID_PARAMETER when an option is out of range, or the schema is not one
   * @throws INVALID_BATCH when a batch does not match the schema
   * @throws UNSUPPORTED_COLUMN_TYPE, QUERY_LIMIT_EXCEEDED, STORE_FULL, STORE_UNAVAILABLE, ABORTED
   */
  async create(source: ResultSource, options: NewResult): Promise<Result> {
    const order = this.#orderOf(options);
    const written = await writeResult(source, {
      ...order,
      store: this.#store,
      cache: this.#pages.cache,
      pool: this.#pages.pool,
      clock: this.#clock,
      reserve: () => this.#admission.reserve(order.requestId),
      growth: options.growth,
      signal: options.signal,
    });
    this.#live.add(written);
    return this.#resultOf(written);
  }

  /**
   * Prepares a result that another process writes into the same store; otherwise as `create`. The
   * caller finishes it with `commit` or `fail`.
   *
   * @throws INVALID_PARAMETER when an option is out of range
   */
  startWrite(options: Omit<NewResult, 'signal'>): RemoteWrite {
    const order = this.#orderOf(options);
    return new RemoteWrite(order, {
      store: this.#store,
      cache: this.#pages.cache,
      clock: this.#clock,
      reservation: this.#admission.reserve(order.requestId),
      growthPath: options.growth?.path,
      open: (written) => {
        this.#live.add(written);
        return this.#resultOf(written);
      },
    });
  }

  /**
   * Opens a live result. Makes no store request if its commit record is cached and was recently
   * seen there (`stalenessMaxMs`).
   *
   * @throws RESULT_NOT_FOUND when no such result is known, the text is not a request id, or the
   *   caller may not read it
   * @throws RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED when it no longer exists;
   *   QUERY_ELSEWHERE when another broker still runs its query
   * @throws RESULT_CORRUPT when its commit record cannot be read, RESULT_FORMAT_UNKNOWN when a
   *   newer version of Quire has stored it
   */
  async open(requestId: string, options: OpenOptions = {}): Promise<Result> {
    return this.#resultOf(await this.#live.open(requestId, options));
  }

  /**
   * Opens a result as `open` does if no store request is needed and it is not refused; otherwise
   * returns undefined.
   */
  openCached(requestId: string, mayRead?: OpenOptions['mayRead']): Result | undefined {
    const open = isRequestId(requestId) ? this.#live.openCached(requestId, mayRead) : undefined;
    return open && this.#resultOf(open);
  }

  /**
   * Lists this broker's results from one listing, in the order of their ids, which is also that of
   * their times; opens no object.
   */
  list(options: CallOptions = {}): AsyncIterable<ResultEntry> {
    return listBrokerResults(this.#store, this.brokerId, options);
  }

  /**
   * Opens the newest live results of an owner on this broker, newest first, from one listing and at
   * most one read each. Those that have just been removed, or cannot be read, are missing, and so
   * are those whose ids have no owner tag, or one of another key.
   */
  async listOwned(
    owner: string,
    { countMax, ...options }: CallOptions & { readonly countMax: number },
  ): Promise<readonly Result[]> {
    const nowMs = this.#clock.nowMs();
    const tag = ownerTag(owner, this.#options.ownerTagKey);
    const entries: ResultEntry[] = [];
    for await (const entry of this.list(options)) {
      if (ownerTagOf(entry.requestId) === tag && entry.expirationTimeMs > nowMs) {
        entries.push(entry);
      }
    }
    const newest = entries.toSorted(newestFirst).slice(0, countMax);
    const found: Result[] = [];
    for (let start = 0; start < newest.length; start += readsMax) {
      const opening = newest.slice(start, start + readsMax).map(async (entry) => {
        try {
          return this.#resultOf(await this.#live.openListed(entry, options));
        } catch (error) {
          if (isQuireError(error, ...unreadableCodes)) return undefined;
          throw error;
        }
      });
      // The tag only narrows the search: two owners may have the same tag.
      for (const result of await Promise.all(opening)) {
        if (result?.owner === owner) found.push(result);
      }
    }
    return found;
  }

  /**
   * Deletes a result, renewed or not: commit record first, then data.
   *
   * @throws as `open`
   */
  async delete(
    requestId: string,
    {
      reason = 'deleted',
      ...options
    }: OpenOptions & { readonly reason?: RemovalReason | undefined } = {},
  ): Promise<ResultEntry> {
    return this.#change(requestId, async (id) => {
      const { entry, owner } = await this.#live.findToDelete(id, options);
      const { signal } = options;
      await this.#remove(entry, { reason, owner, signal, includesRenewed: true });
      return entry;
    });
  }

  /**
   * Removes a result from a listing, for a cleaner. It opens no object, so the owner later learns
   * the reason only if this process still has the owner cached. Resolves to `kept` if it was
   * renewed after the listing.
   */
  async remove(
    entry: ResultEntry,
    reason: RemovalReason,
    options: CallOptions = {},
  ): Promise<'removed' | 'kept'> {
    return this.#change(entry.requestId, () => this.#remove(entry, { ...options, reason }));
  }

  /**
   * Deletes every result with `expirationTimeMs <= cutoffMs` without opening it, and continues
   * after failures; resolves to the number of deleted results.
   *
   * @throws STORE_UNAVAILABLE when some could not be deleted
   */
  async deleteExpired(cutoffMs: number, options: CallOptions = {}): Promise<number> {
    checkTimeMs('cutoffMs', cutoffMs);
    const nowMs = this.#clock.nowMs();
    const reasonOf = (entry: ResultEntry): RemovalReason =>
      entry.expirationTimeMs <= nowMs ? 'expired' : 'deleted';
    const counts = { removed: 0, kept: 0, failed: 0, skipped: 0 };
    const causes: unknown[] = [];
    await removeEach(
      this.#listExpired(cutoffMs, options),
      (entry) => this.remove(entry, reasonOf(entry), options),
      (_entry, outcome, error) => {
        counts[outcome] += 1;
        if (outcome === 'failed') causes.push(error);
      },
      { concurrencyMax: removalsMax, signal: options.signal },
    );
    throwIfAborted(options.signal);
    const failedCount = counts.failed + counts.skipped;
    if (failedCount === 0) return counts.removed;
    throw new QuireError(
      'STORE_UNAVAILABLE',
      `${failedCount} expired results could not be deleted; ${counts.removed} were deleted.`,
      { cause: new AggregateError(causes) },
    );
  }

  /**
   * Sets the expiry of a result to `durationMs` from now, limited to the maximum; never changes its
   * rows.
   *
   * @throws INVALID_PARAMETER when `durationMs` is not an integer of at least 1
   * @throws as `open`
   */
  async renew(
    requestId: string,
    durationMs: number,
    options: OpenOptions = {},
  ): Promise<ResultEntry> {
    checkDurationMs('durationMs', durationMs);
    return this.#change(requestId, async (id) => {
      const call = { signal: options.signal };
      for (let attempt = 1; ; attempt += 1) {
        const open = await this.#live.open(id, options);
        const expirationTimeMs =
          this.#clock.nowMs() + Math.min(durationMs, this.#options.expirationMaxMs);
        if (expirationTimeMs === open.entry.expirationTimeMs) return open.entry;
        this.#live.forget(id); // if it fails halfway, only the store knows which record counts
        try {
          const renewed = await replaceRecord(
            this.#store,
            this.#clock,
            open,
            expirationTimeMs,
            call,
          );
          this.#live.add(renewed);
          return renewed.entry;
        } catch (error) {
          // Another process, or a failed renewal, may have replaced the record.
          if (!isQuireError(error, 'RESULT_DELETED')) throw error;
          const current = await this.#finder.findEntry(id, call);
          if (current === undefined) throw this.#live.gone(open, 'deleted');
          const isReplaced = current.recordKey !== open.entry.recordKey;
          if (!isReplaced && attempt >= renewalAttemptsMax) throw error;
        }
      }
    });
  }

  /** Returns the total size and number of this broker's results, from one listing. */
  async usage(
    options: CallOptions = {},
  ): Promise<{ readonly sizeBytes: number; readonly resultCount: number }> {
    return measureUsage(this.list(options));
  }

  /** Closes the object store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages.close();
    await this.#store[Symbol.asyncDispose]();
  }

  /** Returns the order for the writer of a new result, according to the current settings. */
  #orderOf(options: Omit<NewResult, 'signal'>): ResultOrder {
    checkCreateOptions(options);
    const { owner, requestId = this.newRequestId(owner) } = options;
    const {
      expirationMs: expirationMsDefault,
      expirationMaxMs,
      compression = 'none',
      resultBytesMax: sizeBytesMax = 0,
      batchSizeBytes,
    } = this.#options;
    const expirationMs = Math.min(options.expirationMs ?? expirationMsDefault, expirationMaxMs);
    checkDurationMs('expirationMs', expirationMs); // the settings may have changed since the last result
    return {
      brokerId: this.brokerId,
      requestId,
      owner,
      sql: options.sql?.slice(0, sqlLengthMax),
      expirationMs,
      compression,
      batchSizeBytes,
      sizeBytesMax,
    };
  }

  #resultOf(open: OpenRecord): Result {
    return new Result(open.entry, open.record, storedPages(open, this.#live, this.#pages));
  }

  /** Runs a change after earlier ones of the same result, and reports it even if it failed. */
  async #change<T>(requestId: string, change: (requestId: RequestId) => Promise<T>): Promise<T> {
    if (!isRequestId(requestId)) throw notFoundError(requestId);
    try {
      return await this.#changes.run(requestId, () => change(requestId));
    } finally {
      this.#admission.changed?.(requestId);
    }
  }

  /** Removes a result of a broker; every removal uses this method. */
  async #remove(
    entry: ResultEntry,
    options: RemoveOptions & {
      readonly reason: RemovalReason;
      readonly owner?: string | undefined;
    },
  ): Promise<'removed' | 'kept'> {
    const { requestId, sizeBytes } = entry;
    const { owner, ...removal } = options;
    using _ = this.#live.beginRemoval(requestId, removal.reason);
    const outcome = await removeResult(this.#store, entry, {
      ...removal,
      onUncommitted: () => void this.#live.remove(requestId, removal.reason, owner),
    });
    // A sweep and a call may remove the same listed result: the second one frees nothing.
    const isFreed = outcome === 'removed' && this.#live.noteFreed(requestId);
    if (isFreed && entry.brokerId === this.brokerId) {
      this.#admission.removed(requestId, sizeBytes);
    }
    return outcome;
  }

  async *#listExpired(cutoffMs: number, options: CallOptions): AsyncGenerator<ResultEntry> {
    for await (const entry of this.list(options)) {
      if (entry.expirationTimeMs <= cutoffMs) yield entry;
    }
  }
}
