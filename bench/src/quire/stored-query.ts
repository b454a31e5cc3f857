import type { PageFormatName } from '@quire/core/wire';
import { request } from 'undici';
import type { PageTarget } from '../http/page-reader.ts';
import { authorization, type QuireServer } from './quire-server.ts';

export interface PageOptions {
  readonly format?: PageFormatName;
  readonly encoding?: 'zstd';
}

/** A result that a server stored, and the addresses of its pages. */
export interface StoredQuery {
  readonly server: QuireServer;
  readonly requestId: string;
  readonly rowCount: number;
}

/**
 * Runs a query on a server, which stores its answer.
 *
 * @throws Error when the response is not a result
 */
export async function storeQuery(
  server: QuireServer,
  sql: string,
  signal?: AbortSignal,
): Promise<StoredQuery> {
  const { statusCode, body } = await request(`${server.url}/query/sql?doPaginate=true&numRows=1`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(signal !== undefined && { signal }),
  });
  const text = await body.text();
  const answer = JSON.parse(text) as {
    requestId?: string;
    numRowsResultSet?: number;
    exceptions?: unknown[];
  };
  if (
    statusCode !== 200 ||
    answer.requestId === undefined ||
    answer.numRowsResultSet === undefined ||
    answer.exceptions?.length !== 0
  ) {
    throw new Error(`${sql} was answered with status ${statusCode}: ${text.slice(0, 2000)}`);
  }
  return { server, requestId: answer.requestId, rowCount: answer.numRowsResultSet };
}

/** The request of a page of a result. */
export function pageOf(
  { requestId }: StoredQuery,
  offset: number,
  rowCount: number,
  options: PageOptions = {},
): PageTarget {
  const format = options.format === undefined ? '' : `&format=${options.format}`;
  return {
    path: `/query/${requestId}/results?offset=${offset}&numRows=${rowCount}${format}`,
    headers: {
      authorization,
      ...(options.encoding !== undefined && { 'accept-encoding': options.encoding }),
    },
  };
}
