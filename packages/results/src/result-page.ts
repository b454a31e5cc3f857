import type { CallOptions, ColumnarRows, RowRange } from '@quire/core';
import type { BufferCodec } from './arrow/buffer-codec.ts';
import { decodeBatchMessage } from './arrow/decode-message.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { checkCodecs, checkFormat } from './check-options.ts';
import type { CommitRecord } from './commit-record.ts';
import { type ArrowAtOnce, encodeArrowAtOnce, encodeArrowStream } from './encode/arrow-stream.ts';
import {
  type CsvOptions,
  encodeCsv,
  encodeJsonRows,
  encodeNdjson,
  encodeTextAtOnce,
  type PageBatch,
  type PageFormat,
  type TextAround,
} from './encode/page-encoders.ts';
import { decodedBatches, isReadableBy, plainBatches } from './plain-batches.ts';
import type { PagePlan } from './plan-page.ts';
import type { BatchesAtHand, ReadBatch } from './batch-reader.ts';
import type { BufferPool } from './buffer-pool.ts';

/** Where a page's bytes come from. */
export interface PageSource {
  read(plan: PagePlan, options: CallOptions): AsyncIterable<ReadBatch>;
  /** The batches when there is nothing to wait for. Absent: there always is. */
  readAtHand?(plan: PagePlan): BatchesAtHand | undefined;
  readonly pool: BufferPool;
}

/** How a page is written. */
export interface EncodeOptions extends CallOptions, CsvOptions {
  /**
   * Whether the caller is done with a chunk when it asks for the next one, whose bytes may then
   * take its place. Default: no, every chunk is the caller's to keep.
   */
  readonly isDoneWithChunks?: boolean;
  /**
   * The codecs that the reader of an Arrow page has: batches that are stored with one of them go
   * out as they are stored. All other buffers are plain, as every reader of Arrow expects them.
   * Default: none.
   */
  readonly codecs?: readonly BufferCodec[] | undefined;
  /**
   * Text to go around the rows of a JSON page, in the same chunks. Other formats have no place for
   * it.
   */
  readonly around?: TextAround;
}

/** What a page has to know of its result. */
export type PageRecord = Pick<CommitRecord, 'schema' | 'spans'>;

/** Pages of more stored bytes than that come as chunks: others want their turn. */
const atHandBytesMax = 64 * 1024;
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
  encode(format: PageFormat, options: EncodeOptions = {}): AsyncIterable<Uint8Array> {
    checkFormat(format);
    const { codecs = [] } = options;
    checkCodecs(codecs);
    const { schema, spans } = this.#record;
    const pool = options.isDoneWithChunks === true ? this.#source.pool : undefined;
    if (format === 'arrow') {
      const batches = plainBatches(
        this.#source.read(this.#plan, options),
        codecs,
        this.#source.pool,
      );
      return encodeArrowStream(schema, batches, { rowsPerBatch: spans.rowsPerBatch, codecs }, pool);
    }
    const rows = { schema, batches: this.#decode(options), pool };
    if (format === 'csv') return encodeCsv(rows, options);
    return format === 'ndjson' ? encodeNdjson(rows) : encodeJsonRows(rows, options.around);
  }

  /**
   * The bytes of a small page of text in one piece, the caller's to keep, when all that it takes is
   * at hand: the same as those of `encode`. Undefined when that would be the way to go: the page is
   * large, in Arrow, or has to be waited for.
   *
   * @throws RESULT_CORRUPT as `encode`
   */
  encodeAtHand(
    format: PageFormat,
    options: Pick<EncodeOptions, 'around' | 'escapesFormulas'> = {},
  ): Uint8Array | undefined {
    checkFormat(format);
    if (format === 'arrow' || this.#storedBytes() > atHandBytesMax) return undefined;
    const atHand = this.#source.readAtHand?.(this.#plan);
    if (atHand === undefined) return undefined;
    try {
      const batches = atHand.batches.map((read) => ({
        batch: this.#decoded(read),
        rows: read.planned.rows,
      }));
      return encodeTextAtOnce(format, { schema: this.#record.schema, batches }, options);
    } finally {
      atHand.release();
    }
  }

  /**
   * The chunks of an Arrow page, when all that it takes is at hand; undefined when `encode` would
   * be the way to go: when there is something to wait for, or to decompress. The caller releases
   * them.
   *
   * @throws RESULT_CORRUPT as `encode`
   */
  arrowAtHand({ codecs = [] }: Pick<EncodeOptions, 'codecs'> = {}): ArrowAtOnce | undefined {
    const atHand = this.#source.readAtHand?.(this.#plan);
    if (atHand === undefined) return undefined;
    const { schema, spans } = this.#record;
    try {
      if (!atHand.batches.every(({ message }) => isReadableBy(codecs, message))) {
        atHand.release();
        return undefined;
      }
      const form = { rowsPerBatch: spans.rowsPerBatch, codecs };
      const { chunks, release } = encodeArrowAtOnce(
        schema,
        atHand.batches,
        form,
        this.#source.pool,
      );
      return {
        chunks,
        release: (mayBeLookedAt) => {
          release(mayBeLookedAt);
          atHand.release(mayBeLookedAt);
        },
      };
    } catch (error) {
      atHand.release();
      throw error;
    }
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
    for await (const { batch } of this.#decode(options)) yield batch;
  }

  async *#decode(options: CallOptions): AsyncGenerator<PageBatch> {
    for await (const { planned, batch } of decodedBatches(
      this.#record.schema,
      this.#source.read(this.#plan, options),
    )) {
      yield { batch, rows: planned.rows };
    }
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
