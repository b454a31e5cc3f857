import { type CallOptions, isQuireError, QuireError, type RequestId } from '@quire/core';
import type { ReadBatch } from './batch-reader.ts';
import type { PageReader } from './page-reader.ts';
import type { PagePlan } from './plan-page.ts';
import type { OpenRecord, RecordReader } from './record-reader.ts';
import type { RemovedResults } from './removed-results.ts';
import type { PageSource } from './result-page.ts';

interface StoredPagesParts {
  readonly pages: PageReader;
  readonly records: RecordReader;
  readonly removed: RemovedResults;
  /** As `ResultStore.open`. */
  readonly open: (requestId: RequestId, options: CallOptions) => Promise<unknown>;
}

/**
 * Pages of results as they stand: of one that is gone, even its batches that are at hand are not
 * shown any more.
 */
export class StoredPages {
  readonly #parts: StoredPagesParts;

  constructor(parts: StoredPagesParts) {
    this.#parts = parts;
  }

  of(open: OpenRecord): PageSource {
    const { pages, records, removed } = this.#parts;
    const { entry, record } = open;
    return {
      pool: pages.pool,
      read: (...call) => this.#read(open, ...call),
      readAtHand: (plan) => {
        const stands =
          removed.errorFor(entry.requestId) === undefined &&
          records.atHand(entry.requestId) !== undefined;
        return stands ? pages.readAtHand(entry.dataKey, record, plan) : undefined;
      },
    };
  }

  async *#read(
    { entry, record }: OpenRecord,
    plan: PagePlan,
    options: CallOptions,
  ): AsyncGenerator<ReadBatch> {
    const { pages, records, removed, open } = this.#parts;
    try {
      // The batches may be at hand, of a result that somebody else has removed since it was opened.
      await open(entry.requestId, options);
      yield* pages.read(entry.dataKey, record, plan, options);
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      records.forget(entry.requestId);
      // A removal deletes the commit record first: where that stands, the file was lost, and may
      // come back.
      if (await records.isCommitted(entry, options)) {
        const message = `The data file ${entry.dataKey} is missing, though the commit record of its result is there.`;
        throw new QuireError('RESULT_CORRUPT', message, { cause: error });
      }
      // Somebody else removed it under us: a cleaner, or another broker.
      removed.add(entry.requestId, records.isExpired(entry) ? 'expired' : 'deleted', record.owner);
      throw removed.errorFor(entry.requestId) ?? error;
    }
  }
}
