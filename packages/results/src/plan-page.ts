import type { ByteRange, RowRange } from '@quire/core';
import type { BatchSpans } from './batch-spans.ts';

/** One batch that a page touches, and the rows of it that belong to the page. */
export interface PlannedBatch {
  readonly index: number;
  /** Where the message lies in the data file. */
  readonly bytes: ByteRange;
  readonly checksum: number;
  /** First and last (exclusive) row of the page, counted within the batch. */
  readonly rows: RowRange;
}

/** What to read for a page: the touched batches, which lie one behind the other in `bytes`. */
export interface PagePlan {
  readonly bytes: ByteRange;
  readonly batches: readonly PlannedBatch[];
}

/**
 * Plans the page of `rows`, a range within the result; pure. An empty range touches nothing.
 *
 * Cost: proportional to the index of the last touched batch (one addition each), not to the rows of the result.
 */
export function planPage(spans: BatchSpans, rows: RowRange): PagePlan {
  const batches: PlannedBatch[] = [];
  let offset = spans.firstOffset;
  if (rows.end > rows.start) {
    const first = Math.floor(rows.start / spans.rowsPerBatch);
    const last = Math.floor((rows.end - 1) / spans.rowsPerBatch);
    for (let index = 0; index <= last; index += 1) {
      const length = spans.lengths[index] ?? 0;
      if (index >= first) {
        const firstRow = index * spans.rowsPerBatch;
        batches.push({
          index,
          bytes: { start: offset, end: offset + length },
          checksum: spans.checksums[index] ?? 0,
          rows: { start: Math.max(0, rows.start - firstRow), end: Math.min(spans.rowsPerBatch, rows.end - firstRow) },
        });
      }
      offset += length;
    }
  }
  const start = batches[0]?.bytes.start ?? spans.firstOffset;
  return { bytes: { start, end: batches.at(-1)?.bytes.end ?? start }, batches };
}
