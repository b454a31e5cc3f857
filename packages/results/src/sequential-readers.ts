import type { RequestId, RowRange } from '@quire/core';
import { LRUCache } from 'lru-cache';

/** How many results are watched for readers that walk through them. */
const resultsMax = 1024;

/** Tells who walks through a result, page by page, from where the last page of it was. */
export class SequentialReaders {
  readonly #lastPages = new LRUCache<RequestId, RowRange>({ max: resultsMax });

  /** The page that will be asked for next, when this one lies next to the last one of the result; undefined at the result's ends. */
  nextOf(requestId: RequestId, rows: RowRange, rowCount: number): RowRange | undefined {
    const last = this.#lastPages.get(requestId);
    this.#lastPages.set(requestId, rows);
    if (last === undefined || rows.end === rows.start) return undefined;
    // The last page of a walk may be shorter than the others.
    const pageRowCount = Math.max(rows.end - rows.start, last.end - last.start);
    if (rows.start === last.end && rows.end < rowCount) {
      return { start: rows.end, end: Math.min(rows.end + pageRowCount, rowCount) };
    }
    if (rows.end === last.start && rows.start > 0) return { start: Math.max(0, rows.start - pageRowCount), end: rows.start };
    return undefined;
  }
}
