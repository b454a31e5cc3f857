import type { CallOptions, ColumnarRows, RowRange } from '@quire/core';
import { decodeBatchMessage } from './arrow/decode-message.ts';
import { checkFormat } from './check-options.ts';
import type { CommitRecord } from './commit-record.ts';
import { encodeArrowStream } from './encode/arrow-stream.ts';
import {
  encodeCsv,
  encodeJsonRows,
  encodeNdjson,
  type PageBatch,
  type PageFormat,
  type TextAround,
} from './encode/page-encoders.ts';
import type { PagePlan } from './plan-page.ts';
import type { ReadBatch } from './batch-reader.ts';
import type { BufferPool } from './buffer-pool.ts';

/** Where a page's bytes come from. */
export interface PageSource {
  read(plan: PagePlan, options: CallOptions): AsyncIterable<ReadBatch>;
  readonly pool: BufferPool;
}

export interface EncodeOptions extends CallOptions {
  /**
   * Whether the caller is done with a chunk when it asks for the next one, whose bytes may then take its place. Default: no, every chunk
   * is the caller's to keep.
   */
  readonly isDoneWithChunks?: boolean;
  /** Text to go around the rows of a JSON page, in the same chunks. Other formats have no place for it. */
  readonly around?: TextAround;
}

/** What a page has to know of its result. */
export type PageRecord = Pick<CommitRecord, 'schema' | 'spans'>;

/** One page of a result, planned but not read. */
export class ResultPage {
  readonly range: RowRange;
  /** Stored bytes of the batches that the page touches: an upper bound of what a read takes from the store. */
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
   * The bytes of the page, streamed batch by batch: memory does not grow with the page. Each call reads again.
   *
   * @throws INVALID_PARAMETER when there is no such format
   * @throws RESULT_CORRUPT when a batch does not match its checksum; rows of it are never handed out
   * @throws RESULT_EXPIRED, RESULT_DELETED, RESULT_NOT_FOUND when the result is gone by now
   * @throws STORE_UNAVAILABLE, STORE_TIMED_OUT, ABORTED
   */
  encode(format: PageFormat, options: EncodeOptions = {}): AsyncIterable<Uint8Array> {
    checkFormat(format);
    const { schema, spans } = this.#record;
    const batches = this.#source.read(this.#plan, options);
    const pool = options.isDoneWithChunks === true ? this.#source.pool : undefined;
    if (format === 'arrow') return encodeArrowStream(schema, batches, spans.rowsPerBatch, pool);
    const rows = { schema, batches: this.#decode(batches), pool };
    if (format === 'csv') return encodeCsv(rows);
    return format === 'ndjson' ? encodeNdjson(rows) : encodeJsonRows(rows, options.around);
  }

  /** The batches that the page touches, whole; they may be looked at until the next one is asked for. */
  async *batches(options: CallOptions = {}): AsyncGenerator<ColumnarRows> {
    for await (const { batch } of this.#decode(this.#source.read(this.#plan, options))) yield batch;
  }

  async *#decode(batches: AsyncIterable<ReadBatch>): AsyncGenerator<PageBatch> {
    for await (const { planned, message } of batches) {
      yield { batch: decodeBatchMessage(this.#record.schema, message, planned.rows.end), rows: planned.rows };
    }
  }
}
