import {
  type CallOptions,
  type Clock,
  createRequestId,
  isQuireError,
  isRequestId,
  type ObjectStore,
  type RequestId,
  systemClock,
  systemRandom,
} from '@quire/core';
import { listBrokerResults, measureUsage } from './catalog.ts';
import {
  checkCreateOptions,
  checkDurationMs,
  checkStoreOptions,
  checkTimeMs,
} from './check-options.ts';
import { type GrowResult, growingFiles } from './growing/growing-files.ts';
import { dataKeyOf, parseResultObjectName, resultPrefix } from './layout.ts';
import { ownerTag } from './owner-tag.ts';
import { PageReader } from './page-reader.ts';
import { PeerBrokers } from './peer-brokers.ts';
import { type OpenRecord, RecordReader } from './record-reader.ts';
import {
  notFoundError,
  type RemovalReason,
  removedError,
  RemovedResults,
} from './removed-results.ts';
import { removeExpired } from './remove-expired.ts';
import { removeResult } from './remove-result.ts';
import { type ResultAdmission, unlimitedAdmission } from './result-admission.ts';
import { ResultChanges } from './result-changes.ts';
import type { ResultEntry } from './result-entry.ts';
import type { ResultSource } from './result-source.ts';
import type { NewResult, OpenOptions, ResultStoreOptions } from './result-store-options.ts';
import { Result } from './result.ts';
import { StoredPages } from './stored-pages.ts';
import { type MarkRunning, markerOf } from './running-mark.ts';
import { writeResult } from './write-result.ts';
import { haveWritten, type ResultOrder, type ResultWriter } from './written-result.ts';

const stalenessMaxMsDefault = 5000;
/** Each failed attempt means that somebody else has just renewed the same result. */
const renewalAttemptsMax = 3;

/**
 * The results of one broker in an object store: created once, read page by page, renewed, deleted.
 *
 * A result exists from the moment its commit record does, which is after its data is durable; it
 * goes in the reverse order. So a crash at any point leaves a whole result or none, and at worst
 * data that no record names.
 */
export class ResultStore implements AsyncDisposable {
  readonly brokerId: string;
  /**
   * Prepares to read a result while it is written, which `create` or `createBy` then is given; the
   * caller ends it.
   */
  readonly grow: GrowResult;
  /**
   * Tells the other brokers of a shared store which one runs a query, until the mark is ended;
   * undefined when there are no others.
   */
  readonly markRunning: MarkRunning;
  readonly #store: ObjectStore;
  readonly #records: RecordReader;
  readonly #removed = new RemovedResults();
  readonly #pages: PageReader;
  readonly #source: StoredPages;
  readonly #changes: ResultChanges;
  readonly #clock: Clock;
  readonly #options: ResultStoreOptions;
  readonly #admission: ResultAdmission;

  /**
   * @throws INVALID_PARAMETER when the broker id cannot stand in object names, or another option is
   * out of its range
   */
  constructor(options: ResultStoreOptions) {
    checkStoreOptions(options);
    this.brokerId = options.brokerId;
    this.#store = options.store;
    this.#pages = new PageReader(options);
    this.grow = growingFiles(this.#pages.pool, options.tempDirectory);
    this.markRunning = markerOf(options);
    this.#clock = options.clock ?? systemClock;
    const peers =
      options.isShared === true
        ? new PeerBrokers(options.store, options.brokerId, this.#clock)
        : undefined;
    this.#records = new RecordReader({
      store: options.store,
      brokerId: options.brokerId,
      peers,
      clock: this.#clock,
      stalenessMaxMs: () => options.stalenessMaxMs ?? stalenessMaxMsDefault,
    });
    this.#source = new StoredPages({
      pages: this.#pages,
      records: this.#records,
      removed: this.#removed,
      open: (requestId, call) => this.#openRecord(requestId, call),
    });
    this.#options = options;
    this.#changes = new ResultChanges((this.#admission = options.admission ?? unlimitedAdmission));
  }

  /** Returns an id for a result of `owner`, with the owner tag by which quotas are shared. */
  newRequestId(owner: string): RequestId {
    const { random = systemRandom, ownerTagKey } = this.#options;
    return createRequestId(this.#clock, random, ownerTag(owner, ownerTagKey));
  }

  /**
   * Stores an answer whole; resolves once it is committed and durable. Memory: one batch, whatever
   * the size of the answer. When it rejects, nothing stays behind. The first batches stay at hand,
   * so that the first page reads nothing.
   *
   * @throws whatever the source throws
   * @throws INVALID_PARAMETER when an option is out of its range, or what should be a schema is not
   * @throws INVALID_BATCH when a batch is not what the schema says
   * @throws UNSUPPORTED_COLUMN_TYPE, QUERY_LIMIT_EXCEEDED, STORE_FULL, STORE_UNAVAILABLE, ABORTED
   */
  async create(source: ResultSource, options: NewResult): Promise<Result> {
    const written = await writeResult(source, {
      ...this.#orderOf(options),
      store: this.#store,
      cache: this.#pages.cache,
      pool: this.#pages.pool,
      clock: this.#clock,
      admission: this.#admission,
      growth: options.growth,
      signal: options.signal,
    });
    this.#records.remember(written);
    return this.#resultOf(written);
  }

  /**
   * Has an answer stored by a writer outside of this process, into the same store; otherwise as
   * `create`. Whatever becomes of the writer, a result stands that this returns, or none.
   */
  async createBy(writer: ResultWriter, options: NewResult): Promise<Result> {
    const parts = {
      store: this.#store,
      admission: this.#admission,
      cache: this.#pages.cache,
      clock: this.#clock,
    };
    const open = await haveWritten(writer, this.#orderOf(options), {
      ...parts,
      growth: options.growth,
    });
    this.#records.remember(open);
    return this.#resultOf(open);
  }

  /**
   * Opens a live result; without any request to the store when its commit record is at hand and was
   * seen there recently (`stalenessMaxMs`).
   *
   * @throws RESULT_NOT_FOUND when there never was such a result, as far as is remembered, or the
   * text is not a request id
   * @throws RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED when it is gone; QUERY_ELSEWHERE when
   * another broker still runs its query
   * @throws RESULT_CORRUPT when its commit record cannot be read, RESULT_FORMAT_UNKNOWN when a
   * newer version of Quire has stored it
   */
  async open(requestId: string, options: OpenOptions = {}): Promise<Result> {
    return this.#resultOf(await this.#openRecord(requestId, options));
  }

  /**
   * As `open`, of a live result whose commit record is at hand and was seen recently; undefined
   * when `open` has to look, or to refuse.
   */
  openAtHand(requestId: string, mayRead?: OpenOptions['mayRead']): Result | undefined {
    const isHere = isRequestId(requestId) && this.#removed.errorFor(requestId) === undefined;
    const open = isHere ? this.#records.atHand(requestId, mayRead) : undefined;
    return open && this.#resultOf(open);
  }

  /**
   * This broker's results from one listing, in the order of their ids, which is that of their time;
   * opens no object.
   */
  list(options: CallOptions = {}): AsyncIterable<ResultEntry> {
    return listBrokerResults(this.#store, this.brokerId, options);
  }

  /**
   * Deletes a result: commit record first, then data.
   *
   * @throws as `open`
   */
  async delete(
    requestId: string,
    options: CallOptions & { readonly reason?: RemovalReason } = {},
  ): Promise<ResultEntry> {
    if (!isRequestId(requestId)) throw notFoundError(requestId);
    return this.#changes.run(requestId, async () => {
      const entry = await this.#findLive(requestId, options);
      await this.#remove(
        entry,
        options.reason ?? 'deleted',
        await this.#records.ownerOf(entry, options),
        options,
      );
      return entry;
    });
  }

  /**
   * Removes a result as a listing has shown it, for a cleaner: opens no object, so that its owner
   * is told why it is gone only while this process remembers whose it was. Resolves to `kept` when
   * it was renewed since.
   */
  async remove(
    entry: ResultEntry,
    reason: RemovalReason,
    options: CallOptions = {},
  ): Promise<'removed' | 'kept'> {
    return this.#changes.run(entry.requestId, async () => {
      const onUncommitted = (): void => {
        this.#records.forget(entry.requestId);
        this.#removed.add(entry.requestId, reason, this.#records.knownOwner(entry.requestId));
      };
      const outcome = await removeResult(this.#store, entry, {
        ...options,
        onUncommitted,
        isHeardLater: reason === 'expired',
      });
      if (outcome === 'removed') this.#admission.removed(entry.requestId, entry.sizeBytes);
      return outcome;
    });
  }

  /**
   * Deletes every result with `expirationTimeMs <= cutoffMs`, going on past failures, and opens
   * none; resolves to how many went.
   *
   * @throws STORE_UNAVAILABLE when some could not be deleted
   */
  async deleteExpired(cutoffMs: number, options: CallOptions = {}): Promise<number> {
    checkTimeMs('cutoffMs', cutoffMs);
    const nowMs = this.#clock.nowMs();
    const reasonOf = (entry: ResultEntry): RemovalReason =>
      entry.expirationTimeMs <= nowMs ? 'expired' : 'deleted';
    return removeExpired(
      this.list(options),
      cutoffMs,
      (entry) => this.remove(entry, reasonOf(entry), options),
      options,
    );
  }

  /**
   * Lets a result live for `durationMs` from now, at most for the ceiling; never changes its rows.
   *
   * @throws INVALID_PARAMETER when `durationMs` is not an integer of at least 1
   * @throws as `open`
   */
  async renew(
    requestId: string,
    durationMs: number,
    options: CallOptions = {},
  ): Promise<ResultEntry> {
    checkDurationMs('durationMs', durationMs);
    if (!isRequestId(requestId)) throw notFoundError(requestId);
    return this.#changes.run(requestId, async () => {
      for (let attempt = 1; ; attempt += 1) {
        const open = await this.#openRecord(requestId, options);
        const expirationTimeMs =
          this.#clock.nowMs() + Math.min(durationMs, this.#options.expirationMaxMs);
        if (expirationTimeMs === open.entry.expirationTimeMs) return open.entry;
        try {
          return (await this.#records.replace(open, expirationTimeMs, options)).entry;
        } catch (error) {
          // What was at hand was not the last record, perhaps: another process, or a renewal that
          // failed, has replaced it.
          if (!isQuireError(error, 'RESULT_DELETED')) throw error;
          const isThere = (await this.#records.findEntry(requestId, options)) !== undefined;
          if (isThere && attempt < renewalAttemptsMax) continue;
          if (!isThere) this.#removed.add(requestId, 'deleted', open.record.owner);
          throw error;
        }
      }
    });
  }

  /** Bytes and number of this broker's results, from one listing. */
  async usage(
    options: CallOptions = {},
  ): Promise<{ readonly sizeBytes: number; readonly resultCount: number }> {
    return measureUsage(this.list(options));
  }

  /** Whose result it was, of one that is gone, while that is remembered. */
  ownerOfRemoved(requestId: string): string | undefined {
    return isRequestId(requestId) ? this.#removed.ownerOf(requestId) : undefined;
  }

  /** Closes the object store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages.close();
    await this.#store[Symbol.asyncDispose]();
  }

  /** What a writer has to know of a new result, as the settings are now. */
  #orderOf(options: NewResult): ResultOrder {
    checkCreateOptions(options);
    const { owner, requestId = this.newRequestId(owner) } = options;
    const {
      expirationMs,
      compression = 'none',
      resultBytesMax: sizeBytesMax = 0,
      batchSizeBytes,
    } = this.#options;
    checkDurationMs('expirationMs', expirationMs); // which may have changed since the last time
    return {
      brokerId: this.brokerId,
      requestId,
      owner,
      expirationMs,
      compression,
      batchSizeBytes,
      sizeBytesMax,
    };
  }

  async #openRecord(requestId: string, { mayRead, ...options }: OpenOptions): Promise<OpenRecord> {
    if (!isRequestId(requestId)) throw notFoundError(requestId);
    const gone = this.#removed.errorFor(requestId);
    if (gone !== undefined) {
      const owner = this.#removed.ownerOf(requestId);
      const mayKnow = mayRead === undefined || (owner !== undefined && mayRead(owner));
      if (!mayKnow) await this.#records.findNothing(requestId, options);
      throw gone;
    }
    const cached = this.#records.cached(requestId);
    const isAtHand =
      cached !== undefined && (mayRead === undefined || mayRead(cached.record.owner));
    const isLive = cached !== undefined && cached.entry.expirationTimeMs > this.#clock.nowMs();
    if (isAtHand && isLive && (await this.#records.stands(cached, options))) return cached;
    // Another process may have renewed it meanwhile, so only the store can say that it has expired.
    const open = await this.#records.find(requestId, { ...options, mayRead });
    if (open === undefined) {
      if (mayRead !== undefined) await this.#records.readNothing(requestId, options);
      if (cached === undefined) throw notFoundError(requestId);
      const reason = isLive ? 'deleted' : 'expired';
      this.#records.forget(requestId);
      this.#removed.add(requestId, reason, cached.record.owner);
      throw this.#removed.errorFor(requestId) ?? removedError(requestId, reason);
    }
    if (open.entry.expirationTimeMs > this.#clock.nowMs()) return open;
    this.#removed.add(requestId, 'expired', open.record.owner);
    throw removedError(requestId, 'expired');
  }

  #resultOf(open: OpenRecord): Result {
    return new Result(open.entry, open.record, this.#source.of(open));
  }

  async #remove(
    entry: ResultEntry,
    reason: RemovalReason,
    owner: string,
    options: CallOptions,
  ): Promise<void> {
    this.#records.forget(entry.requestId);
    for await (const object of this.#store.list(
      resultPrefix(entry.brokerId, entry.requestId),
      options,
    )) {
      if (parseResultObjectName(object.key)?.kind === 'record') {
        await this.#store.delete(object.key, options);
      }
    }
    this.#removed.add(entry.requestId, reason, owner);
    await this.#store.delete(dataKeyOf(entry.brokerId, entry.requestId), options);
    if (entry.brokerId === this.brokerId) this.#admission.removed(entry.requestId, entry.sizeBytes);
  }

  /**
   * The entry of a live result, whose commit record may be damaged: also such a result can be
   * deleted.
   */
  async #findLive(requestId: RequestId, options: CallOptions): Promise<ResultEntry> {
    try {
      return (await this.#openRecord(requestId, options)).entry;
    } catch (error) {
      const entry = isQuireError(error, 'RESULT_CORRUPT', 'RESULT_FORMAT_UNKNOWN')
        ? await this.#records.findEntry(requestId, options)
        : undefined;
      if (entry === undefined) throw error;
      return entry;
    }
  }
}
