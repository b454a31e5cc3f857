import type { ArrowCodec } from '@quire/core/wire';
import { isQuireError, type PageRequest, QuireError, resolveRowRange } from '@quire/core/portable';
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
 * The position of a download. Saved, it allows another download to continue there, even in another
 * process.
 */
export interface DownloadPosition {
  /** The next row. */
  readonly offset: number;
  /** The number of bytes so far. */
  readonly sizeBytes: number;
}

/** The progress of a download. */
export interface DownloadProgress {
  readonly rowCount: number;
  readonly totalRowCount: number;
  readonly sizeBytes: number;
}

/** The format and the range of a download, and how it is read. */
export interface DownloadOptions {
  readonly format: DownloadFormat;
  /**
   * For Arrow: the codecs that your reader supports, such as `['zstd', 'lz4']` for pyarrow. Batches
   * that are stored with one of them are transferred compressed. Absent: buffers are plain, which
   * every reader supports, including apache-arrow for JavaScript.
   */
  readonly compression?: readonly ArrowCodec[] | undefined;
  /**
   * For CSV: `escape` adds an apostrophe before texts that start with =, +, -, @, tab or carriage
   * return, which spreadsheets would interpret as formulas. Absent: texts are unchanged.
   */
  readonly formulas?: 'escape' | undefined;
  /** Rows of the result to skip at the start. */
  readonly offset?: number | undefined;
  /** The maximum number of rows; absent: all. */
  readonly rowCount?: number | undefined;
  /** Rows in one request; a download holds two such pages. Absent: about 4 MiB. */
  readonly pageSize?: number | undefined;
  /**
   * The `position` of an earlier download with the same format, offset and rowCount, to continue
   * there.
   */
  readonly from?: DownloadPosition | undefined;
  /** Called after each page, before it is yielded. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The number of rows of the first page, which is small in case the rows are large. Its size
 * determines the number of rows of the next one.
 */
export const firstPageRowCount = 1000;
const pageSizeBytes = 4 * 1024 * 1024;

/**
 * A result as one document in a format, page by page: each chunk consists of whole rows, and all
 * chunks together are the document. Parquet, whose pages cannot be joined, is streamed as one page.
 *
 * A page that is cut short is requested again, and yielded once. If the loop still ends in an
 * error, iterating over the download again continues after the last chunk, and so does a new
 * download `from` its position. Only one loop may run at a time.
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
   * Creates a download.
   *
   * @throws INVALID_PARAMETER when a number is not valid, or the position is of another download;
   *   OFFSET_OUT_OF_RANGE
   */
  constructor(
    caller: Caller,
    result: ResultAddress,
    resultRowCount: number,
    options: DownloadOptions,
    pageRowCount = firstPageRowCount,
  ) {
    const { offset = 0, rowCount = resultRowCount, pageSize = pageRowCount, from } = options;
    assertCounts({ offset, rowCount, pageSize });
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

  /** The position after the last chunk that was yielded. */
  get position(): DownloadPosition {
    return this.#position;
  }

  /** Number of rows in the document. */
  get totalRowCount(): number {
    return this.#end - this.#start;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#chunks(this.#options.signal);
  }

  async *#chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, undefined> {
    const { format, onProgress } = this.#options;
    if (!isJoinedFormat(format)) return yield* this.#streamPage(signal);
    const read = (page: PageRequest, pageSignal: AbortSignal) =>
      this.#readPiece(format, page, pageSignal);
    for await (const { end, piece } of readAhead(this.#pagesLeft(), read, signal)) {
      const sizeBytes = this.#position.sizeBytes + piece.byteLength;
      // First, because a chunk whose callback throws is not yielded.
      onProgress?.({ rowCount: end - this.#start, totalRowCount: this.totalRowCount, sizeBytes });
      this.#position = { offset: end, sizeBytes };
      if (piece.byteLength > 0) yield piece;
    }
  }

  /** Returns the rest of the document in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return concatenate(chunks);
  }

  /** Returns the rest of the document as a web stream, for a `Response` or to pipe to a file. */
  toReadableStream(): ReadableStream<Uint8Array> {
    const { signal } = this.#options;
    const cancelled = new AbortController();
    const chunks = this.#chunks(AbortSignal.any([cancelled.signal, ...(signal ? [signal] : [])]));
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          // Returning alone would wait for the page that is being loaded.
          cancelled.abort();
          await chunks.return();
        },
      },
      // A chunk is a page: reading one page ahead is sufficient.
      { highWaterMark: 0 },
    );
  }

  /** Yields the document as one page, from the next byte. */
  async *#streamPage(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, undefined> {
    const { onProgress } = this.#options;
    const { totalRowCount } = this;
    const firstByte = this.#position.sizeBytes;
    if (this.#position.offset === this.#end && firstByte > 0) return;
    // The page after the last row of the result is empty.
    const offset = totalRowCount === 0 ? this.#resultRowCount : this.#start;
    const page = { ...this.#options, offset, rowCount: Math.max(1, totalRowCount) };
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
      const sizeBytes = this.#position.sizeBytes + byteCount;
      onProgress?.({ rowCount: offset - this.#start, totalRowCount, sizeBytes });
      this.#position = { offset, sizeBytes };
    };
    try {
      for await (const bytes of chunks) {
        advance(this.#start, bytes.byteLength);
        yield bytes;
      }
    } catch (error) {
      // The position is after the last byte, whose download was not continued to its end.
      const isComplete = firstByte > 0 && isQuireError(error, 'OFFSET_OUT_OF_RANGE');
      if (!isComplete || this.#position.sizeBytes > firstByte) throw error;
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
    // A document without rows still has a header; the page after the last row is empty.
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

/**
 * Checks the numbers of a download. @throws INVALID_PARAMETER when one of them is not valid
 */
export function assertCounts(
  { offset, rowCount, pageSize }: Record<'offset' | 'rowCount' | 'pageSize', number>,
  rowCountLeast = 0,
): void {
  for (const [name, value, least] of [
    ['offset', offset, 0],
    ['rowCount', rowCount, rowCountLeast],
    ['pageSize', pageSize, 1],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw new QuireError(
      'INVALID_PARAMETER',
      `${name} is ${value}; expected an integer of at least ${least}.`,
    );
  }
}

/**
 * Returns the number of rows of the next pages, from the size of the last page. It is at most ten
 * times as large as before, because rows differ in size.
 */
export function rowsOfNextPage(rowCount: number, sizeBytes: number): number {
  const fitting = Math.floor((rowCount * pageSizeBytes) / Math.max(1, sizeBytes));
  return Math.max(1, Math.min(fitting, 10 * rowCount));
}
