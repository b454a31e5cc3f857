import { crc32 } from '@node-rs/crc32';
import {
  type ByteRange,
  type CachedReader,
  type CallOptions,
  isCachedReader,
  MiB,
  type ObjectStore,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import type { BatchCache } from './batch-cache.ts';
import type { BufferPool } from './buffer-pool.ts';
import { MessageSplitter } from './message-splitter.ts';
import type { PagePlan, PlannedBatch } from './plan-page.ts';
import { SharedRead } from './shared-read.ts';

/** A batch message that matches its checksum. It is valid until the next one is requested. */
export interface ReadBatch {
  readonly planned: PlannedBatch;
  readonly message: Uint8Array;
  /** True if the message belongs to the cache: the same object is returned again. */
  readonly isKept?: boolean;
  /**
   * The message and those after it in the plan that are contiguous in memory; valid for as long as
   * the message.
   */
  readonly run?: MessageRun;
}

/** Verified messages that are contiguous in memory. */
export interface MessageRun {
  readonly batches: readonly PlannedBatch[];
  readonly bytes: Uint8Array;
}

/** Verified batches that were available without waiting. They are valid until they are released. */
export interface CachedBatches {
  readonly batches: readonly ReadBatch[];
  /** Releases their memory; `mayBeLookedAt` if a reader may still use it. */
  readonly release: (mayBeLookedAt?: boolean) => void;
}

/**
 * The limit for a synchronous read. Larger reads wait between batches, so that they do not block
 * other work.
 */
export const cachedBytesMax = 2 * MiB;
/**
 * The number of requests after which a batch is cached, if the store has bytes cached itself. A
 * reader that walks through a result requests each batch at a page boundary twice, and copies of
 * those would become garbage faster than it is collected.
 */
const demandMinCached = 3;
/** The same number for other stores, where a read is expensive. */
const demandMinElsewhere = 2;
/**
 * A page is read in one piece, which other readers can share, while less memory than this is lent
 * for such pages. Memory lent for streams does not count, because their readers may be slow.
 */
const wholePageBytesMax = 16 * MiB;
/** A stream reads large pieces while less memory than this is lent. */
const streamPlentyBytes = 16 * MiB;

/** The part of a store that reads need; it may also be a `CachedReader`. */
type BatchStore = Pick<ObjectStore, 'get'>;

interface Look {
  readonly before: readonly ReadBatch[];
  readonly lacking: readonly PlannedBatch[];
  readonly range: ByteRange | undefined;
  readonly after: readonly ReadBatch[];
}

interface BatchReaderParts {
  readonly store: BatchStore;
  readonly cache: BatchCache;
  readonly pool: BufferPool;
}

/**
 * Reads batches of data files: from the cache, by joining a concurrent read of the same batches, or
 * with one ranged read.
 */
export class BatchReader {
  readonly #store: BatchStore;
  readonly #cachedReader: CachedReader | undefined;
  readonly #cache: BatchCache;
  readonly #pool: BufferPool;
  readonly #shared = new Map<string, SharedRead<Uint8Array>>();
  /** The bytes lent for pages that are read in one piece. */
  #wholePageBytes = 0;

  constructor({ store, cache, pool }: BatchReaderParts) {
    this.#store = store;
    this.#cachedReader = isCachedReader(store) ? store : undefined;
    this.#cache = cache;
    this.#pool = pool;
  }

  /**
   * Reads the batches of a plan in order, with at most one ranged read, which covers the batches
   * that are not cached.
   *
   * @throws RESULT_CORRUPT when a batch does not match its checksum
   * @throws OBJECT_NOT_FOUND when the data file does not exist
   */
  async *read(
    dataKey: string,
    plan: PagePlan,
    options: CallOptions = {},
  ): AsyncGenerator<ReadBatch> {
    throwIfAborted(options.signal);
    const { before, lacking, range, after } = this.#look(dataKey, plan);
    yield* before;
    if (range === undefined) return;
    const shared = this.#sharedRead(dataKey, range, lacking);
    yield* shared === undefined
      ? this.#readStream(dataKey, range, lacking, options)
      : shared.use(options.signal, (bytes) => messagesOf(bytes, lacking));
    yield* after;
  }

  /**
   * Returns the batches of a plan if they are few and all cached here or by the store; undefined if
   * `read` would have to wait for them.
   *
   * @throws RESULT_CORRUPT when a batch does not match its checksum
   */
  readCached(dataKey: string, plan: PagePlan): CachedBatches | undefined {
    const sizeBytes = plan.bytes.end - plan.bytes.start;
    if (sizeBytes > cachedBytesMax || !this.#mayLeaseWhole(sizeBytes)) return undefined;
    const { before, lacking, range, after } = this.#look(dataKey, plan);
    if (range === undefined) return { batches: before, release: () => undefined };
    if (this.#cachedReader === undefined) return undefined;
    const bytes = this.#leaseWhole(range.end - range.start);
    const release = (mayBeLookedAt = false): void => this.#releaseWhole(bytes, mayBeLookedAt);
    try {
      if (this.#cachedReader.readCached(dataKey, range, bytes)) {
        this.#prove(dataKey, bytes, lacking);
        return { batches: [...before, ...messagesOf(bytes, lacking), ...after], release };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  /**
   * Reads the batches of a plan into `target` if the store has all of them cached, and this reader
   * none; returns false if it did not.
   *
   * @throws RESULT_CORRUPT when a batch does not match its checksum
   */
  readCachedInto(dataKey: string, plan: PagePlan, target: Uint8Array): boolean {
    const { lacking } = this.#look(dataKey, plan);
    if (lacking.length < plan.batches.length) return false;
    if (this.#cachedReader?.readCached(dataKey, plan.bytes, target) !== true) return false;
    this.#prove(dataKey, target, lacking);
    return true;
  }

  /**
   * Returns the cached batches at the edges of a plan, and the range between them that must be
   * read, if any.
   */
  #look(dataKey: string, { batches }: PagePlan): Look {
    const cached = batches.map((planned) => ({
      planned,
      message: this.#cache.get(dataKey, planned.index),
      isKept: true,
    }));
    const first = cached.findIndex(({ message }) => message === undefined);
    if (first === -1) {
      return { before: cached as ReadBatch[], lacking: [], range: undefined, after: [] };
    }
    const last = cached.findLastIndex(({ message }) => message === undefined);
    const lacking = batches.slice(first, last + 1);
    const range = { start: lacking[0]?.bytes.start ?? 0, end: lacking.at(-1)?.bytes.end ?? 0 };
    return {
      before: cached.slice(0, first) as ReadBatch[],
      lacking,
      range,
      after: cached.slice(last + 1) as ReadBatch[],
    };
  }

  /**
   * Verifies a batch.
   *
   * @throws RESULT_CORRUPT when it does not match its checksum
   */
  #prove(dataKey: string, bytes: Uint8Array, batches: readonly PlannedBatch[]): void {
    const isCacheable = this.#cache.isFor(bytes.byteLength);
    const demandMin = this.#cachedReader === undefined ? demandMinElsewhere : demandMinCached;
    for (const { planned, message } of messagesOf(bytes, batches)) {
      verify(dataKey, planned, message);
      if (isCacheable) this.#cache.offer(dataKey, planned.index, message, demandMin);
    }
  }

  /**
   * Returns a read in progress of exactly these batches, or a new one if the page is small and
   * memory is available.
   */
  #sharedRead(
    dataKey: string,
    range: ByteRange,
    batches: readonly PlannedBatch[],
  ): SharedRead<Uint8Array> | undefined {
    const name = `${dataKey}#${range.start}-${range.end}`;
    const known = this.#shared.get(name);
    const sizeBytes = range.end - range.start;
    if (known !== undefined) return known;
    if (!this.#cache.isFor(sizeBytes) || !this.#mayLeaseWhole(sizeBytes)) return undefined;
    const read = new SharedRead({
      read: (signal) => this.#readWhole(dataKey, range, batches, signal),
      onUnused: () => {
        if (this.#shared.get(name) === read) this.#shared.delete(name);
      },
      takeBack: (bytes, mayBeLookedAt) => this.#releaseWhole(bytes, mayBeLookedAt),
    });
    this.#shared.set(name, read);
    return read;
  }

  async #readWhole(
    dataKey: string,
    range: ByteRange,
    batches: readonly PlannedBatch[],
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const bytes = this.#leaseWhole(range.end - range.start);
    try {
      await readInto(bytes, this.#store, dataKey, range, { signal });
      this.#prove(dataKey, bytes, batches);
      return bytes;
    } catch (error) {
      this.#releaseWhole(bytes, true); // the store may still be writing into it
      throw error;
    }
  }

  #mayLeaseWhole(sizeBytes: number): boolean {
    return this.#wholePageBytes + sizeBytes <= wholePageBytesMax;
  }

  #leaseWhole(sizeBytes: number): Uint8Array {
    this.#wholePageBytes += sizeBytes;
    return this.#pool.lease(sizeBytes);
  }

  #releaseWhole(lease: Uint8Array, mayBeLookedAt: boolean): void {
    this.#wholePageBytes -= lease.byteLength;
    if (mayBeLookedAt) this.#pool.abandon(lease);
    else this.#pool.release(lease);
  }

  async *#readStream(
    dataKey: string,
    range: ByteRange,
    batches: readonly PlannedBatch[],
    options: CallOptions,
  ): AsyncGenerator<ReadBatch> {
    const messages = new MessageSplitter(this.#pool, streamPlentyBytes);
    let isDone = false;
    try {
      await using object = await this.#store.get(dataKey, { ...options, range, memory: messages });
      messages.open(object.body);
      for (const planned of batches) {
        throwIfAborted(options.signal);
        const message = await messages.take(planned.bytes.end - planned.bytes.start);
        verify(dataKey, planned, message);
        yield { planned, message };
      }
      await messages.end();
      isDone = true;
    } finally {
      // A reader that left early may still use a message; after a failure the store may still write
      // into one.
      if (isDone) messages.close();
      else messages.abandon();
    }
  }
}

async function readInto(
  target: Uint8Array,
  store: BatchStore,
  key: string,
  range: ByteRange,
  options: CallOptions,
): Promise<void> {
  if (isCachedReader(store) && store.readCached(key, range, target)) return;
  let filledBytes = 0;
  const memory = {
    lend: (sizeBytes: number) => target.subarray(filledBytes, filledBytes + sizeBytes),
  };
  await using object = await store.get(key, { ...options, range, memory });
  for await (const chunk of object.body) {
    if (chunk.buffer !== target.buffer) target.set(chunk, filledBytes);
    filledBytes += chunk.byteLength;
  }
}

function* messagesOf(bytes: Uint8Array, batches: readonly PlannedBatch[]): Generator<ReadBatch> {
  const start = batches[0]?.bytes.start ?? 0;
  for (const [index, planned] of batches.entries()) {
    const message = bytes.subarray(planned.bytes.start - start, planned.bytes.end - start);
    yield {
      planned,
      message,
      run: { batches: batches.slice(index), bytes: bytes.subarray(planned.bytes.start - start) },
    };
  }
}

function verify(dataKey: string, { index, checksum }: PlannedBatch, message: Uint8Array): void {
  if (crc32(message) === checksum) return;
  throw new QuireError(
    'RESULT_CORRUPT',
    `Batch ${index} of ${dataKey} does not match its checksum.`,
  );
}
