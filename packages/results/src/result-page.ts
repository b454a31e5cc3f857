import type { Field, Schema } from 'apache-arrow';
import { type CallOptions, type ColumnarRows, MiB, type RowRange } from '@quire/core';
import { tracedItems, tracedSync } from '@quire/core/trace';
import { isTextFormat, type PageFormatName } from '@quire/core/wire';
import { decodeBatchMessage } from './arrow/decode-message.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { checkCodecs, checkFormat } from './check-options.ts';
import { type ArrowMessageOptions, arrowMessages } from './encode/arrow-messages.ts';
import { type ArrowChunks, encodeArrowSync } from './encode/arrow-stream.ts';
import { type FormatOptions, pageEncoders } from './encode/page-encoders.ts';
import { encodeTextSync } from './encode/text-rows.ts';
import { decodedBatches, isReadableBy } from './plain-batches.ts';
import { batchesOf, type PagePlan, type PlannedBatch } from './plan-page.ts';
import type { CachedBatches, ReadBatch } from './batch-reader.ts';
import type { BufferPool } from './buffer-pool.ts';
import { compressBody, type ContentEncoding } from './encode/compress-body.ts';
import { encodeInThreads, partsOf } from './threads/encode-in-threads.ts';
import { counted, sizeBytesOf } from './threads/part-work.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import { type PageThreads, poolOf } from './threads/page-threads.ts';

/** The source of a page's bytes. */
export interface PageSource {
  read(plan: PagePlan, options: CallOptions): AsyncIterable<ReadBatch>;
  /** Returns the batches if all are cached. Absent: they are never cached. */
  readCached?(plan: PagePlan): CachedBatches | undefined;
  /** Reads the batches into memory, all or none, if they need not be waited for. */
  readCachedInto?(plan: PagePlan, target: Uint8Array): boolean;
  readonly pool: BufferPool;
  /** The threads that encode large pages. Absent: all are encoded in this one. */
  readonly threads?: PageThreads | undefined;
}

/** The options for encoding a page. */
export interface EncodeOptions extends CallOptions, FormatOptions {
  /**
   * True if the caller has finished with a chunk when it requests the next one, which may then
   * overwrite it. Default: no, the caller may retain every chunk.
   */
  readonly isDoneWithChunks?: boolean;
  /** The compression of the whole output. Default: none. */
  readonly contentEncoding?: ContentEncoding | undefined;
  /** Called with the sizes of what is encoded, before compression. */
  readonly onEncoded?: ((sizeBytes: number) => void) | undefined;
}

/** A page that was encoded synchronously. */
export interface EncodedPage {
  readonly chunks: readonly Uint8Array[];
  /**
   * Releases the memory of the chunks; `isStillRead` if it may still be read. Absent: the caller
   * may retain the chunks.
   */
  readonly release?: (isStillRead: boolean) => void;
}

/**
 * The stored size up to which a page is encoded synchronously; larger ones are yielded in chunks,
 * so that they do not block other work.
 */
const syncBytesMax = 64 * 1024;
/**
 * The maximum number of batches of such a page: text can be hundreds of times as large as what is
 * stored, if that is compressed, booleans or nulls.
 */
const syncBatchesMax = 4;
/**
 * The minimum stored size of pages that are given to a thread: for smaller ones, that takes as long
 * as encoding them.
 */
const threadBytesMin = 128 * 1024;
/**
 * The maximum stored size of a part that is given to a thread, which keeps its whole output in
 * memory. Larger ones are single batches of long values, which this thread writes in pieces.
 */
const partBytesMax = 8 * MiB;
/**
 * The maximum number of columns for which decoded batches are cached. Decoding a batch costs more
 * than writing one of its rows. A cached batch takes some kilobytes for every ten columns.
 */
const cachedColumnsMax = 32;
/** Decoded batches of messages in the cache, for as long as those are cached. */
const rememberedBatches = new WeakMap<Uint8Array, ColumnBatch>();

/** One page of a result, planned but not read. */
export class ResultPage {
  readonly range: RowRange;
  /**
   * The stored size of the page's batches: an upper bound of the bytes that a read fetches from the
   * store.
   */
  readonly sizeBytesMax: number;
  readonly #schema: Schema;
  readonly #plan: PagePlan;
  readonly #source: PageSource;

  constructor(schema: Schema, range: RowRange, plan: PagePlan, source: PageSource) {
    this.range = range;
    this.sizeBytesMax = plan.bytes.end - plan.bytes.start;
    this.#schema = schema;
    this.#plan = plan;
    this.#source = source;
  }

  get rowCount(): number {
    return this.range.end - this.range.start;
  }

  /**
   * Returns the bytes of the page, streamed batch by batch: memory does not grow with the page.
   * Each call reads again.
   *
   * @throws INVALID_PARAMETER when there is no such format or codec
   * @throws RESULT_CORRUPT when a batch does not match its checksum; its rows are never returned
   * @throws RESULT_EXPIRED, RESULT_DELETED, RESULT_NOT_FOUND when the result no longer exists
   * @throws STORE_UNAVAILABLE, STORE_TIMED_OUT, ABORTED
   */
  encode(format: PageFormatName, options: EncodeOptions = {}): AsyncIterable<Uint8Array> {
    checkFormat(format);
    checkCodecs(options.codecs ?? []);
    const { threads } = this.#source;
    // Most Arrow batches are passed through as they are stored, which is faster than giving them to
    // a thread.
    const isForThreads =
      threads !== undefined &&
      this.#storedBytes() >= threadBytesMin &&
      (format !== 'arrow' || options.contentEncoding !== undefined);
    return isForThreads
      ? this.#encodeInThreads(format, options, poolOf(threads))
      : this.#encodeHere(format, options);
  }

  #encodeHere(format: PageFormatName, options: EncodeOptions): AsyncIterable<Uint8Array> {
    const { pool } = this.#source;
    const { contentEncoding, onEncoded, isDoneWithChunks = false } = options;
    const page = {
      schema: this.#schema,
      batches: tracedItems('page.read', this.#source.read(this.#plan, options)),
      pool,
      // A compressor holds several chunks.
      chunkPool: isDoneWithChunks && contentEncoding === undefined ? pool : undefined,
    };
    const encoded = pageEncoders[format](page, options);
    const plain = onEncoded === undefined ? encoded : counted(encoded, onEncoded);
    return contentEncoding === undefined ? plain : compressBody(plain, contentEncoding);
  }

  async *#encodeInThreads(
    format: PageFormatName,
    options: EncodeOptions,
    threads: ThreadPool,
  ): AsyncGenerator<Uint8Array> {
    const { codecs, escapesFormulas, around, signal, isDoneWithChunks = false } = options;
    const { contentEncoding, onEncoded = () => undefined } = options;
    const parts = partsOf(format, this.#plan.batches);
    const isSmall = parts?.every((batches) => sizeBytesOf(batches) <= partBytesMax);
    if (parts === undefined || !(isSmall || this.#hasNested()) || !threads.hasCapacity()) {
      yield* this.#encodeHere(format, options);
      return;
    }
    const isOnePart = parts.length === 1;
    const page = {
      format,
      schema: this.#schema,
      planned: this.#plan.batches,
      parts,
      read: (batches: readonly PlannedBatch[]) =>
        tracedItems('page.read', this.#source.read(batchesOf(this.#plan, batches), { signal })),
      readInto: (batches: readonly PlannedBatch[], target: Uint8Array) =>
        tracedSync(
          'page.read',
          () => this.#source.readCachedInto?.(batchesOf(this.#plan, batches), target) === true,
        ),
      options: { codecs, escapesFormulas, around },
      contentEncoding: isOnePart ? contentEncoding : undefined,
      onEncoded,
      signal,
    };
    const chunks = encodeInThreads(page, threads);
    if (contentEncoding !== undefined && !isOnePart) {
      yield* compressBody(copied(chunks), contentEncoding);
    } else yield* isDoneWithChunks ? chunks : copied(chunks);
  }

  /**
   * Returns the same bytes as `encode` synchronously if all batches are cached. Returns undefined
   * if `encode` is needed: batches must be read, or decompressed for Arrow, a page of text is
   * large, or the format is neither text nor Arrow.
   *
   * @throws RESULT_CORRUPT as `encode`
   */
  encodeSync(
    format: PageFormatName,
    { codecs = [], ...options }: FormatOptions = {},
  ): EncodedPage | undefined {
    checkFormat(format);
    const isText = isTextFormat(format);
    if (isText ? !this.#isShortText() : format !== 'arrow') return undefined;
    const cached = tracedSync('page.read', () => this.#source.readCached?.(this.#plan));
    if (cached === undefined) return undefined;
    const schema = this.#schema;
    let lent: ArrowChunks | undefined;
    try {
      if (isText) {
        const batches = cached.batches.map((read) => ({
          batch: this.#decoded(read),
          rows: read.planned.rows,
        }));
        return { chunks: [encodeTextSync(format, { schema, batches }, options)] };
      }
      if (!cached.batches.every(({ message }) => isReadableBy(codecs, message))) return undefined;
      lent = encodeArrowSync(schema, cached.batches, { codecs }, this.#source.pool);
    } finally {
      if (lent === undefined) cached.release();
    }
    const { chunks, release } = lent;
    return {
      chunks,
      release: (isStillRead) => {
        release(isStillRead);
        cached.release(isStillRead);
      },
    };
  }

  /**
   * Returns the page's batches as encapsulated IPC messages, one by one and without the schema;
   * those that fit are sent as they are stored. A message is valid until the next one is requested.
   *
   * @throws as `encode`
   */
  messages(options: ArrowMessageOptions): AsyncIterable<Uint8Array> {
    checkCodecs(options.codecs ?? []);
    const { pool } = this.#source;
    const batches = tracedItems('page.read', this.#source.read(this.#plan, options));
    return arrowMessages(this.#schema, batches, {
      ...options,
      pool,
    });
  }

  /** Reports whether it has nested values: each is written as a whole, which may take seconds. */
  #hasNested(): boolean {
    return this.#schema.fields.some(({ type }) => {
      const { children } = type as { readonly children?: readonly Field[] | null };
      return (children?.length ?? 0) > 0;
    });
  }

  /** Reports whether its text is short enough to be written without a pause. */
  #isShortText(): boolean {
    return this.#plan.batches.length <= syncBatchesMax && this.#storedBytes() <= syncBytesMax;
  }

  /** Returns the approximate stored size of the page's rows. */
  #storedBytes(): number {
    let rowCountMax = 0;
    for (const batch of this.#plan.batches) rowCountMax += batch.rowCountMax;
    return (this.rowCount / Math.max(1, rowCountMax)) * this.sizeBytesMax;
  }

  /** Yields the whole batches of the page; each is valid until the next one is requested. */
  async *batches(options: CallOptions = {}): AsyncGenerator<ColumnarRows> {
    const stored = this.#source.read(this.#plan, options);
    for await (const { batch } of decodedBatches(this.#schema, stored)) yield batch;
  }

  #decoded({ planned, message, isKept = false }: ReadBatch): ColumnBatch {
    const schema = this.#schema;
    if (!isKept || schema.fields.length > cachedColumnsMax) {
      return decodeBatchMessage(schema, message, planned.rows.end);
    }
    const known = rememberedBatches.get(message);
    if (known !== undefined && known.rowCount >= planned.rows.end) return known;
    const batch = decodeBatchMessage(schema, message, planned.rows.end);
    rememberedBatches.set(message, batch);
    return batch;
  }
}

async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
