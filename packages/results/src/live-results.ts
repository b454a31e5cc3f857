import {
  type CallOptions,
  type Clock,
  isQuireError,
  isRequestId,
  type QuireError,
  type RequestId,
} from '@quire/core';
import type { OpenRecord } from './commit-record.ts';
import type { RecordCache } from './record-cache.ts';
import {
  lostDataError,
  notFoundError,
  type Removal,
  type RemovalReason,
  removedError,
  RemovedResults,
} from './removed-results.ts';
import type { ResultEntry } from './result-entry.ts';
import type { ResultFinder } from './result-finder.ts';
import type { OpenOptions } from './result-store-options.ts';

type MayRead = OpenOptions['mayRead'];

/**
 * Decides which results are live, and why others are not: expired, evicted, deleted, lost. Every
 * open, read, renewal and removal of a result checks here.
 */
export class LiveResults {
  readonly #cache: RecordCache;
  readonly #finder: ResultFinder;
  readonly #clock: Clock;
  readonly #removed = new RemovedResults();
  /** The reasons of the removals in progress. */
  readonly #removing = new Map<RequestId, RemovalReason>();
  /** The records that this process has written. */
  readonly #written = new WeakSet<OpenRecord>();

  constructor(parts: {
    readonly cache: RecordCache;
    readonly finder: ResultFinder;
    readonly clock: Clock;
  }) {
    this.#cache = parts.cache;
    this.#finder = parts.finder;
    this.#clock = parts.clock;
  }

  /**
   * Returns the record of a live result.
   *
   * @throws as `ResultStore.open`
   */
  async open(requestId: string, options: OpenOptions): Promise<OpenRecord> {
    const { mayRead, ...call } = options;
    if (!isRequestId(requestId)) throw notFoundError(requestId);
    const removal = this.#removed.get(requestId);
    if (removal !== undefined) {
      if (mayRead?.(removal.owner) === false) await this.#finder.findNothing(requestId, call);
      throw missingError(requestId, removal, mayRead);
    }
    const cached = this.#cache.get(requestId);
    const isLive = cached !== undefined && this.#isLive(cached);
    if (isLive && mayRead?.(cached.record.owner) !== false) {
      if (await this.#cache.confirm(cached, call)) return cached;
    }
    // Another process may have renewed it, so only the store knows whether it has expired.
    const found = await this.#finder.find(requestId, options);
    if (found === undefined) {
      if (mayRead !== undefined) await this.#finder.readNothing(requestId, call);
      if (cached === undefined) throw notFoundError(requestId);
      throw this.gone(cached, isLive ? 'deleted' : 'expired', mayRead);
    }
    const open = this.#addRead(found, cached);
    if (!this.#isLive(open)) {
      // Not recorded: a renewal may be in progress, or begin on a broker whose clock is behind.
      const removal = { reason: 'expired', owner: open.record.owner } as const;
      throw missingError(requestId, removal, mayRead);
    }
    if (mayRead?.(open.record.owner) === false) throw notFoundError(requestId);
    return open;
  }

  /**
   * Opens a result as `open` does if no store request is needed and it is not refused; otherwise
   * returns undefined.
   */
  openCached(requestId: RequestId, mayRead?: MayRead): OpenRecord | undefined {
    const open = this.#cache.get(requestId);
    if (open === undefined || this.#removed.get(requestId) !== undefined) return undefined;
    const isOpen = this.#cache.isFresh(open) && this.#isLive(open);
    return isOpen && mayRead?.(open.record.owner) !== false ? open : undefined;
  }

  /**
   * Returns the record of a result that a listing has just shown: the cached one if it is the same,
   * which costs no request, otherwise with one read.
   *
   * @throws as `ResultFinder.read`
   */
  async openListed(entry: ResultEntry, options: CallOptions): Promise<OpenRecord> {
    const cached = this.#cache.get(entry.requestId);
    if (cached?.entry.recordKey === entry.recordKey) return cached;
    return this.#addRead(await this.#finder.read(entry, options), cached);
  }

  /**
   * Finds a live result to delete it. Its commit record may be damaged, for callers who may read
   * results of unknown owners.
   *
   * @throws as `open`
   */
  async findToDelete(
    requestId: RequestId,
    options: OpenOptions,
  ): Promise<{ readonly entry: ResultEntry; readonly owner: string | undefined }> {
    try {
      const { entry, record } = await this.open(requestId, options);
      return { entry, owner: record.owner };
    } catch (error) {
      const { mayRead, ...call } = options;
      if (!isQuireError(error, 'RESULT_CORRUPT', 'RESULT_FORMAT_UNKNOWN')) throw error;
      if (mayRead?.(undefined) === false) throw error;
      const entry = await this.#finder.findEntry(requestId, call);
      if (entry === undefined) throw error;
      return { entry, owner: undefined };
    }
  }

  /** Adds a result that has been stored, or whose record was replaced. */
  add(open: OpenRecord): void {
    this.#written.add(open);
    this.#cache.set(open);
  }

  /** Drops the cached record, because only the store has the current one. */
  forget(requestId: RequestId): void {
    this.#cache.delete(requestId);
  }

  /** Records the reason of a removal, for readers that find nothing, until it is disposed. */
  beginRemoval(requestId: RequestId, reason: RemovalReason): Disposable {
    this.#removing.set(requestId, reason);
    return { [Symbol.dispose]: () => void this.#removing.delete(requestId) };
  }

  /** Records that a result has been removed, or is being removed: it is no longer committed. */
  remove(
    requestId: RequestId,
    reason: RemovalReason,
    owner = this.#cache.ownerOf(requestId),
  ): Removal {
    this.forget(requestId);
    return this.#removed.add(requestId, { reason, owner });
  }

  /** Records that the data of a removed result is deleted. Returns false if that is known. */
  noteFreed(requestId: RequestId): boolean {
    return this.#removed.noteFreed(requestId);
  }

  /** Records that a result is gone, and returns the error for callers who may know that. */
  gone({ entry, record }: OpenRecord, reason: RemovalReason, mayRead?: MayRead): QuireError {
    const { requestId } = entry;
    const removal = this.remove(requestId, this.#removing.get(requestId) ?? reason, record.owner);
    return missingError(requestId, removal, mayRead);
  }

  /** Returns the reason why the data file of an open result is missing. */
  async explainMissingData(
    open: OpenRecord,
    cause: unknown,
    options: CallOptions,
  ): Promise<QuireError> {
    this.forget(open.entry.requestId);
    // A removal deletes the commit record first: if only the data is missing, it was lost.
    return (await this.#finder.isCommitted(open.entry, options))
      ? lostDataError(open.entry.dataKey, cause)
      : this.gone(open, this.#isLive(open) ? 'deleted' : 'expired');
  }

  /**
   * Caches a record that was read while `before` was cached, and returns the one in force: a
   * renewal of this process may have replaced both during the read.
   */
  #addRead(open: OpenRecord, before: OpenRecord | undefined): OpenRecord {
    const known = this.#cache.get(open.entry.requestId);
    if (known !== undefined && known !== before && this.#written.has(known)) return known;
    this.#cache.set(open);
    return open;
  }

  #isLive({ entry }: OpenRecord): boolean {
    return entry.expirationTimeMs > this.#clock.nowMs();
  }
}

function missingError(requestId: RequestId, removal: Removal, mayRead: MayRead): QuireError {
  return mayRead?.(removal.owner) === false
    ? notFoundError(requestId)
    : removedError(requestId, removal.reason);
}
