import type { ByteRange, RowRange } from '@quire/core';
import { batchOfRow, type BatchSpans, rowsOfBatch } from './batch-spans.ts';

/** One batch of a page, and the rows of it that belong to the page. */
export interface PlannedBatch {
  readonly index: number;
  /** The position of the message in the data file. */
  readonly bytes: ByteRange;
  readonly checksum: number;
  /** First and last (exclusive) row of the page, counted within the batch. */
  readonly rows: RowRange;
  /** The number of rows in the batch; the last one of a result may have fewer. */
  readonly rowCountMax: number;
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
 * proportional to the batches of the page, and at most logarithmic in the result's size.
 */
export function planPage(spans: BatchSpans, rows: RowRange): PagePlan {
  const { firstOffset, ends, checksums } = spans;
  const batches: PlannedBatch[] = [];
  if (rows.end > rows.start) {
    const last = batchOfRow(spans, rows.end - 1);
    for (let index = batchOfRow(spans, rows.start); index <= last; index += 1) {
      const { start: firstRow, end: endRow } = rowsOfBatch(spans, index);
      const rowCountMax = endRow - firstRow;
      const start = index === 0 ? firstOffset : (ends[index - 1] ?? firstOffset);
      batches.push({
        index,
        bytes: { start, end: ends[index] ?? start },
        checksum: checksums[index] ?? 0,
        rows: {
          start: Math.max(0, rows.start - firstRow),
          end: Math.min(rowCountMax, rows.end - firstRow),
        },
        rowCountMax,
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
