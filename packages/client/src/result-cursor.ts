import { type PageRequest, previousPage, QuireError, resolveRowRange } from '@quire/core/portable';
import type { Column, Row, RowObject } from './cells.ts';
import { Download, type DownloadOptions } from './download.ts';
import type { JsonObject } from './json-fields.ts';
import type { BrokerAddress, QueryPage } from './query-page.ts';
import { readAhead } from './read-ahead.ts';
import {
  type Caller,
  deleteResult,
  readMetadata,
  readPage,
  renewResult,
  type SignalOptions,
  unlessLost,
} from './result-calls.ts';
import type { StoredResult } from './stored-result.ts';

/** The server's own default (SPECIFICATION.md section 8.2). */
const usualPageSize = 10_000;

/** The rows of a loop, and its direction. */
export interface WalkOptions extends SignalOptions {
  /**
   * The first row; default: the first one of the result. Backward: the row after the first page;
   * default: the end.
   */
  readonly from?: number | undefined;
  /**
   * The row to stop at, exclusive; default: the end. Backward: the last row, inclusive; default:
   * the first.
   */
  readonly to?: number | undefined;
  readonly backward?: boolean | undefined;
}

/**
 * A stored result and a position in it: pages of any size, forward, backward or anywhere, each read
 * when it is requested.
 *
 * The result never changes, so `columns` and `totalRowCount` apply to all pages. Moves are made
 * sequentially, in the order of their calls; a failed one leaves the cursor unchanged. Loops over
 * `pages` and `rows` do not move it.
 *
 * `await using` deletes the result at the end of the block, unless `keep` is set.
 *
 * @throws RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED, RESULT_NOT_FOUND from every call once the
 * result no longer exists
 */
export class ResultCursor implements AsyncDisposable {
  readonly requestId: string;
  readonly brokerId: string;
  /** The broker of the result, if no other can serve it. */
  readonly broker: BrokerAddress | undefined;
  readonly columns: readonly Column[];
  /** Number of rows in the whole result. */
  readonly totalRowCount: number;
  readonly #caller: Caller;
  readonly #keep: boolean;
  #page: QueryPage;
  #pageSize: number;
  #lastMove: Promise<unknown> = Promise.resolve();

  constructor(
    caller: Caller,
    first: QueryPage,
    options: { readonly pageSize?: number | undefined; readonly keep: boolean },
  ) {
    this.requestId = first.requestId;
    this.brokerId = first.brokerId;
    this.broker = first.broker;
    this.columns = first.columns;
    this.totalRowCount = first.totalRowCount;
    this.#caller = caller;
    this.#keep = options.keep;
    this.#page = first;
    // A page that does not reach the end of the result has the server's page size.
    const isFull = first.offset + first.rows.length < first.totalRowCount;
    this.#pageSize = options.pageSize ?? (isFull ? first.rows.length : usualPageSize);
  }

  /** The page that the cursor is at. */
  get page(): QueryPage {
    return this.#page;
  }

  /** Number of the first row of the page that the cursor is at. */
  get offset(): number {
    return this.#page.offset;
  }

  /** The size of the next pages; may be changed at any time. */
  get pageSize(): number {
    return this.#pageSize;
  }

  /**
   * Sets the size of the next pages. @throws INVALID_PARAMETER when it is not an integer of at
   * least 1
   */
  set pageSize(rowCount: number) {
    if (!Number.isSafeInteger(rowCount) || rowCount < 1) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `pageSize is ${rowCount}; expected an integer of at least 1.`,
      );
    }
    this.#pageSize = rowCount;
  }

  /**
   * Moves to the page after the current one; resolves to null, and does not move, if no row
   * follows.
   */
  next(options: SignalOptions = {}): Promise<QueryPage | null> {
    return this.#move(({ offset, rows }) => {
      const end = offset + rows.length;
      return end < this.totalRowCount ? { offset: end, rowCount: this.#pageSize } : undefined;
    }, options);
  }

  /**
   * Moves to the page before the current one, which is shorter at the start; resolves to null, and
   * does not move, at row 0.
   */
  previous(options: SignalOptions = {}): Promise<QueryPage | null> {
    return this.#move(({ offset }) => previousPage({ offset, rowCount: this.#pageSize }), options);
  }

  /**
   * Moves to the page that starts at a row; the end of the result has an empty one. @throws
   * OFFSET_OUT_OF_RANGE past the end
   */
  async seek(offset: number, options: SignalOptions = {}): Promise<QueryPage> {
    this.#assertRow(offset);
    return (await this.#move(() => ({ offset, rowCount: this.#pageSize }), options)) ?? this.#page;
  }

  /**
   * Returns all pages from a row, and reads the next one ahead; backward, rows within a page are
   * still ascending.
   */
  pages(options: WalkOptions = {}): AsyncGenerator<QueryPage, void, undefined> {
    const { backward, signal } = options;
    const [first, last] = backward === true ? [this.totalRowCount, 0] : [0, this.totalRowCount];
    const { from = first, to = last } = options;
    for (const offset of [from, to]) this.#assertRow(offset);
    const [start, end] = backward === true ? [to, from] : [from, to];
    const plan = planPages({ start, end, pageSize: this.#pageSize, backward });
    return readAhead(plan, (page, pageSignal) => this.#read(page, { signal: pageSignal }), signal);
  }

  [Symbol.asyncIterator](): AsyncGenerator<QueryPage, void, undefined> {
    return this.pages();
  }

  /**
   * Returns all rows from a row, backward in descending order, read with `pages`; optionally as
   * objects.
   */
  rows(options?: WalkOptions & { readonly as?: 'array' }): AsyncGenerator<Row, void, undefined>;
  /** @throws INVALID_PARAMETER when two columns have the same name */
  rows(
    options: WalkOptions & { readonly as: 'object' },
  ): AsyncGenerator<RowObject, void, undefined>;
  async *rows(
    options: WalkOptions & { readonly as?: 'array' | 'object' } = {},
  ): AsyncGenerator<Row | RowObject, void, undefined> {
    for await (const page of this.pages(options)) {
      const rows = options.as === 'object' ? rowObjectsOf(page) : page.rows;
      yield* options.backward === true ? rows.toReversed() : rows;
    }
  }

  /** Returns the whole result, or rows of it, as one document, page by page; can be resumed. */
  download(options: DownloadOptions): Download {
    return new Download(this.#caller, this, this.totalRowCount, options);
  }

  /**
   * Returns the whole result in Arrow's IPC stream format, in memory: `tableFromIPC(await
   * cursor.toArrow())` of apache-arrow reads it.
   */
  toArrow(
    options: Omit<DownloadOptions, 'format' | 'from'> = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.download({ ...options, format: 'arrow' }).bytes();
  }

  /**
   * Returns the whole result as a Parquet file, in memory. `download({ format: 'parquet' })`
   * streams it.
   */
  toParquet(
    options: Pick<DownloadOptions, 'offset' | 'rowCount' | 'onProgress' | 'signal'> = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.download({ ...options, format: 'parquet' }).bytes();
  }

  /**
   * Returns the metadata record of the result's query, as on the wire (SPECIFICATION.md section
   * 2.7).
   */
  metadata(options: SignalOptions = {}): Promise<JsonObject> {
    return readMetadata(this.#caller, this, options);
  }

  /** Renews the result for a duration (`2h`, `1d12h`) from now, limited by the server. */
  renew(duration: string, options: SignalOptions = {}): Promise<StoredResult> {
    return renewResult(this.#caller, this, duration, options);
  }

  /** Deletes the stored result. */
  delete(options: SignalOptions = {}): Promise<void> {
    return deleteResult(this.#caller, this, options);
  }

  /**
   * Deletes the stored result unless it is kept. Ignores a missing result or an unreachable server,
   * because the result expires anyway.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#keep) await unlessLost(() => this.delete());
  }

  #assertRow(offset: number): void {
    resolveRowRange({ offset, rowCount: 1 }, this.totalRowCount);
  }

  #move(
    plan: (present: QueryPage) => PageRequest | undefined,
    options: SignalOptions,
  ): Promise<QueryPage | null> {
    const move = this.#lastMove.then(async () => {
      const page = plan(this.#page);
      if (page === undefined) return null;
      this.#page = await this.#read(page, options);
      return this.#page;
    });
    // The next move waits for this one, whatever its outcome, which its own caller receives.
    this.#lastMove = move.catch(() => undefined);
    return move;
  }

  /** Returns a page of the result, without a call if it is the current page. */
  async #read(page: PageRequest, options: SignalOptions): Promise<QueryPage> {
    const { start, end } = resolveRowRange(page, this.totalRowCount);
    const present = this.#page;
    if (
      present.offset === start &&
      present.rows.length === end - start &&
      options.signal?.aborted !== true
    ) {
      return present;
    }
    return readPage(this.#caller, this, page, options);
  }
}

/**
 * Returns the rows of a page as objects by column name. @throws INVALID_PARAMETER when two columns
 * have the same name
 */
function rowObjectsOf({
  columns,
  rows,
}: Pick<QueryPage, 'columns' | 'rows'>): readonly RowObject[] {
  const names = columns.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const advice = 'give them different names in the SQL, or read rows as arrays';
    throw new QuireError(
      'INVALID_PARAMETER',
      `Two columns have the name '${repeated}': ${advice}.`,
    );
  }
  // Not by assignment: a column may be named __proto__.
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])),
  );
}

/** Rows to read page by page. */
export interface Walk {
  /** The rows `[start, end)`. */
  readonly start: number;
  readonly end: number;
  readonly pageSize: number;
  /** Starts with the last page. */
  readonly backward?: boolean | undefined;
}

/** Yields the pages of a walk without gaps or overlaps, each full except the last one. */
export function* planPages({
  start,
  end,
  pageSize,
  backward,
}: Walk): Generator<PageRequest, void, undefined> {
  if (backward === true) {
    for (let rowsLeft = end - start; rowsLeft > 0; rowsLeft -= pageSize) {
      const rowCount = Math.min(pageSize, rowsLeft);
      yield { offset: start + rowsLeft - rowCount, rowCount };
    }
  } else {
    for (let offset = start; offset < end; offset += pageSize) {
      yield { offset, rowCount: Math.min(pageSize, end - offset) };
    }
  }
}
