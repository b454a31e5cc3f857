import { type CallOptions, type Clock, MiB, type ObjectStore, type RequestId } from '@quire/core';
import type { Compression } from './arrow/buffer-codec.ts';
import type { BatchCache } from './batch-cache.ts';
import { BufferPool } from './buffer-pool.ts';
import { decodeCommitRecord } from './commit-record.ts';
import type { GrowthPlace } from './growth-news.ts';
import { dataKeyOf, parseResultObjectName, resultPrefix } from './layout.ts';
import type { OpenRecord } from './commit-record.ts';
import { removeRemains } from './remove-result.ts';
import type { ResultAdmission, SpaceReservation } from './result-admission.ts';
import type { ResultEntry } from './result-entry.ts';
import type { ResultSource } from './result-source.ts';
import { type ResultSink, writeResult } from './write-result.ts';

/*
 * A result that is written by another process than the one that serves it. What passes between the two is data: the order, requests for
 * room, and in the end what was written.
 */

/** All that a writer has to know of a result. */
export interface ResultOrder {
  readonly brokerId: string;
  readonly requestId: RequestId;
  readonly owner: string;
  readonly expirationMs: number;
  readonly compression: Compression;
  /** Bytes that the result may have; 0 for no limit. */
  readonly sizeBytesMax: number;
  readonly batchSizeBytes: number | undefined;
}

/** What a writer elsewhere is sent. */
export interface WriteOrder extends ResultOrder {
  /**
   * Bytes of the first batches that come back with the result, so that its first page reads
   * nothing.
   */
  readonly firstBytesMax: number;
  /**
   * File to write a readable copy to, of a result that is read while it grows; news of it go to
   * `parts.tell`.
   */
  readonly growthPath?: string | undefined;
}

/** What was written: small, whatever the size of the answer. */
export interface WrittenResult {
  readonly entry: ResultEntry;
  readonly record: Uint8Array;
  readonly firstBatches: readonly Uint8Array[];
}

/**
 * A request for room. A writer asks for more than it needs at once, so that it asks seldom; there
 * may be room for less only.
 */
export interface ExtendRequest {
  readonly neededBytes: number;
  readonly wantedBytes: number;
}

/** What a writer asks for room, by messages. */
export interface WriterAdmission {
  /**
   * Resolves to the bytes that were given, at least `neededBytes`.
   *
   * @throws QUERY_LIMIT_EXCEEDED when there is no room and none will come
   */
  extend(request: ExtendRequest, options: CallOptions): Promise<number>;
  /** The write has failed. `isFreed` tells whether all that it wrote is gone again. */
  release(isFreed: boolean): void;
}

/** Writes a result as ordered; when it rejects, it has told `admission.release` what stays. */
export type ResultWriter = (
  order: WriteOrder,
  admission: WriterAdmission,
) => Promise<WrittenResult>;

/** The writer's side: writes an answer as it was ordered. */
export async function writeOrdered(
  source: ResultSource,
  order: WriteOrder,
  parts: CallOptions & {
    readonly store: ResultSink;
    readonly clock: Clock;
    readonly admission: WriterAdmission;
    readonly tell?: GrowthPlace['tell'];
  },
): Promise<WrittenResult> {
  const { store, clock, signal, admission, tell } = parts;
  const { growthPath } = order;
  const firstBatches: Uint8Array[] = [];
  const { entry, recordBytes } = await writeResult(source, {
    ...order,
    store,
    clock,
    signal,
    pool: new BufferPool(),
    growth: growthPath === undefined || tell === undefined ? undefined : { path: growthPath, tell },
    cache: {
      isFor: (sizeBytes) => sizeBytes <= order.firstBytesMax,
      set: (_dataKey, _index, message) => firstBatches.push(new Uint8Array(message)),
    },
    admission: { reserve: () => roomByLumps(admission), removed: () => undefined },
  });
  return { entry, record: recordBytes, firstBatches };
}

const lumpBytesMax = 4 * MiB;
/** What a writer elsewhere sends back of the rows, for the first page. */
const firstBytesMax = MiB;

/**
 * Asks for room in lumps that extend with the result: what is taken too much is a quarter of it at
 * most.
 */
function roomByLumps(admission: WriterAdmission): SpaceReservation {
  let takenBytes = 0;
  let aheadBytes = 0;
  const ask = async (neededBytes: number, options: CallOptions): Promise<void> => {
    const wantedBytes = Math.max(neededBytes, Math.min(lumpBytesMax, Math.floor(takenBytes / 4)));
    const givenBytes = await admission.extend({ neededBytes, wantedBytes }, options);
    takenBytes += givenBytes;
    aheadBytes += givenBytes - neededBytes;
  };
  return {
    extend: (bytes, options = {}) => {
      const fromAheadBytes = Math.min(bytes, aheadBytes);
      aheadBytes -= fromAheadBytes;
      return fromAheadBytes === bytes ? undefined : ask(bytes - fromAheadBytes, options);
    },
    commit: () => undefined, // the caller commits it
    release: (isFreed) => admission.release(isFreed),
  };
}

/**
 * The side that serves results: has one written as ordered, and takes it over. Whatever becomes of
 * the writer, the result stands whole that this returns, or nothing of it.
 */
export async function haveWritten(
  writer: ResultWriter,
  result: ResultOrder,
  parts: {
    readonly store: ObjectStore;
    readonly admission: ResultAdmission;
    readonly cache: BatchCache;
    readonly clock: Clock;
    readonly growth?: GrowthPlace | undefined;
  },
): Promise<OpenRecord> {
  const firstBytes = Math.min(parts.cache.sizeBytesMax / 4, firstBytesMax);
  const order = { ...result, firstBytesMax: firstBytes, growthPath: parts.growth?.path };
  const room = new WriterRoom(parts.admission.reserve(order.requestId));
  try {
    const { entry, record, firstBatches } = await writer(order, room);
    const open = {
      entry,
      record: decodeCommitRecord(entry.recordKey, record),
      seenMs: parts.clock.monotonicMs(),
    };
    room.commit(entry.sizeBytes);
    for (const [index, message] of firstBatches.entries()) {
      parts.cache.set(entry.dataKey, index, message);
    }
    return open;
  } catch (error) {
    room.end(
      room.isFreed ?? (await removeRemains(parts.store, keysOfRemains(parts.store, order))),
      error,
    );
    throw error;
  }
}

/** Room that a writer elsewhere takes, and what is known of it when it fails. */
class WriterRoom implements WriterAdmission {
  /**
   * Whether all is gone again that a failed writer wrote; undefined when it did not say: it died.
   */
  isFreed: boolean | undefined;
  readonly #room: SpaceReservation;

  constructor(room: SpaceReservation) {
    this.#room = room;
  }

  async extend({ neededBytes, wantedBytes }: ExtendRequest, options: CallOptions): Promise<number> {
    const isAmple = this.#room.hasAmpleSpace?.(wantedBytes) ?? true;
    const bytes = isAmple ? wantedBytes : neededBytes;
    await this.#room.extend(bytes, options);
    return bytes;
  }

  release(isFreed: boolean): void {
    this.isFreed = isFreed;
  }

  /** The result stands, with `sizeBytes`: what was taken beyond that is given back. */
  commit(sizeBytes: number): void {
    this.#room.commit(sizeBytes);
  }

  end(isFreed: boolean, error: unknown): void {
    this.#room.release(isFreed, error);
  }
}

/** The objects that a writer that died may have left of a result, in the order of removal. */
async function* keysOfRemains(
  store: ObjectStore,
  { brokerId, requestId }: WriteOrder,
): AsyncGenerator<string> {
  for await (const { key } of store.list(resultPrefix(brokerId, requestId))) {
    if (parseResultObjectName(key)?.kind === 'record') yield key;
  }
  yield dataKeyOf(brokerId, requestId);
}
