import type { GrowingCursor, ParameterValues, QuireClient, ResultCursor } from '@quire/client';
import type { Clock } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { Environment } from '../environment.ts';
import { showProgress } from '../progress.ts';

/** A query, and the rows of it to show. */
export interface QueryRequest {
  readonly client: QuireClient;
  readonly sql: string;
  /** Values for the parameters in the SQL. */
  readonly parameters?: ParameterValues | undefined;
  /** The first row to show. */
  readonly offset: number;
  /** All rows by default. */
  readonly rowCountMax?: number | undefined;
  /** The rows of a page; by default a number that suits the output. */
  readonly pageSize?: number | undefined;
  readonly signal: AbortSignal;
}

/** A result at its first requested page, and the time that loading took. */
export interface TimedCursor {
  readonly cursor: ResultCursor;
  readonly elapsedMs: number;
}

/**
 * Runs the query with a progress display; resolves to its result at the request's offset. The
 * server keeps the result.
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
    // The response has the first page, which is not the requested one.
    const { requestId, broker } = await client.query(sql, { parameters, rowCount: 1, signal });
    return client.open(requestId, { offset, rowCount, broker, signal });
  });
  return { cursor: value, elapsedMs };
}

/**
 * Returns the rows of a page to request: undefined for the server's default, unless fewer are
 * needed or the user sets a size.
 */
export function pageOf({
  rowCountMax,
  pageSize,
}: Pick<QueryRequest, 'rowCountMax' | 'pageSize'>): number | undefined {
  const rowsLeft = rowCountMax ?? Number.MAX_SAFE_INTEGER;
  if (pageSize !== undefined) return Math.min(rowsLeft, pageSize);
  return rowsLeft < 10_000 ? rowsLeft : undefined;
}

/** The time that a command waits for the cancellation of its query. */
const cancelWaitMs = 2000;

/**
 * Starts a query. If that is interrupted before its id is known, the query is cancelled when the
 * response arrives, if it arrives soon.
 */
export async function startUnlessAborted(
  { clock }: Environment,
  signal: AbortSignal,
  start: (signal: AbortSignal) => Promise<GrowingCursor>,
): Promise<GrowingCursor> {
  const givenUp = new AbortController();
  const starting = start(givenUp.signal);
  try {
    return await unlessAborted(starting, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const cancelled = starting.then((cursor) => cursor.cancel());
    await settledSoon(clock, cancelled, givenUp);
    throw error;
  }
}

/** Cancels a query, and ignores failures: a query that has ended needs no cancellation. */
export async function cancelQuietly({ clock }: Environment, cursor: GrowingCursor): Promise<void> {
  const givenUp = new AbortController();
  await settledSoon(clock, cursor.cancel({ signal: givenUp.signal }), givenUp);
}

/** Waits for a cancellation, whatever its outcome, and aborts it if it takes too long. */
async function settledSoon(
  clock: Clock,
  cancelled: Promise<void>,
  givenUp: AbortController,
): Promise<void> {
  await Promise.race([
    cancelled.catch(() => undefined),
    clock.sleep(cancelWaitMs, givenUp.signal).catch(() => undefined),
  ]);
  givenUp.abort();
}

/** Resolves to the result of an action, and its duration. */
export async function timed<Value>(
  { clock }: Environment,
  action: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly elapsedMs: number }> {
  const startMs = clock.monotonicMs();
  const value = await action();
  return { value, elapsedMs: clock.monotonicMs() - startMs };
}
