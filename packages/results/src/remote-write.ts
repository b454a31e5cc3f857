import {
  type CallOptions,
  type Clock,
  isCachedReader,
  MiB,
  type ObjectStore,
  type RequestId,
} from '@quire/core';
import type { Compression } from './arrow/buffer-codec.ts';
import type { BatchCache } from './batch-cache.ts';
import { BufferPool } from './buffer-pool.ts';
import { decodeCommitRecord, type OpenRecord } from './commit-record.ts';
import { dataKeyOf, parseResultObjectName, resultPrefix } from './layout.ts';
import type { ProgressTarget } from './progress-event.ts';
import { removeFailedWrite } from './remove-result.ts';
import type { SpaceReservation } from './result-admission.ts';
import type { ResultEntry } from './result-entry.ts';
import type { ResultSource } from './result-source.ts';
import type { Result } from './result.ts';
import { type ResultSink, writeResult } from './write-result.ts';

/*
 * Results that are written by another process than the one that serves them. They exchange plain
 * data: the order, requests for space, and finally the written result.
 */

/** The data about a result that a writer needs. */
export interface ResultOrder {
  readonly brokerId: string;
  readonly requestId: RequestId;
  readonly owner: string;
  /** As `CommitRecord.sql`. */
  readonly sql: string | undefined;
  readonly expirationMs: number;
  readonly compression: Compression;
  /** The maximum size of the result; 0 for no limit. */
  readonly sizeBytesMax: number;
  readonly batchSizeBytes: number | undefined;
}

/** The order for a writer in another process. */
export interface WriteOrder extends ResultOrder {
  /**
   * The size of the first batches to return with the result, so that its first page needs no read.
   */
  readonly firstBytesMax: number;
  /** The file for a readable copy of a result that is read while it grows. */
  readonly growthPath?: string | undefined;
}

/** A written result: small, regardless of the size of the answer. */
export interface WrittenResult {
  readonly entry: ResultEntry;
  readonly record: Uint8Array;
  readonly firstBatches: readonly Uint8Array[];
}

/**
 * A request for space. A writer requests more than it needs at once, so that requests are rare; it
 * may receive less than it wants.
 */
export interface ExtendRequest {
  readonly neededBytes: number;
  readonly wantedBytes: number;
}

/** The requests by which a writer in another process reserves space. */
export interface WriterAdmission {
  /**
   * Resolves to the number of reserved bytes, at least `neededBytes`.
   *
   * @throws QUERY_LIMIT_EXCEEDED when there is no space and none will become free
   */
  extend(request: ExtendRequest, options: CallOptions): Promise<number>;
  /** Reports that the write failed; `isFreed` is true if everything it wrote has been deleted. */
  release(isFreed: boolean): void;
}

/** Writes an answer as ordered, in the writer's process. */
export async function writeOrdered(
  source: ResultSource,
  order: WriteOrder,
  parts: CallOptions & {
    readonly store: ResultSink;
    readonly clock: Clock;
    readonly admission: WriterAdmission;
    readonly notify?: ProgressTarget['notify'];
  },
): Promise<WrittenResult> {
  const { store, clock, signal, admission, notify } = parts;
  const { growthPath: path } = order;
  const firstBatches: Uint8Array[] = [];
  const { entry, recordBytes } = await writeResult(source, {
    ...order,
    store,
    clock,
    signal,
    pool: new BufferPool(),
    growth: path === undefined || notify === undefined ? undefined : { path, notify },
    cache: {
      isFor: (sizeBytes) => sizeBytes <= order.firstBytesMax,
      set: (_dataKey, _index, message) => firstBatches.push(new Uint8Array(message)),
    },
    reserve: () => reserveInChunks(admission),
  });
  return { entry, record: recordBytes, firstBatches };
}

const chunkBytesMax = 4 * MiB;

/**
 * Reserves space in chunks that grow with the result. At most a quarter of it is reserved in
 * excess.
 */
function reserveInChunks(admission: WriterAdmission): SpaceReservation {
  let reservedBytes = 0;
  let unusedBytes = 0;
  const ask = async (neededBytes: number, options: CallOptions): Promise<void> => {
    const chunkBytes = Math.min(chunkBytesMax, Math.floor(reservedBytes / 4));
    const wantedBytes = Math.max(neededBytes, chunkBytes);
    const givenBytes = await admission.extend({ neededBytes, wantedBytes }, options);
    reservedBytes += givenBytes;
    unusedBytes += givenBytes - neededBytes;
  };
  return {
    extend: (bytes, options = {}) => {
      const coveredBytes = Math.min(bytes, unusedBytes);
      unusedBytes -= coveredBytes;
      return coveredBytes === bytes ? undefined : ask(bytes - coveredBytes, options);
    },
    commit: () => undefined, // the serving side commits
    release: (isFreed) => admission.release(isFreed),
  };
}

const firstBytesMax = MiB;
/**
 * The same limit for files: their pages are read from the file system's cache into reused memory,
 * while bytes sent by another process become garbage.
 */
const firstBytesMaxOfFiles = 128 * 1024;

interface RemoteWriteParts {
  readonly store: ObjectStore;
  readonly cache: BatchCache;
  readonly clock: Clock;
  readonly reservation: SpaceReservation;
  readonly growthPath: string | undefined;
  readonly open: (written: OpenRecord) => Result;
}

/**
 * The serving side of a remote write: creates the order and finishes with `commit` or `fail`.
 * Whatever happens to the writer, the result exists completely or not at all.
 */
export class RemoteWrite implements WriterAdmission {
  readonly order: WriteOrder;
  readonly #parts: RemoteWriteParts;
  /**
   * True if everything that a failed writer wrote has been deleted; undefined if it did not report
   * that.
   */
  #isFreed: boolean | undefined;

  constructor(order: ResultOrder, parts: RemoteWriteParts) {
    this.#parts = parts;
    const bytesMax = Math.min(
      parts.cache.sizeBytesMax / 4,
      isCachedReader(parts.store) ? firstBytesMaxOfFiles : firstBytesMax,
    );
    this.order = { ...order, firstBytesMax: bytesMax, growthPath: parts.growthPath };
  }

  async extend({ neededBytes, wantedBytes }: ExtendRequest, options: CallOptions): Promise<number> {
    const { reservation } = this.#parts;
    const isAmple = reservation.hasAmpleSpace?.(wantedBytes) ?? true;
    const bytes = isAmple ? wantedBytes : neededBytes;
    await reservation.extend(bytes, options);
    return bytes;
  }

  release(isFreed: boolean): void {
    this.#isFreed ??= isFreed;
  }

  /**
   * Returns the written result.
   *
   * @throws RESULT_CORRUPT, as after `fail`, when its record is damaged
   */
  async commit({ entry, record, firstBatches }: WrittenResult): Promise<Result> {
    const { cache, clock, reservation, open } = this.#parts;
    const seenMs = clock.monotonicMs();
    try {
      const written = { entry, record: decodeCommitRecord(entry.recordKey, record), seenMs };
      reservation.commit(entry.sizeBytes);
      for (const [index, message] of firstBatches.entries()) {
        cache.set(entry.dataKey, index, message);
      }
      return open(written);
    } catch (error) {
      await this.fail(error);
      throw error;
    }
  }

  /**
   * Releases the space after deleting everything that a writer may have left behind without
   * releasing it.
   */
  async fail(error: unknown): Promise<void> {
    const { store, reservation } = this.#parts;
    try {
      this.#isFreed ??= await removeFailedWrite(store, keysOfRemains(store, this.order));
    } finally {
      reservation.release(this.#isFreed ?? false, error);
    }
  }
}

/**
 * Yields the objects of a result that a writer may have left behind, in the order of their removal.
 */
async function* keysOfRemains(
  store: ObjectStore,
  { brokerId, requestId }: WriteOrder,
): AsyncGenerator<string> {
  for await (const { key } of store.list(resultPrefix(brokerId, requestId))) {
    if (parseResultObjectName(key)?.kind === 'record') yield key;
  }
  yield dataKeyOf(brokerId, requestId);
}
