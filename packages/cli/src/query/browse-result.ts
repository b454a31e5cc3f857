import type { GrowingCursor, GrowingPage, QuireQueryClient } from '@quire/client';
import { isQuireError } from '@quire/core';
import type { Environment } from '../environment.ts';
import { type Growth, runPager, screenRowsOf } from '../pager/run-pager.ts';
import type { TimedPage } from '../pager/pager-state.ts';
import { showProgress } from '../progress.ts';
import { cancelQuietly, type QueryRequest, startUnlessAborted, timed } from './query-request.ts';
import { printTable } from './show-result.ts';

/** A query to browse. */
export interface BrowseRequest extends Omit<QueryRequest, 'client'> {
  readonly client: QuireQueryClient;
}

/** The interval between two status requests of a running query. */
const lookMs = 500;

/**
 * Runs a query and opens a pager on its result once the first screen is available; a result that
 * fits on the screen is printed. Ctrl-C before that cancels the query; leaving the pager does not.
 */
export async function browseResult(
  environment: Environment,
  request: BrowseRequest,
): Promise<void> {
  const { pageSize } = request;
  const { value: opened, elapsedMs } = await timed(environment, () =>
    openFirstPage(environment, request),
  );
  const { cursor, page } = opened;
  const { rows, totalRowCount, isGrowing } = page;
  const isAllOnScreen =
    !isGrowing && rows.length === totalRowCount && rows.length <= screenRowsOf(environment);
  const first: TimedPage = { page, elapsedMs };
  const last = isAllOnScreen
    ? first
    : await runPager(environment, first, {
        pageSize,
        load: async (asked, signal) => {
          const { value, elapsedMs: pageElapsedMs } = await timed(environment, () =>
            readPage(cursor, asked, signal),
          );
          return { page: value, elapsedMs: pageElapsedMs };
        },
        watch: isGrowing ? (notify) => watchGrowth(environment, cursor, notify) : undefined,
      });
  // The pager's screen is cleared when it ends, so the last page is printed, as after any other
  // command.
  await printTable(environment, last);
}

/**
 * Runs a query and prints the first rows of its result: the requested number, or as many as fit on
 * the screen. Then it cancels the query if it is still running.
 */
export async function printFirstRows(
  environment: Environment,
  { rowCountMax, ...request }: BrowseRequest,
): Promise<void> {
  const { value: opened, elapsedMs } = await timed(environment, () =>
    openFirstPage(environment, { ...request, pageSize: rowCountMax }, { isFull: true }),
  );
  const { cursor, page } = opened;
  if (page.isGrowing) await cancelQuietly(environment, cursor);
  await printTable(environment, { page, elapsedMs }, { isCancelled: page.isGrowing });
}

/**
 * Starts the query, and waits for the first rows of the first page or, with `isFull`, for all of
 * them; an interrupt cancels it.
 */
async function openFirstPage(
  environment: Environment,
  { client, sql, parameters, offset, pageSize, signal }: BrowseRequest,
  { isFull = false } = {},
): Promise<{ readonly cursor: GrowingCursor; readonly page: GrowingPage }> {
  await using _progress = showProgress(environment, 'running');
  const rowCount = pageSize ?? screenRowsOf(environment);
  // The call does not wait for rows, so that the id for cancelling the query is known immediately.
  const cursor = await startUnlessAborted(environment, signal, (startSignal) =>
    client.start(sql, { parameters, rowCount, waitMs: 0, signal: startSignal }),
  );
  const { page } = cursor;
  if (page !== undefined && offset === 0 && !page.isGrowing) return { cursor, page };
  try {
    for (;;) {
      const first = await readPage(cursor, { offset, rowCount }, signal);
      const isDone = !isFull || !first.isGrowing || first.rows.length === rowCount;
      if (isDone) return { cursor, page: first };
      await environment.clock.sleep(lookMs, signal);
    }
  } catch (error) {
    if (signal.aborted) await cancelQuietly(environment, cursor);
    throw error;
  }
}

/** Reads a page once the columns are known, with the rows that are available. */
async function readPage(
  cursor: GrowingCursor,
  page: { readonly offset: number; readonly rowCount: number },
  signal: AbortSignal,
): Promise<GrowingPage> {
  for (;;) {
    const found = await cursor.read(page, { signal });
    if (found !== undefined) return found;
  }
}

/** Requests the status of a query until it ends or the watch is disposed. */
function watchGrowth(
  { clock }: Environment,
  cursor: GrowingCursor,
  notify: (growth: Growth) => void,
): Disposable {
  const aborter = new AbortController();
  const { signal } = aborter;
  const look = async (): Promise<void> => {
    for (let isGrowing = true; isGrowing;) {
      await clock.sleep(lookMs, signal);
      const { state, rowCount, exceptions } = await cursor.status({ signal });
      isGrowing = state === 'RUNNING' || state === 'QUEUED';
      notify({ totalRowCount: rowCount, isGrowing, failure: exceptions[0]?.message });
    }
  };
  look().catch((error: unknown) => {
    if (signal.aborted) return;
    const failure = isQuireError(error) ? error.message : String(error);
    notify({ totalRowCount: cursor.page?.totalRowCount ?? 0, isGrowing: false, failure });
  });
  return { [Symbol.dispose]: () => aborter.abort() };
}
