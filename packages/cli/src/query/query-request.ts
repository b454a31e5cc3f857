import type { QueryPage, QuireClient } from '@quire/client';
import type { Environment } from '../environment.ts';
import { showProgress } from '../progress.ts';

/** What the user wants to see of which query. */
export interface QueryRequest {
  readonly client: QuireClient;
  readonly sql: string;
  /** First row to show. */
  readonly offset: number;
  /** Absent: all rows. */
  readonly rowCountMax?: number | undefined;
  /** Rows of a page; absent: whatever suits the output. */
  readonly pageSize?: number | undefined;
  readonly signal: AbortSignal;
}

/** A page, and how long it took to come. */
export interface TimedPage {
  readonly page: QueryPage;
  readonly elapsedMs: number;
}

/** Runs the query, with a progress display meanwhile; resolves to the page at the request's offset. */
export async function runQuery(environment: Environment, request: QueryRequest, rowCount?: number): Promise<TimedPage> {
  await using _progress = showProgress(environment, 'running');
  return await timed(environment, async () => {
    const { client, sql, offset, signal } = request;
    if (offset === 0) return client.query(sql, { rowCount, signal });
    // A query answers with its first page: it is not the one that is wanted.
    const { requestId, broker } = await client.query(sql, { rowCount: 1, signal });
    return client.page(requestId, { offset, rowCount, broker, signal });
  });
}

/** Gives the page that an action resolves to, and how long that took. */
export async function timed({ clock }: Environment, action: () => Promise<QueryPage>): Promise<TimedPage> {
  const startMs = clock.monotonicMs();
  const page = await action();
  return { page, elapsedMs: clock.monotonicMs() - startMs };
}
