import type { CallOptions, RowRange } from '@quire/core';
import { decodeBatchMessage } from './arrow/decode-message.ts';
import type { CommitRecord } from './commit-record.ts';
import { encodeArrowStream } from './encode/arrow-stream.ts';
import { encodeCsv, encodeJsonRows, encodeNdjson, type PageBatch } from './encode/page-encoders.ts';
import type { PagePlan } from './plan-page.ts';
import type { ReadBatch } from './read-batches.ts';

/** What a page can be had as; `json` is the array of rows alone, for callers to put an envelope around. */
export type PageFormat = 'json' | 'arrow' | 'csv' | 'ndjson';

/** One page of a result, planned but not read. */
export class ResultPage {
  readonly range: RowRange;
  /** Stored bytes of the batches that the page touches: an upper bound of what a read takes from the store. */
  readonly sizeBytesMax: number;
  readonly #record: CommitRecord;
  readonly #read: (options: CallOptions) => AsyncIterable<ReadBatch>;

  constructor(record: CommitRecord, range: RowRange, plan: PagePlan, read: (options: CallOptions) => AsyncIterable<ReadBatch>) {
    this.range = range;
    this.sizeBytesMax = plan.bytes.end - plan.bytes.start;
    this.#record = record;
    this.#read = read;
  }

  get rowCount(): number {
    return this.range.end - this.range.start;
  }

  /**
   * The bytes of the page, streamed batch by batch: memory does not grow with the page. Each call reads anew.
   *
   * @throws RESULT_CORRUPT when a batch does not match its checksum; rows of it are never handed out
   * @throws RESULT_EXPIRED, RESULT_DELETED, RESULT_NOT_FOUND when the result is gone by now
   * @throws STORE_UNAVAILABLE, STORE_TIMED_OUT, ABORTED
   */
  encode(format: PageFormat, options: CallOptions = {}): AsyncIterable<Uint8Array> {
    const { schema, spans } = this.#record;
    const batches = this.#read(options);
    if (format === 'arrow') return encodeArrowStream(schema, batches, spans.rowsPerBatch);
    const decoded = this.#decode(batches);
    if (format === 'csv') return encodeCsv(schema, decoded);
    return format === 'ndjson' ? encodeNdjson(schema, decoded) : encodeJsonRows(schema, decoded);
  }

  async *#decode(batches: AsyncIterable<ReadBatch>): AsyncGenerator<PageBatch> {
    for await (const { planned, message } of batches) {
      yield { batch: decodeBatchMessage(this.#record.schema, message), rows: planned.rows };
    }
  }
}
