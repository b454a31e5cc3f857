import type { ByteRange, RowRange } from '@quire/core';
import type { BatchSpans } from './batch-spans.ts';

/** One batch of a page, and the rows of it that belong to the page. */
export interface PlannedBatch {
  readonly index: number;
  /** The position of the message in the data file. */
  readonly bytes: ByteRange;
  readonly checksum: number;
  /** First and last (exclusive) row of the page, counted within the batch. */
  readonly rows: RowRange;
}

/** The reads for a page: its batches, which are contiguous in `bytes`. */
export interface PagePlan {
  /** The page, in rows of the result. */
  readonly rows: RowRange;
  readonly bytes: ByteRange;
  readonly batches: readonly PlannedBatch[];
}

/**
 * Plans the page of `rows`, a range within the result. Pure. An empty range reads nothing. Cost:
 * proportional to the batches of the page, independent of the result's size.
 */
export function planPage(spans: BatchSpans, rows: RowRange): PagePlan {
  const { rowsPerBatch, firstOffset, ends, checksums } = spans;
  const batches: PlannedBatch[] = [];
  if (rows.end > rows.start) {
    const last = Math.floor((rows.end - 1) / rowsPerBatch);
    for (let index = Math.floor(rows.start / rowsPerBatch); index <= last; index += 1) {
      const firstRow = index * rowsPerBatch;
      const start = index === 0 ? firstOffset : (ends[index - 1] ?? firstOffset);
      batches.push({
        index,
        bytes: { start, end: ends[index] ?? start },
        checksum: checksums[index] ?? 0,
        rows: {
          start: Math.max(0, rows.start - firstRow),
          end: Math.min(rowsPerBatch, rows.end - firstRow),
        },
      });
    }
  }
  const start = batches[0]?.bytes.start ?? firstOffset;
  return { rows, bytes: { start, end: batches.at(-1)?.bytes.end ?? start }, batches };
}

/** Returns the plan for some consecutive batches of a page. */
export function batchesOf(plan: PagePlan, batches: readonly PlannedBatch[]): PagePlan {
  const start = batches[0]?.bytes.start ?? plan.bytes.start;
  return { ...plan, bytes: { start, end: batches.at(-1)?.bytes.end ?? start }, batches };
}
