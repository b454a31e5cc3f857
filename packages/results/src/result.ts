import type { Schema } from 'apache-arrow';
import {
  type CallOptions,
  type ColumnarRows,
  type NamedRows,
  type PageRequest,
  type QueryStatistics,
  resolveRowRange,
} from '@quire/core';
import { type CommitRecord, encodeCommitRecord } from './commit-record.ts';
import { planPage } from './plan-page.ts';
import type { ReadOrder } from './read-order.ts';
import type { ResultEntry } from './result-entry.ts';
import { type PageSource, ResultPage } from './result-page.ts';

/**
 * A live result: its commit record is cached, its rows are read page by page. Holds no resources.
 */
export class Result {
  readonly entry: ResultEntry;
  readonly #record: CommitRecord;
  readonly #source: PageSource;

  constructor(entry: ResultEntry, record: CommitRecord, source: PageSource) {
    this.entry = entry;
    this.#record = record;
    this.#source = source;
  }

  /** Name of the principal that ran the query. */
  get owner(): string {
    return this.#record.owner;
  }

  /** The text of the query, as far as it was stored: `CommitRecord.sql`. */
  get sql(): string | undefined {
    return this.#record.sql;
  }

  /** The schema as stored, which is richer than its JSON form. */
  get schema(): Schema {
    return this.#record.schema;
  }

  get statistics(): QueryStatistics {
    return this.#record.statistics;
  }

  /** Returns all rows, for a query that references the result. */
  rows(): NamedRows {
    const { requestId, rowCount } = this.entry;
    const read = (options: CallOptions): AsyncIterable<ColumnarRows> =>
      this.page({ offset: 0, rowCount: Math.max(1, rowCount) }).batches(options);
    const { dataSizeBytes: sizeBytes } = this.#record;
    return { requestId, schema: this.schema, rowCount, sizeBytes, read };
  }

  /** Returns the data with which another process reads it: `openOrdered`. */
  readOrder(): ReadOrder {
    return { dataKey: this.entry.dataKey, record: encodeCommitRecord(this.#record) };
  }

  /**
   * Plans a page; does no I/O.
   *
   * @throws OFFSET_OUT_OF_RANGE when the page starts past the end of the result
   */
  page(request: PageRequest): ResultPage {
    const range = resolveRowRange(request, this.#record.rowCount);
    const plan = planPage(this.#record.spans, range);
    return new ResultPage(this.schema, range, plan, this.#source);
  }
}
