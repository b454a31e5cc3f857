import {
  type CallOptions,
  MiB,
  type ObjectStore,
  QuireError,
  type RequestId,
  type RowRange,
} from '@quire/core';
import { LRUCache } from 'lru-cache';
import { BatchCache } from './batch-cache.ts';
import { type CachedBatches, BatchReader, type ReadBatch } from './batch-reader.ts';
import { BufferPool } from './buffer-pool.ts';
import type { CommitRecord } from './commit-record.ts';
import { type PagePlan, planPage } from './plan-page.ts';
import { type PageThreads, poolOf } from './threads/page-threads.ts';

/** The maximum number of pages being read ahead. */
const aheadMax = 4;

export interface PageReaderOptions {
  readonly store: ObjectStore;
  readonly cacheBytesMax?: number | undefined;
  readonly isReadingAhead?: boolean | undefined;
  readonly pageThreads?: PageThreads | undefined;
}

/**
 * Reads pages of results. For readers that walk through a result in either direction, it also reads
 * the next page ahead: into the cache, or as a read in progress that they join. An unused
 * read-ahead costs one request and space in the cache.
 */
export class PageReader {
  readonly cache: BatchCache;
  /** Lends the memory of reads. Its idle memory is that of the threads, if there are any. */
  readonly pool: BufferPool;
  readonly threads: PageThreads | undefined;
  readonly #batches: BatchReader;
  readonly #sequences: SequentialReaders | undefined;
  readonly #closing = new AbortController();
  readonly #ahead = new Set<Promise<void>>();

  constructor({
    store,
    cacheBytesMax = 8 * MiB,
    isReadingAhead = false,
    pageThreads,
  }: PageReaderOptions) {
    this.threads = pageThreads;
    this.pool = new BufferPool({ shared: pageThreads && poolOf(pageThreads).memory });
    this.cache = new BatchCache(cacheBytesMax);
    this.#batches = new BatchReader({ store, cache: this.cache, pool: this.pool });
    this.#sequences = isReadingAhead ? new SequentialReaders() : undefined;
  }

  /** Yields the batches of a page, as `BatchReader.read` does. */
  async *read(
    dataKey: string,
    record: CommitRecord,
    plan: PagePlan,
    options: CallOptions,
  ): AsyncGenerator<ReadBatch> {
    const next = this.#sequences?.nextOf(record.requestId, plan.rows, record.rowCount);
    for await (const batch of this.#batches.read(dataKey, plan, options)) {
      // The page itself is first: reading ahead must not delay it.
      if (next !== undefined && batch.planned === plan.batches.at(-1)) {
        this.#readAhead(dataKey, record, next);
      }
      yield batch;
    }
  }

  /** Reads as `BatchReader.readCached` does. */
  readCached(dataKey: string, record: CommitRecord, plan: PagePlan): CachedBatches | undefined {
    const cached = this.#batches.readCached(dataKey, plan);
    const next = cached && this.#sequences?.nextOf(record.requestId, plan.rows, record.rowCount);
    if (next !== undefined) this.#readAhead(dataKey, record, next);
    return cached;
  }

  /** Reads as `BatchReader.readCachedInto` does; false for readers that read ahead. */
  readCachedInto(dataKey: string, plan: PagePlan, target: Uint8Array): boolean {
    return this.#sequences === undefined && this.#batches.readCachedInto(dataKey, plan, target);
  }

  /** Aborts reading ahead; resolves when no read is running. */
  async close(): Promise<void> {
    this.#closing.abort(new QuireError('SHUTTING_DOWN', 'The results are closed.'));
    await Promise.all(this.#ahead);
  }

  #readAhead(dataKey: string, { spans }: CommitRecord, rows: RowRange): void {
    const { signal } = this.#closing;
    const plan = planPage(spans, rows);
    if (
      this.#ahead.size >= aheadMax ||
      signal.aborted ||
      !this.cache.isFor(plan.bytes.end - plan.bytes.start)
    ) {
      return;
    }
    // A failure is reported to the reader of that page, which reads it again.
    const reading = this.#keep(dataKey, plan, signal)
      .catch(() => undefined)
      .finally(() => this.#ahead.delete(reading));
    this.#ahead.add(reading);
  }

  async #keep(dataKey: string, plan: PagePlan, signal: AbortSignal): Promise<void> {
    for await (const { planned, message } of this.#batches.read(dataKey, plan, { signal })) {
      this.cache.set(dataKey, planned.index, message);
    }
  }
}

/** The number of results that are observed for sequential readers. */
const resultsMax = 1024;

/** Detects readers that walk through a result page by page, from the position of its last page. */
export class SequentialReaders {
  readonly #lastPages = new LRUCache<RequestId, RowRange>({ max: resultsMax });

  /**
   * Returns the next page of a walk if this page is adjacent to the last one of the result;
   * undefined at the result's ends.
   */
  nextOf(requestId: RequestId, rows: RowRange, rowCount: number): RowRange | undefined {
    const last = this.#lastPages.get(requestId);
    this.#lastPages.set(requestId, rows);
    if (last === undefined || rows.end === rows.start) return undefined;
    // The last page of a walk may be shorter than the others.
    const pageRowCount = Math.max(rows.end - rows.start, last.end - last.start);
    if (rows.start === last.end && rows.end < rowCount) {
      return { start: rows.end, end: Math.min(rows.end + pageRowCount, rowCount) };
    }
    if (rows.end === last.start && rows.start > 0) {
      return { start: Math.max(0, rows.start - pageRowCount), end: rows.start };
    }
    return undefined;
  }
}
