import { formatBytes } from '@quire/core';
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

/** The formats of output: two are laid out here, the server sends the others as they are. */
export const outputFormats = ['table', 'tsv', ...pageFormatNames] as const;

export type OutputFormat = (typeof outputFormats)[number];

interface FormatOptions {
  readonly format: OutputFormat;
  /** With `csv`: texts that a spreadsheet would take for formulas are escaped. */
  readonly formulas?: 'escape' | undefined;
  /** With `tsv`: a line of column names comes first. */
  readonly header: boolean;
}

/**
 * Runs a query and writes the rows that were asked for, all of them, in constant memory: as they
 * come, in formats whose pages can be joined. The others, whose beginning or end tells of the
 * whole, wait for the end of the query.
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
 * Passes on what the server streams: a page may be of any size, so one page is all there is to ask
 * for.
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
    await environment.stdout.write(bytes);
    byteCount += bytes.length;
    progress?.say(formatBytes(byteCount));
  }
}

/** Lays all pages out by the first: they are read when the whole result is there. */
async function streamTable(environment: Environment, request: QueryRequest): Promise<void> {
  const { signal, rowCountMax = Number.MAX_SAFE_INTEGER } = request;
  const { cursor } = await runQuery(environment, request, pageOf(request));
  const rowCountTotal = Math.min(rowCountMax, Math.max(0, cursor.totalRowCount - cursor.offset));
  const layOut = tableLayout();
  await using progress = showStreaming(environment);
  // No page, but the names of the columns.
  if (rowCountTotal === 0) await environment.stdout.write(layOut(cursor.page));
  let rowCount = 0;
  for await (const page of cursor.pages({
    from: cursor.offset,
    to: cursor.offset + rowCountTotal,
    signal,
  })) {
    await environment.stdout.write(layOut(page));
    rowCount += page.rows.length;
    progress?.say(
      `${Math.floor((rowCount / rowCountTotal) * 100)}% of ${grouped(rowCountTotal)} rows`,
    );
  }
}

/** Without a progress display where it would get between the rows. */
function showStreaming(environment: Environment): Progress | undefined {
  return environment.stdout.isTerminal ? undefined : showProgress(environment, 'receiving');
}

/**
 * Columns are as wide as the first page needs: later pages line up, and are cut where they must.
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
