import { type ArrowCodec, pageHeaders } from '@quire/core/wire';
import { type Clock, isQuireError } from '@quire/core/portable';
import { type JoinableFormat, pieceOf } from './document-pieces.ts';
import { assertCounts, Download, firstPageRowCount, rowsOfNextPage } from './download.ts';
import {
  assertAsked,
  type RequestedPage,
  assertRowCount,
  type Caller,
  hasAllRows,
  type PageForm,
  pageRequest,
  type ResultAddress,
} from './result-calls.ts';

/** The progress of the download of a growing result. */
export interface GrowingDownloadProgress {
  readonly rowCount: number;
  /** Number of rows in the document; undefined while the query runs. */
  readonly totalRowCount: number | undefined;
  readonly sizeBytes: number;
}

/** The format and the range of the download of a growing result, and how it is read. */
export interface GrowingDownloadOptions {
  readonly format: JoinableFormat;
  /** As in `DownloadOptions`. */
  readonly compression?: readonly ArrowCodec[] | undefined;
  /** As in `DownloadOptions`. */
  readonly formulas?: 'escape' | undefined;
  /** Rows of the result to skip at the start. */
  readonly offset?: number | undefined;
  /** The maximum number of rows, at least 1; absent: all. */
  readonly rowCount?: number | undefined;
  /** Rows in one request. Absent: about 4 MiB. */
  readonly pageSize?: number | undefined;
  /** Called after each page, before it is yielded. */
  readonly onProgress?: ((progress: GrowingDownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The functions of a running query that the download uses. */
export interface GrowingSource {
  readonly caller: Caller;
  readonly address: ResultAddress;
  readonly clock: Clock;
}

const pauseMs = 200;

/** The existing part of a page; `totalRowCount` is known once the query has ended. */
interface PagePart {
  readonly bytes: Uint8Array;
  readonly rowCount: number;
  readonly totalRowCount: number | undefined;
}

/**
 * Yields a result as one document, whose rows are yielded as they are produced: together, the
 * chunks are the same bytes as `Download` of the finished result.
 *
 * @throws the code that the query failed with: the earlier chunks are then not a document;
 *   INVALID_PARAMETER when a number is not valid
 */
export async function* downloadGrowing(
  source: GrowingSource,
  options: GrowingDownloadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { format, compression, formulas, pageSize, onProgress, signal } = options;
  const { offset: start = 0, rowCount: wanted = Number.MAX_SAFE_INTEGER - start } = options;
  let pageRowCount = pageSize ?? firstPageRowCount;
  // On the wire, 0 rows are a page of the server's size.
  assertCounts({ offset: start, rowCount: wanted, pageSize: pageRowCount }, 1);
  const stop = start + wanted;
  let position = { offset: start, sizeBytes: 0 };
  for (let isFirst = true; ;) {
    const asked = {
      offset: position.offset,
      rowCount: Math.min(pageRowCount, stop - position.offset),
    };
    const part = await readPart(source, { ...asked, format, compression, formulas }, signal);
    if (part === undefined) {
      await pause(source.clock, signal);
      continue;
    }
    const { bytes, rowCount, totalRowCount } = part;
    const offset = position.offset + rowCount;
    const end = totalRowCount === undefined ? stop : Math.min(stop, totalRowCount);
    const piece = pieceOf(format, bytes, { isFirst, isLast: offset >= end });
    position = { offset, sizeBytes: position.sizeBytes + piece.byteLength };
    const total = totalRowCount === undefined ? undefined : end - start;
    onProgress?.({ rowCount: offset - start, totalRowCount: total, sizeBytes: position.sizeBytes });
    if (piece.byteLength > 0) yield piece;
    isFirst = false;
    if (offset >= end) return;
    if (pageSize === undefined && rowCount > 0) {
      pageRowCount = rowsOfNextPage(rowCount, bytes.byteLength);
    }
    if (totalRowCount !== undefined) {
      // From here on, pages can be read ahead.
      const rest = {
        format,
        compression,
        formulas,
        offset: start,
        rowCount: end - start,
        pageSize,
        from: position,
        onProgress,
        signal,
      };
      yield* new Download(source.caller, source.address, totalRowCount, rest, pageRowCount);
      return;
    }
    if (rowCount === 0) await pause(source.clock, signal);
  }
}

/**
 * Pauses between two calls of a server that does not wait for rows.
 *
 * @throws the signal's reason when it is aborted
 */
export async function pause(clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(pauseMs, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause;
  }
}

/**
 * Reads the existing part of a page, after the server has waited for it; undefined if there are no
 * columns, or less than is usable.
 */
async function readPart(
  source: GrowingSource,
  page: RequestedPage & PageForm & { readonly rowCount: number },
  signal: AbortSignal | undefined,
): Promise<PagePart | undefined> {
  // Arrow's batches end where pages do: only whole pages result in the bytes of a stored result.
  if (page.format === 'arrow' && !(await isWhole(source, page, signal))) return undefined;
  const { headers, bytes } = await call(source, page, signal);
  const isGrowing = headers.get(pageHeaders.state) !== null;
  const rowCountHeader = headers.get(pageHeaders.numRows);
  if (rowCountHeader === null && isGrowing) return undefined;
  const { address } = source;
  const rowCount = Number(rowCountHeader);
  assertAsked(address, page.offset, {
    requestId: headers.get(pageHeaders.requestId) ?? 'nothing known',
    offset: Number(headers.get(pageHeaders.offset)),
  });
  assertRowCount(address, page, Math.min(rowCount, page.rowCount), rowCount);
  if (isGrowing) return { bytes, rowCount, totalRowCount: undefined };
  return { bytes, rowCount, totalRowCount: Number(headers.get(pageHeaders.numRowsResultSet)) };
}

/** Reports whether a page is complete, after the server has waited for its rows. */
async function isWhole(
  source: GrowingSource,
  { offset, rowCount }: { readonly offset: number; readonly rowCount: number },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { headers } = await call(
      source,
      { offset: offset + rowCount - 1, rowCount: 1, format: 'ndjson' },
      signal,
    );
    return (
      headers.get(pageHeaders.state) === null || Number(headers.get(pageHeaders.numRows) ?? 0) > 0
    );
  } catch (error) {
    // The query has ended before that row.
    if (isQuireError(error, 'OFFSET_OUT_OF_RANGE')) return true;
    throw error;
  }
}

function call(
  { caller, address }: GrowingSource,
  page: RequestedPage & PageForm,
  signal: AbortSignal | undefined,
) {
  return caller.http.send(pageRequest(address, page, { signal }), (answer) =>
    hasAllRows(page.format, answer),
  );
}
