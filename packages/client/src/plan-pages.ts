import type { PageRequest } from '@quire/core/portable';

/** Rows to walk through, page by page. */
export interface Walk {
  /** The rows `[start, end)`. */
  readonly start: number;
  readonly end: number;
  readonly pageSize: number;
  /** The last page first. */
  readonly backward?: boolean | undefined;
}

/** The pages of a walk: without a gap or an overlap, each full but for the last that is given. */
export function* planPages({ start, end, pageSize, backward }: Walk): Generator<PageRequest, void, undefined> {
  if (backward === true) {
    for (let rowsLeft = end - start; rowsLeft > 0; rowsLeft -= pageSize) {
      const rowCount = Math.min(pageSize, rowsLeft);
      yield { offset: start + rowsLeft - rowCount, rowCount };
    }
  } else {
    for (let offset = start; offset < end; offset += pageSize) yield { offset, rowCount: Math.min(pageSize, end - offset) };
  }
}
