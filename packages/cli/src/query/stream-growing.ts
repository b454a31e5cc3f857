import type {
  GrowingCursor,
  GrowingDownloadProgress,
  QueryPage,
  QuireQueryClient,
} from '@quire/client';
import { formatBytes, isQuireError, QuireError } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { FormatsWith } from '@quire/core/wire';
import type { Environment } from '../environment.ts';
import { grouped } from '../phrases.ts';
import { type Progress, showProgress } from '../progress.ts';
import { tabbedHeader, tabbedRow } from '../row-lines.ts';
import { describeProgress } from './download-result.ts';
import { cancelQuietly, pageOf, type QueryRequest, startUnlessAborted } from './query-request.ts';

/**
 * Formats that can be written while the query runs: the output stays valid, whatever rows follow.
 */
export type GrowingFormat = 'tsv' | FormatsWith<'isJoinable'>;

interface GrowingForm {
  readonly format: GrowingFormat;
  readonly formulas?: 'escape' | undefined;
  /** Starts a `tsv` output with a line of column names. */
  readonly header: boolean;
}

export interface GrowingRequest extends QueryRequest {
  readonly queryClient: QuireQueryClient;
}

/** The interval between two calls of a server that does not wait for rows. */
const pauseMs = 200;

/**
 * Runs a query and writes the requested rows as they arrive, in constant memory. Cancels a query
 * that is still running once they are written, on Ctrl-C, and when the reader closes the pipe.
 *
 * @throws the failure of the query; if rows were written before, it says that they are incomplete
 */
export async function streamGrowing(
  environment: Environment,
  request: GrowingRequest,
  { format, formulas, header }: GrowingForm,
): Promise<void> {
  const { queryClient, sql, parameters, offset, signal } = request;
  const rowCount = format === 'tsv' && offset === 0 ? pageOf(request) : 1;
  let isWritten = false;
  const write = async (data: string | Uint8Array): Promise<void> => {
    // A reader that takes nothing must not keep an interrupted command.
    await unlessAborted(environment.stdout.write(data), signal);
    isWritten ||= data.length > 0;
  };
  // The call does not wait for rows, so that the id for cancelling the query is known immediately.
  const cursor = await startUnlessAborted(environment, signal, (startSignal) =>
    queryClient.start(sql, { parameters, rowCount, waitMs: 0, signal: startSignal }),
  );
  try {
    const output = { cursor, write };
    if (format === 'tsv') await writeLines(environment, request, { ...output, header });
    else await writeBytes(environment, request, { ...output, format, formulas });
    // All requested rows are written, so the rest of the query is not needed.
    if (request.rowCountMax !== undefined && cursor.isGrowing) {
      await cancelQuietly(environment, cursor);
    }
  } catch (error) {
    if (signal.aborted || isQuireError(error, 'OUTPUT_CLOSED')) {
      await cancelQuietly(environment, cursor);
    } else if (isWritten && isQuireError(error)) throw partlyWritten(error);
    throw error;
  }
}

function partlyWritten(cause: QuireError): QuireError {
  return new QuireError(
    cause.code,
    `${cause.message}\nThe rows that were written before are not the whole result.`,
    { cause },
  );
}

interface GrowingOutput {
  readonly cursor: GrowingCursor;
  readonly write: (data: string | Uint8Array) => Promise<void>;
}

/** Passes on the server's bytes, page by page; broken connections are retried. */
async function writeBytes(
  environment: Environment,
  { offset, rowCountMax: rowCount, pageSize, signal }: GrowingRequest,
  {
    cursor,
    write,
    format,
    formulas,
  }: GrowingOutput &
    Pick<GrowingForm, 'formulas'> & { readonly format: Exclude<GrowingFormat, 'tsv'> },
): Promise<void> {
  await using progress = showReceiving(environment);
  const onProgress = (made: GrowingDownloadProgress): void => progress?.say(describeGrowing(made));
  for await (const bytes of cursor.download({
    format,
    formulas,
    offset,
    rowCount,
    pageSize,
    signal,
    onProgress,
  })) {
    await write(bytes);
  }
}

async function writeLines(
  environment: Environment,
  request: GrowingRequest,
  { cursor, write, header }: GrowingOutput & { readonly header: boolean },
): Promise<void> {
  await using progress = showReceiving(environment);
  let isFirst = true;
  let rowCount = 0;
  for await (const { columns, rows } of pagesOf(environment, request, cursor)) {
    const lines = rows.map((row) => tabbedRow(row)).join('');
    await write(isFirst && header ? tabbedHeader(columns) + lines : lines);
    isFirst = false;
    rowCount += rows.length;
    progress?.say(`${grouped(rowCount)} rows`);
  }
}

/**
 * Yields the requested pages: the first one even without rows, others as far as their rows are
 * available.
 */
async function* pagesOf(
  { clock }: Environment,
  {
    client,
    offset: start,
    rowCountMax = Number.MAX_SAFE_INTEGER - start,
    pageSize,
    signal,
  }: GrowingRequest,
  cursor: GrowingCursor,
): AsyncGenerator<QueryPage, void, undefined> {
  const stop = start + rowCountMax;
  const sizeAt = (offset: number): number | undefined =>
    pageOf({ rowCountMax: stop - offset, pageSize });
  let page = cursor.page?.offset === start ? cursor.page : undefined;
  for (let offset = start; ;) {
    page ??= await cursor.read({ offset, rowCount: sizeAt(offset) }, { signal });
    if (page !== undefined && (page.rows.length > 0 || offset === start)) yield page;
    offset += page?.rows.length ?? 0;
    if (offset >= stop) return;
    if (page?.isGrowing === false) {
      if (offset >= page.totalRowCount) return;
      // From here on, pages are read ahead.
      const { requestId, broker } = cursor;
      const rest = await client.open(requestId, {
        offset,
        rowCount: sizeAt(offset),
        broker,
        signal,
      });
      yield* rest.pages({ from: offset, to: Math.min(stop, rest.totalRowCount), signal });
      return;
    }
    if (page === undefined || page.rows.length === 0) await clock.sleep(pauseMs, signal);
    page = undefined;
  }
}

/** Shows no progress where it would be mixed with the rows. */
function showReceiving(environment: Environment): Progress | undefined {
  return environment.stdout.isTerminal ? undefined : showProgress(environment, 'receiving');
}

function describeGrowing({ rowCount, totalRowCount, sizeBytes }: GrowingDownloadProgress): string {
  if (totalRowCount !== undefined) return describeProgress({ rowCount, totalRowCount, sizeBytes });
  return `${grouped(rowCount)} rows, ${formatBytes(sizeBytes)}`;
}
