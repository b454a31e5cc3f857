import type { CallOptions, ColumnarRows, RowRange } from '@quire/core';
import { tracedItems, tracedSync } from '@quire/core/trace';
import { isTextFormat, type PageFormatName } from '@quire/core/wire';
import { decodeBatchMessage } from './arrow/decode-message.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { checkCodecs, checkFormat } from './check-options.ts';
import type { CommitRecord } from './commit-record.ts';
import { type ArrowMessageOptions, arrowMessages } from './encode/arrow-messages.ts';
import { type ArrowChunks, encodeArrowSync } from './encode/arrow-stream.ts';
import { type FormatOptions, pageEncoders } from './encode/page-encoders.ts';
import { encodeTextSync } from './encode/text-rows.ts';
import { decodedBatches, isReadableBy } from './plain-batches.ts';
import type { PagePlan } from './plan-page.ts';
import type { CachedBatches, ReadBatch } from './batch-reader.ts';
import type { BufferPool } from './buffer-pool.ts';

/** Where a page's bytes come from. */
export interface PageSource {
  read(plan: PagePlan, options: CallOptions): AsyncIterable<ReadBatch>;
  /** The batches, when none has to be waited for. Absent: they never are cached. */
  readCached?(plan: PagePlan): CachedBatches | undefined;
  readonly pool: BufferPool;
}

/** How a page is written. */
export interface EncodeOptions extends CallOptions, FormatOptions {
  /**
   * Whether the caller is done with a chunk when it asks for the next one, whose bytes may then
   * take its place. Default: no, every chunk is the caller's to keep.
   */
  readonly isDoneWithChunks?: boolean;
}

/** A page that was encoded in one turn. */
export interface EncodedPage {
  readonly chunks: readonly Uint8Array[];
  /**
   * Gives the memory of the chunks back; `isStillRead` when something may still read it. Absent:
   * the chunks are the caller's to keep.
   */
  readonly release?: (isStillRead: boolean) => void;
}

/** What a page has to know of its result. */
export type PageRecord = Pick<CommitRecord, 'schema' | 'spans'>;

/** Pages of more stored bytes than that come as chunks: others want their turn. */
const syncBytesMax = 64 * 1024;
/**
 * Decoding a batch costs more than writing a row of it. What is remembered takes some kilobytes of
 * each ten columns.
 */
const rememberedColumnsMax = 32;
/** Of messages that the cache keeps, for as long as it does. */
const rememberedBatches = new WeakMap<Uint8Array, ColumnBatch>();

/** One page of a result, planned but not read. */
export class ResultPage {
  readonly range: RowRange;
  /**
   * Stored bytes of the batches that the page touches: an upper bound of what a read takes from the
   * store.
   */
  readonly sizeBytesMax: number;
  readonly #record: PageRecord;
  readonly #plan: PagePlan;
  readonly #source: PageSource;

  constructor(record: PageRecord, range: RowRange, plan: PagePlan, source: PageSource) {
    this.range = range;
    this.sizeBytesMax = plan.bytes.end - plan.bytes.start;
    this.#record = record;
    this.#plan = plan;
    this.#source = source;
  }

  get rowCount(): number {
    return this.range.end - this.range.start;
  }

  /**
   * The bytes of the page, streamed batch by batch: memory does not grow with the page. Each call
   * reads again.
   *
   * @throws INVALID_PARAMETER when there is no such format or codec
   * @throws RESULT_CORRUPT when a batch does not match its checksum; rows of it are never handed
   * out
   * @throws RESULT_EXPIRED, RESULT_DELETED, RESULT_NOT_FOUND when the result is gone by now
   * @throws STORE_UNAVAILABLE, STORE_TIMED_OUT, ABORTED
   */
  encode(format: PageFormatName, options: EncodeOptions = {}): AsyncIterable<Uint8Array> {
    checkFormat(format);
    checkCodecs(options.codecs ?? []);
    const { schema, spans } = this.#record;
    const { pool } = this.#source;
    const page = {
      schema,
      rowsPerBatch: spans.rowsPerBatch,
      batches: tracedItems('page.read', this.#source.read(this.#plan, options)),
      pool,
      chunkPool: options.isDoneWithChunks === true ? pool : undefined,
    };
    return pageEncoders[format](page, options);
  }

  /**
   * The same bytes as those of `encode`, in one turn, when all batches are cached; undefined where
   * `encode` is needed: batches have to be read or decompressed, a page of text is large, or the
   * format is neither text nor Arrow.
   *
   * @throws RESULT_CORRUPT as `encode`
   */
  encodeSync(
    format: PageFormatName,
    { codecs = [], ...options }: FormatOptions = {},
  ): EncodedPage | undefined {
    checkFormat(format);
    const isText = isTextFormat(format);
    if (isText ? this.#storedBytes() > syncBytesMax : format !== 'arrow') return undefined;
    const cached = tracedSync('page.read', () => this.#source.readCached?.(this.#plan));
    if (cached === undefined) return undefined;
    const { schema, spans } = this.#record;
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
      const form = { rowsPerBatch: spans.rowsPerBatch, codecs };
      lent = encodeArrowSync(schema, cached.batches, form, this.#source.pool);
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
   * The page's batches as encapsulated IPC messages, one by one and without the schema: those that
   * fit go out as they are stored. A message may be looked at until the next one is asked for.
   *
   * @throws as `encode`
   */
  messages(options: ArrowMessageOptions): AsyncIterable<Uint8Array> {
    checkCodecs(options.codecs ?? []);
    const { pool } = this.#source;
    return arrowMessages(this.#record.schema, this.#source.read(this.#plan, options), {
      ...options,
      rowsPerBatch: this.#record.spans.rowsPerBatch,
      pool,
    });
  }

  /** About what the page's rows take in the store. */
  #storedBytes(): number {
    const { rowsPerBatch } = this.#record.spans;
    return (
      Math.min(1, this.rowCount / rowsPerBatch / Math.max(1, this.#plan.batches.length)) *
      this.sizeBytesMax
    );
  }

  /**
   * The batches that the page touches, whole; they may be looked at until the next one is asked
   * for.
   */
  async *batches(options: CallOptions = {}): AsyncGenerator<ColumnarRows> {
    const stored = this.#source.read(this.#plan, options);
    for await (const { batch } of decodedBatches(this.#record.schema, stored)) yield batch;
  }

  #decoded({ planned, message, isKept = false }: ReadBatch): ColumnBatch {
    const { schema } = this.#record;
    if (!isKept || schema.fields.length > rememberedColumnsMax) {
      return decodeBatchMessage(schema, message, planned.rows.end);
    }
    const known = rememberedBatches.get(message);
    if (known !== undefined && known.rowCount >= planned.rows.end) return known;
    const batch = decodeBatchMessage(schema, message, planned.rows.end);
    rememberedBatches.set(message, batch);
    return batch;
  }
}
