import type { QuireClient, ResultCursor } from '@quire/client';
import { abortError, systemClock } from '@quire/core/portable';
import {
  CompressionType,
  setCompressionCodec,
  type Table,
  tableFromIPC,
  Type,
} from '@uwdata/flechette';
import { decompress } from 'fzstd';
import { type CellField, cellJson, cellText } from './cell-text.ts';
import { decompressLz4 } from './lz4-frame.ts';

const encode = (): never => {
  throw new Error('Pages are read here, not written.');
};
setCompressionCodec(CompressionType.ZSTD, { encode, decode: (bytes) => decompress(bytes) });
// flechette returns the length that precedes the bytes, and its types do not declare that.
const decodeLz4 = (bytes: Uint8Array, length = 0): Uint8Array => decompressLz4(bytes, length);
setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: decodeLz4 });

/** The facts about a stored result that a grid needs. */
export type OpenResult = Pick<ResultCursor, 'requestId' | 'columns' | 'totalRowCount' | 'broker'>;

/** The cells of a page: as many rows as make a page of moderate size. */
const cellsPerPage = 20_000;
const pageRowsRange = { least: 100, most: 2000 };
/** The number of cached pages; the least recently used one is evicted first. */
const cachedPagesMax = 24;
/**
 * The rows must stay visible for this long before their pages are requested, so that scrolling past
 * them requests none.
 */
const settleMs = 40;

interface Loading {
  readonly page: Promise<Table>;
  readonly controller: AbortController;
  waitingCount: number;
}

/**
 * All rows of a result, fetched as Arrow pages around the visible ones, and evicted elsewhere:
 * memory stays constant.
 */
export class ResultPages {
  readonly result: OpenResult;
  readonly pageRowCount: number;
  readonly #client: QuireClient;
  readonly #pages = new Map<number, Table>();
  readonly #loading = new Map<number, Loading>();

  constructor(client: QuireClient, result: OpenResult) {
    this.#client = client;
    this.result = result;
    const fitting = Math.floor(cellsPerPage / Math.max(1, result.columns.length));
    this.pageRowCount = Math.min(pageRowsRange.most, Math.max(pageRowsRange.least, fitting));
  }

  /** Returns a cell as text, null for a null; undefined while its page is not loaded. */
  textAt(row: number, column: number): string | null | undefined {
    return this.#valueAt(row, column, cellText);
  }

  /** Returns a cell as JSON; undefined while its page is not loaded. */
  jsonAt(row: number, column: number): unknown {
    return this.#valueAt(row, column, cellJson);
  }

  /** Returns the kind of a column of times; undefined for others, and until a page is loaded. */
  timeKindOf(column: number): 'DATE' | 'TIMESTAMP' | undefined {
    const [page] = this.#pages.values();
    const typeId = page?.schema.fields[column]?.type.typeId;
    return typeId === Type.Date ? 'DATE' : typeId === Type.Timestamp ? 'TIMESTAMP' : undefined;
  }

  /**
   * Fetches the missing rows of `[start, end)`.
   *
   * @throws RESULT_EXPIRED, RESULT_DELETED, RESULT_EVICTED when the result no longer exists;
   *   ABORTED when the signal was aborted
   */
  async load(
    start: number,
    end: number,
    signal?: AbortSignal,
    { atOnce = false } = {},
  ): Promise<void> {
    const wanted = this.#pagesOf(start, end).filter((page) => this.#touch(page) === undefined);
    if (wanted.length === 0) return;
    if (!atOnce) await systemClock.sleep(settleMs, signal);
    await Promise.all(wanted.map((page) => this.#loadPage(page, signal)));
  }

  #pagesOf(start: number, end: number): readonly number[] {
    const [first, last] = [
      Math.floor(start / this.pageRowCount),
      Math.ceil(Math.min(end, this.result.totalRowCount) / this.pageRowCount),
    ];
    return Array.from({ length: Math.max(0, last - first) }, (_none, index) => first + index);
  }

  #valueAt<Value>(
    row: number,
    column: number,
    read: (value: unknown, field: CellField) => Value,
  ): Value | undefined {
    const page = this.#pages.get(Math.floor(row / this.pageRowCount));
    const field = page?.schema.fields[column];
    if (page === undefined || field === undefined) return undefined;
    return read(page.getChildAt(column).get(row % this.pageRowCount), field);
  }

  /** Returns the page, if it is loaded, and marks it as used. */
  #touch(index: number): Table | undefined {
    const page = this.#pages.get(index);
    if (page === undefined) return undefined;
    this.#pages.delete(index);
    this.#pages.set(index, page);
    return page;
  }

  /** Several callers may wait for one page; the call ends when none waits any more. */
  async #loadPage(index: number, signal?: AbortSignal): Promise<void> {
    if (this.#touch(index) !== undefined) return;
    if (signal?.aborted === true) throw abortError(signal);
    const loading = this.#loading.get(index) ?? this.#begin(index);
    loading.waitingCount += 1;
    const gone = Promise.withResolvers<never>();
    const onAbort = (): void => {
      loading.waitingCount -= 1;
      if (loading.waitingCount === 0) {
        this.#loading.delete(index);
        loading.controller.abort();
      }
      if (signal !== undefined) gone.reject(abortError(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([loading.page, gone.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #begin(index: number): Loading {
    const controller = new AbortController();
    const page = this.#fetch(index, controller.signal);
    const loading: Loading = { page, controller, waitingCount: 0 };
    this.#loading.set(index, loading);
    page.then(
      (table) => {
        this.#loading.delete(index);
        this.#pages.set(index, table);
        for (const oldest of this.#pages.keys()) {
          if (this.#pages.size <= cachedPagesMax) break;
          this.#pages.delete(oldest);
        }
      },
      () => {
        if (this.#loading.get(index) === loading) this.#loading.delete(index);
      },
    );
    return loading;
  }

  async #fetch(index: number, signal: AbortSignal): Promise<Table> {
    const { requestId, broker, totalRowCount } = this.result;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    const page = { offset: index * this.pageRowCount, rowCount: this.pageRowCount } as const;
    const asked = {
      ...page,
      format: 'arrow',
      compression: ['zstd', 'lz4'],
      broker,
      signal,
    } as const;
    for await (const chunk of this.#client.stream(requestId, asked)) {
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    }
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    const options = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true };
    const table = tableFromIPC(bytes, options);
    // A proxy may end a broken page like a whole one; a result that grows may have more rows.
    const expected = Math.min(page.rowCount, totalRowCount - page.offset);
    if (table.numRows >= expected) return table;
    throw new Error(
      `The page from row ${page.offset + 1} has ${table.numRows} rows; expected ${expected}.`,
    );
  }
}
