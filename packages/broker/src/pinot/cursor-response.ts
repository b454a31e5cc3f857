import type { PinotCursorResponse, PinotStoredResponse } from '@quire/api';
import type { Result, ResultEntry, ResultPage } from '@quire/results';
import type { BrokerContext } from '../broker-context.ts';
import { metadataOfResult, wholeMs } from '../metadata-record.ts';

/**
 * Returns a result, or a page of it, in the format of Apache Pinot's cursor API, without the rows.
 */
export function pinotResponseOf(
  context: BrokerContext,
  result: Result,
  page?: { readonly of: ResultPage; readonly startMs: number },
): Omit<PinotCursorResponse, 'resultTable'> {
  return {
    ...metadataOfResult(result),
    tablesQueried: [...result.statistics.tables],
    ...cursorMembersOf(context, result.entry),
    ...(page !== undefined && {
      offset: page.of.range.start,
      numRows: page.of.rowCount,
      cursorFetchTimeMs: wholeMs(context.clock.monotonicMs() - page.startMs),
    }),
  };
}

/** Returns a result in the list format of that API; opens nothing. */
export function pinotEntryOf(context: BrokerContext, entry: ResultEntry): PinotStoredResponse {
  const { requestId, brokerId, rowCount } = entry;
  return {
    requestId,
    brokerId,
    exceptions: [],
    numRowsResultSet: rowCount,
    ...cursorMembersOf(context, entry),
  };
}

function cursorMembersOf(context: BrokerContext, entry: ResultEntry) {
  // Clients of Apache Pinot require an address, even if any broker would do.
  const { host, port } = context.address();
  return {
    offset: 0,
    numRows: entry.rowCount,
    cursorResultWriteTimeMs: 0,
    cursorFetchTimeMs: 0,
    submissionTimeMs: entry.submissionTimeMs,
    expirationTimeMs: entry.expirationTimeMs,
    brokerHost: host,
    brokerPort: port,
    bytesWritten: entry.sizeBytes,
  };
}
