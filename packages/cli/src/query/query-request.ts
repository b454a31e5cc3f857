import type { GrowingCursor, ParameterValues, QuireClient, ResultCursor } from '@quire/client';
import type { Environment } from '../environment.ts';
import { showProgress } from '../progress.ts';

/** What the user wants to see of which query. */
export interface QueryRequest {
  readonly client: QuireClient;
  readonly sql: string;
  /** Values for the parameters in the SQL. */
  readonly parameters?: ParameterValues | undefined;
  /** First row to show. */
  readonly offset: number;
  /** Absent: all rows. */
  readonly rowCountMax?: number | undefined;
  /** Rows of a page; absent: whatever suits the output. */
  readonly pageSize?: number | undefined;
  readonly signal: AbortSignal;
}

/** A result at the page that is wanted of it first, and how long that took to come. */
export interface TimedCursor {
  readonly cursor: ResultCursor;
  readonly elapsedMs: number;
}

/**
 * Runs the query, with a progress display meanwhile; resolves to its result at the request's
 * offset. It is kept by the server.
 */
export async function runQuery(
  environment: Environment,
  request: QueryRequest,
  rowCount?: number,
): Promise<TimedCursor> {
  await using _progress = showProgress(environment, 'running');
  const { client, sql, parameters, offset, signal } = request;
  const { value, elapsedMs } = await timed(environment, async () => {
    if (offset === 0) return client.query(sql, { parameters, rowCount, signal });
    // A query answers with its first page: it is not the one that is wanted.
    const { requestId, broker } = await client.query(sql, { parameters, rowCount: 1, signal });
    return client.open(requestId, { offset, rowCount, broker, signal });
  });
  return { cursor: value, elapsedMs };
}

/**
 * Rows of a page to ask for: undefined, which is the server's own page size, unless fewer are
 * wanted or the user says otherwise.
 */
export function pageOf({
  rowCountMax,
  pageSize,
}: Pick<QueryRequest, 'rowCountMax' | 'pageSize'>): number | undefined {
  const rowsLeft = rowCountMax ?? Number.MAX_SAFE_INTEGER;
  if (pageSize !== undefined) return Math.min(rowsLeft, pageSize);
  return rowsLeft < 10_000 ? rowsLeft : undefined;
}

/** Cancels a query; one that has ended needs no cancellation. */
export async function cancelQuietly(cursor: GrowingCursor): Promise<void> {
  await cursor.cancel().catch(() => undefined);
}

/** Gives what an action resolves to, and how long that took. */
export async function timed<Value>(
  { clock }: Environment,
  action: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly elapsedMs: number }> {
  const startMs = clock.monotonicMs();
  const value = await action();
  return { value, elapsedMs: clock.monotonicMs() - startMs };
}
