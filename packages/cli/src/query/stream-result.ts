import { formatBytes } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import { isJoinableFormat, type PageFormatName, pageFormatNames } from '@quire/core/wire';
import type { QueryPage } from '@quire/client';
import type { Environment } from '../environment.ts';
import { grouped } from '../phrases.ts';
import { type Progress, showProgress } from '../progress.ts';
import { plainStyles } from '../styles.ts';
import { planTable, renderTable } from '../table/text-table.ts';
import type { PlannedColumn } from '../table/plan-columns.ts';
import { pageOf, type QueryRequest, runQuery } from './query-request.ts';
import { type GrowingRequest, streamGrowing } from './stream-growing.ts';

/** The output formats: two are laid out here, the server sends the others unchanged. */
export const outputFormats = ['table', 'tsv', ...pageFormatNames] as const;

export type OutputFormat = (typeof outputFormats)[number];

interface FormatOptions {
  readonly format: OutputFormat;
  /** Escapes texts of a `csv` output that a spreadsheet would interpret as formulas. */
  readonly formulas?: 'escape' | undefined;
  /** Starts a `tsv` output with a line of column names. */
  readonly header: boolean;
}

/**
 * Runs a query and writes all requested rows in constant memory: as they arrive in formats whose
 * pages can be joined. Other formats, whose beginning or end describes the whole, are written after
 * the end of the query.
 */
export async function streamResult(
  environment: Environment,
  request: GrowingRequest,
  options: FormatOptions,
): Promise<void> {
  const { format, ...rest } = options;
  if (format === 'table') return streamTable(environment, request);
  return format === 'tsv' || isJoinableFormat(format)
    ? streamGrowing(environment, request, { format, ...rest })
    : streamPage(environment, request, format);
}

/**
 * Passes on the bytes that the server streams: a page may have any size, so one page is requested.
 */
async function streamPage(
  environment: Environment,
  request: QueryRequest,
  format: PageFormatName,
): Promise<void> {
  const { client, offset, signal } = request;
  const { cursor } = await runQuery(environment, { ...request, offset: 0 }, 1);
  const { requestId, broker, totalRowCount } = cursor;
  const rowsLeft = Math.max(1, totalRowCount - offset);
  const rowCount = Math.min(request.rowCountMax ?? rowsLeft, rowsLeft);
  await using progress = showStreaming(environment);
  let byteCount = 0;
  for await (const bytes of client.stream(requestId, {
    offset,
    rowCount,
    format,
    broker,
    signal,
  })) {
    await unlessAborted(environment.stdout.write(bytes), signal);
    byteCount += bytes.length;
    progress?.say(formatBytes(byteCount));
  }
}

/** Lays out all pages by the first one; they are read when the result is complete. */
async function streamTable(environment: Environment, request: QueryRequest): Promise<void> {
  const { signal, rowCountMax = Number.MAX_SAFE_INTEGER } = request;
  const { cursor } = await runQuery(environment, request, pageOf(request));
  const rowCountTotal = Math.min(rowCountMax, Math.max(0, cursor.totalRowCount - cursor.offset));
  const layOut = tableLayout();
  await using progress = showStreaming(environment);
  // There are no pages, only the column names.
  if (rowCountTotal === 0) await environment.stdout.write(layOut(cursor.page));
  let rowCount = 0;
  for await (const page of cursor.pages({
    from: cursor.offset,
    to: cursor.offset + rowCountTotal,
    signal,
  })) {
    await unlessAborted(environment.stdout.write(layOut(page)), signal);
    rowCount += page.rows.length;
    progress?.say(
      `${Math.floor((rowCount / rowCountTotal) * 100)}% of ${grouped(rowCountTotal)} rows`,
    );
  }
}

/** Shows no progress where it would be mixed with the rows. */
function showStreaming(environment: Environment): Progress | undefined {
  return environment.stdout.isTerminal ? undefined : showProgress(environment, 'receiving');
}

/**
 * Returns a function that lays out pages with the column widths of the first one: later pages are
 * aligned with it, and their texts truncated if necessary; numbers and times are complete.
 */
function tableLayout(): (page: QueryPage) => string {
  let plan: readonly PlannedColumn[] | undefined;
  return (page) => {
    const isFirst = plan === undefined;
    plan ??= planTable(page.columns, page.rows, { widthMax: Number.POSITIVE_INFINITY });
    const { header, lines } = renderTable(page.columns, page.rows, plan, plainStyles);
    return [...(isFirst ? header : []), ...lines].map((line) => `${line}\n`).join('');
  };
}
