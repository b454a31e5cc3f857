import {
  type CursorResponse,
  formatPageParameters,
  pageHeaders,
  type QueryStatus,
} from '@quire/api';
import { nextPage, type PageRequest, previousPage } from '@quire/core';
import type { Result, ResultPage } from '@quire/results';
import { serverCountsOf, wholeMs } from './metadata-record.ts';

/**
 * A cursor response without its rows, in the order of SPECIFICATION.md section 2.6; the members
 * after `brokerPort` are extensions.
 */
export type CursorMembers = Omit<CursorResponse, 'resultTable'>;

/**
 * Returns the members of a response about its page. They never change while the result is live,
 * because pages are cached.
 */
export function cursorMembersOf(
  result: Result,
  page: ResultPage,
  asked: PageRequest,
  advertised: { readonly host: string; readonly port: number } | undefined,
): CursorMembers {
  const { requestId, brokerId, rowCount } = result.entry;
  const next = nextPage(asked, rowCount);
  const previous = previousPage(asked);
  return {
    requestId,
    brokerId,
    numRowsResultSet: rowCount,
    offset: page.range.start,
    numRows: page.rowCount,
    nextOffsetParams: next === undefined ? null : formatPageParameters(next),
    exceptions: [],
    ...(advertised !== undefined && { brokerHost: advertised.host, brokerPort: advertised.port }),
    prevOffsetParams: previous === undefined ? null : formatPageParameters(previous),
    ...serverCountsOf(result.statistics),
    timeUsedMs: wholeMs(result.statistics.elapsedMs),
  };
}

/**
 * Returns the members for a page of a running query: the end of the result is unknown, so that
 * there is always a next page.
 */
export function growingMembersOf(
  status: QueryStatus,
  { page, asked }: { readonly page: ResultPage; readonly asked: PageRequest },
): CursorMembers {
  const { requestId, brokerId, numRowsResultSet, brokerHost, brokerPort, timeUsedMs } = status;
  const previous = previousPage(asked);
  return {
    requestId,
    brokerId,
    numRowsResultSet: Math.max(numRowsResultSet, page.range.end),
    offset: page.range.start,
    numRows: page.rowCount,
    nextOffsetParams: formatPageParameters({ offset: page.range.end, rowCount: asked.rowCount }),
    exceptions: [],
    ...(brokerHost !== undefined && { brokerHost }),
    ...(brokerPort !== undefined && { brokerPort }),
    prevOffsetParams: previous === undefined ? null : formatPageParameters(previous),
    numServersQueried: 1,
    numServersResponded: 1,
    timeUsedMs,
    state: 'RUNNING',
  };
}

/**
 * Returns the cursor members as headers, for bodies that cannot contain them; a member that is null
 * or absent has none.
 */
export function cursorHeadersOf(members: Partial<CursorMembers>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [member, header] of Object.entries(pageHeaders)) {
    const value = members[member as keyof typeof pageHeaders];
    if (value !== undefined && value !== null) headers[header] = String(value);
  }
  return headers;
}
