import type { ArrowCodec } from '@quire/core/wire';
import { type PageRequest, QuireError, resolveRowRange } from '@quire/core/portable';
import { concatenate } from './concatenate.ts';
import {
  type DownloadFormat,
  isJoinedFormat,
  type JoinedFormat,
  pageFormatOf,
  pieceOf,
} from './document-pieces.ts';
import { readAhead } from './read-ahead.ts';
import { type Caller, readPageBytes, type ResultAddress, streamPageBytes } from './result-calls.ts';

/**
 * How far a download has come. Kept, it lets another download go on there, in another process as
 * well.
 */
export interface DownloadPosition {
  /** The row that comes next. */
  readonly offset: number;
  /** Bytes that were given so far. */
  readonly sizeBytes: number;
}

/** How far a download is. */
export interface DownloadProgress {
  readonly rowCount: number;
  readonly totalRowCount: number;
  readonly sizeBytes: number;
}

/** What a download holds, and how it is read. */
export interface DownloadOptions {
  readonly format: DownloadFormat;
  /**
   * With Arrow: the codecs that your reader has, such as `['zstd', 'lz4']` for pyarrow. Batches
   * that are stored with one of them come as they are stored, in fewer bytes. Absent: buffers are
   * plain, as apache-arrow's JavaScript and every other reader expect them.
   */
  readonly compression?: readonly ArrowCodec[] | undefined;
  /**
   * With CSV: `escape` has an apostrophe before texts that begin with =, +, -, @, tab or carriage
   * return, which spreadsheets would take for formulas. Absent: every text is as it is.
   */
  readonly formulas?: 'escape' | undefined;
  /** Rows of the result to leave out at the start. */
  readonly offset?: number | undefined;
  /** Rows to download at most; absent: all. */
  readonly rowCount?: number | undefined;
  /** Rows of one request; a download holds two such pages. Absent: as many as come to 4 MiB. */
  readonly pageSize?: number | undefined;
  /**
   * `position` of an earlier download with the same format, offset and rowCount, to go on there.
   */
  readonly from?: DownloadPosition | undefined;
  /** Told after each page, before it is given. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A page of unknown rows is small, in case they are large; what it weighs tells how many rows the
 * next one may have.
 */
export const firstPageRowCount = 1000;
const pageSizeBytes = 4 * 1024 * 1024;

/**
 * A result as one document in a format, page by page: each chunk is whole rows, and all chunks
 * together are the document. Parquet, whose pages cannot be joined, is streamed as one page.
 *
 * A page that is cut short is asked for again, and given once. When the loop ends in an error all
 * the same, looping over the download again goes on behind the last chunk that was given, and so
 * does a new one `from` its position. One loop at a time.
 *
 * @throws as a page call
 */
export class Download implements AsyncIterable<Uint8Array> {
  readonly #caller: Caller;
  readonly #result: ResultAddress;
  readonly #options: DownloadOptions;
  readonly #resultRowCount: number;
  readonly #start: number;
  readonly #end: number;
  #pageRowCount: number;
  #position: DownloadPosition;

  /**
   * @throws INVALID_PARAMETER when a number is not valid, or the position is of another download;
   * OFFSET_OUT_OF_RANGE
   */
  constructor(
    caller: Caller,
    result: ResultAddress,
    resultRowCount: number,
    options: DownloadOptions,
    pageRowCount = firstPageRowCount,
  ) {
    const { offset = 0, rowCount = resultRowCount, pageSize = pageRowCount, from } = options;
    for (const [name, value, least] of [
      ['offset', offset, 0],
      ['rowCount', rowCount, 0],
      ['pageSize', pageSize, 1],
    ] as const) {
      if (Number.isSafeInteger(value) && value >= least) continue;
      throw new QuireError(
        'INVALID_PARAMETER',
        `${name} is ${value}; expected an integer from ${least} on.`,
      );
    }
    this.#caller = caller;
    this.#result = result;
    this.#options = options;
    this.#resultRowCount = resultRowCount;
    const rows = resolveRowRange({ offset, rowCount }, resultRowCount);
    this.#start = rows.start;
    this.#end = rows.end;
    this.#pageRowCount = pageSize;
    this.#position = from ?? { offset: this.#start, sizeBytes: 0 };
    const { offset: next, sizeBytes } = this.#position;
    if (
      !(next >= this.#start && next <= this.#end && sizeBytes >= 0 && Number.isSafeInteger(next))
    ) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `Row ${next} is not a position in the rows from ${this.#start} to ${this.#end} that are to be downloaded.`,
      );
    }
  }

  /** How far it has come: behind the chunk that was given last. */
  get position(): DownloadPosition {
    return this.#position;
  }

  /** Rows of the document. */
  get totalRowCount(): number {
    return this.#end - this.#start;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const { format, signal, onProgress } = this.#options;
    if (!isJoinedFormat(format)) return yield* this.#streamPage();
    const read = (page: PageRequest, pageSignal: AbortSignal) =>
      this.#readPiece(format, page, pageSignal);
    for await (const { end, piece } of readAhead(this.#pagesLeft(), read, signal)) {
      this.#position = { offset: end, sizeBytes: this.#position.sizeBytes + piece.byteLength };
      const { sizeBytes } = this.#position;
      onProgress?.({ rowCount: end - this.#start, totalRowCount: this.totalRowCount, sizeBytes });
      if (piece.byteLength > 0) yield piece;
    }
  }

  /** All that is left of the document at once, in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return concatenate(chunks);
  }

  /**
   * What is left of the document as a stream of the web: for a `Response`, or to be piped to a
   * file.
   */
  toReadableStream(): ReadableStream<Uint8Array> {
    const chunks = this[Symbol.asyncIterator]();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await chunks.return();
        },
      },
      // A chunk is a page: the one that is read ahead is enough.
      { highWaterMark: 0 },
    );
  }

  /** The document as one page, from the byte on that comes next. */
  async *#streamPage(): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal, onProgress } = this.#options;
    const { totalRowCount } = this;
    const firstByte = this.#position.sizeBytes;
    if (this.#position.offset === this.#end && firstByte > 0) return;
    const page = { ...this.#options, offset: this.#start, rowCount: Math.max(1, totalRowCount) };
    const chunks =
      totalRowCount === 0
        ? [
            await readPageBytes(
              this.#caller,
              this.#result,
              { ...page, expectedRowCount: 0 },
              { signal },
            ),
          ]
        : streamPageBytes(this.#caller, this.#result, page, { signal, firstByte });
    const advance = (offset: number, byteCount: number): void => {
      this.#position = { offset, sizeBytes: this.#position.sizeBytes + byteCount };
      const { sizeBytes } = this.#position;
      onProgress?.({ rowCount: offset - this.#start, totalRowCount, sizeBytes });
    };
    for await (const bytes of chunks) {
      advance(this.#start, bytes.byteLength);
      yield bytes;
    }
    advance(this.#end, 0);
  }

  async #readPiece(
    format: JoinedFormat,
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<{ readonly end: number; readonly piece: Uint8Array }> {
    const isEmpty = this.totalRowCount === 0;
    const asked = {
      ...this.#options,
      ...page,
      format: pageFormatOf(format),
      expectedRowCount: isEmpty ? 0 : page.rowCount,
    };
    const bytes = await readPageBytes(this.#caller, this.#result, asked, { signal });
    if (this.#options.pageSize === undefined) {
      this.#pageRowCount = rowsOfNextPage(page.rowCount, bytes.byteLength);
    }
    const end = isEmpty ? this.#end : page.offset + page.rowCount;
    const position = { isFirst: isEmpty || page.offset === this.#start, isLast: end === this.#end };
    return { end, piece: pieceOf(format, bytes, position) };
  }

  #pagesLeft(): Iterator<PageRequest> {
    const { offset, sizeBytes } = this.#position;
    // A document without rows has a header all the same; the page behind the last row is one
    // without rows.
    if (this.totalRowCount === 0 && sizeBytes === 0) {
      return [{ offset: this.#resultRowCount, rowCount: 1 }].values();
    }
    return this.#pagesFrom(offset);
  }

  *#pagesFrom(start: number): Generator<PageRequest, void, undefined> {
    for (let offset = start; offset < this.#end;) {
      const rowCount = Math.min(this.#pageRowCount, this.#end - offset);
      yield { offset, rowCount };
      offset += rowCount;
    }
  }
}

/** Sizes the pages to come by one that came, ten times as large at the most: rows differ. */
export function rowsOfNextPage(rowCount: number, sizeBytes: number): number {
  const fitting = Math.floor((rowCount * pageSizeBytes) / Math.max(1, sizeBytes));
  return Math.max(1, Math.min(fitting, 10 * rowCount));
}
