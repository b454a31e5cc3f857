import { type CallOptions, isQuireError } from '@quire/core';
import type { ReadBatch } from './batch-reader.ts';
import type { LiveResults } from './live-results.ts';
import type { PageReader } from './page-reader.ts';
import type { PagePlan } from './plan-page.ts';
import type { OpenRecord } from './commit-record.ts';
import type { PageSource } from './result-page.ts';

/**
 * Returns the pages of a result while it is live: once it is gone, not even cached batches are
 * served.
 */
export function storedPages(open: OpenRecord, live: LiveResults, pages: PageReader): PageSource {
  const { entry, record } = open;
  return {
    pool: pages.pool,
    threads: pages.threads,
    readCached: (plan) =>
      live.openCached(entry.requestId) && pages.readCached(entry.dataKey, record, plan),
    readCachedInto: (plan, target) =>
      live.openCached(entry.requestId) !== undefined &&
      pages.readCachedInto(entry.dataKey, plan, target),
    async *read(plan: PagePlan, options: CallOptions): AsyncGenerator<ReadBatch> {
      try {
        await live.open(entry.requestId, options);
        yield* pages.read(entry.dataKey, record, plan, options);
      } catch (error) {
        if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
        throw await live.explainMissingData(open, error, options);
      }
    },
  };
}
