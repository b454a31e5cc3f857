import { formatBytes } from '@quire/core';
import type { DownloadFormat, DownloadProgress, QueryPage } from '@quire/client';
import type { Environment } from '../environment.ts';
import { grouped } from '../phrases.ts';
import { type Progress, showProgress } from '../progress.ts';
import { tabbedHeader, tabbedRow } from '../row-lines.ts';
import { plainStyles } from '../styles.ts';
import { planTable, renderTable } from '../table/text-table.ts';
import type { PlannedColumn } from '../table/plan-columns.ts';
import { describeProgress } from './download-result.ts';
import { type QueryRequest, runQuery } from './query-request.ts';

/** Ways to write rows: two are laid out here, the others come from the server as they are. */
export const outputFormats = ['table', 'tsv', 'json', 'ndjson', 'csv', 'arrow'] as const;

export type OutputFormat = (typeof outputFormats)[number];

interface FormatOptions {
  readonly format: OutputFormat;
  /** With `tsv`: a line of column names comes first. */
  readonly header: boolean;
}

/** Runs a query and writes the rows that were asked for, all of them, in constant memory. */
export async function streamResult(environment: Environment, request: QueryRequest, options: FormatOptions): Promise<void> {
  const { format } = options;
  if (format === 'table' || format === 'tsv') return streamLines(environment, request, format, options.header);
  return format === 'json' ? streamCursorResponse(environment, request) : streamBytes(environment, request, format);
}

/** Passes on the server's bytes, page by page: a connection that breaks on the way is not noticed. */
async function streamBytes(environment: Environment, request: QueryRequest, format: DownloadFormat): Promise<void> {
  const { offset, rowCountMax, pageSize, signal } = request;
  const { cursor } = await runQuery(environment, { ...request, offset: 0 }, 1);
  await using progress = showStreaming(environment);
  const onProgress = (made: DownloadProgress): void => progress?.say(describeProgress(made));
  const download = cursor.download({ format, offset, rowCount: rowCountMax, pageSize, signal, onProgress });
  for await (const bytes of download) await environment.stdout.write(bytes);
}

/** Passes on what the server streams: a page may be of any size, so one page is all there is to ask for. */
async function streamCursorResponse(environment: Environment, request: QueryRequest): Promise<void> {
  const { client, offset, signal } = request;
  const { cursor } = await runQuery(environment, { ...request, offset: 0 }, 1);
  const { requestId, broker, totalRowCount } = cursor;
  const rowsLeft = Math.max(1, totalRowCount - offset);
  const rowCount = Math.min(request.rowCountMax ?? rowsLeft, rowsLeft);
  await using progress = showStreaming(environment);
  let byteCount = 0;
  for await (const bytes of client.stream(requestId, { offset, rowCount, format: 'json', broker, signal })) {
    await environment.stdout.write(bytes);
    byteCount += bytes.length;
    progress?.say(formatBytes(byteCount));
  }
}

async function streamLines(
  environment: Environment,
  request: QueryRequest,
  format: 'table' | 'tsv',
  header: boolean,
): Promise<void> {
  const { pageSize, signal, rowCountMax = Number.MAX_SAFE_INTEGER } = request;
  const { cursor } = await runQuery(environment, request, pageOf(rowCountMax, pageSize));
  const rowCountTotal = Math.min(rowCountMax, Math.max(0, cursor.totalRowCount - cursor.offset));
  const layOut = format === 'table' ? tableLayout() : tabbedLayout(header);
  await using progress = showStreaming(environment);
  // No page, but the names of the columns.
  if (rowCountTotal === 0) await environment.stdout.write(layOut(cursor.page));
  let rowCount = 0;
  for await (const page of cursor.pages({ from: cursor.offset, to: cursor.offset + rowCountTotal, signal })) {
    await environment.stdout.write(layOut(page));
    rowCount += page.rows.length;
    progress?.say(`${Math.floor((rowCount / rowCountTotal) * 100)}% of ${grouped(rowCountTotal)} rows`);
  }
}

/** Rows to ask for: undefined, which is the server's own page size, unless fewer are wanted or the user says otherwise. */
function pageOf(rowsLeft: number, pageSize: number | undefined): number | undefined {
  if (pageSize !== undefined) return Math.min(rowsLeft, pageSize);
  return rowsLeft < 10_000 ? rowsLeft : undefined;
}

/** Without a progress display where it would get between the rows. */
function showStreaming(environment: Environment): Progress | undefined {
  return environment.stdout.isTerminal ? undefined : showProgress(environment, 'receiving');
}

function tabbedLayout(header: boolean): (page: QueryPage) => string {
  let isFirst = header;
  return (page) => {
    const lines = page.rows.map((row) => tabbedRow(row)).join('');
    const text = isFirst ? tabbedHeader(page.columns) + lines : lines;
    isFirst = false;
    return text;
  };
}

/** Columns are as wide as the first page needs: later pages line up, and are cut where they must. */
function tableLayout(): (page: QueryPage) => string {
  let plan: readonly PlannedColumn[] | undefined;
  return (page) => {
    const isFirst = plan === undefined;
    plan ??= planTable(page.columns, page.rows, { widthMax: Number.POSITIVE_INFINITY });
    const { header, lines } = renderTable(page.columns, page.rows, plan, plainStyles);
    return [...(isFirst ? header : []), ...lines].map((line) => `${line}\n`).join('');
  };
}
