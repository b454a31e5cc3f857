import {
  exceptionNumberOf,
  type QueryException,
  type QueryStatus,
  type RunningQuery as RunningQueryEntry,
  type WaitReason,
} from '@quire/api';
import type { QuireError } from '@quire/core';
import type { Result } from '@quire/results';
import { publicMessage } from '@quire/service';
import type { BrokerContext } from './broker-context.ts';
import { wholeMs } from './metadata-record.ts';
import type { FinishedQuery, RunningQuery } from './running-query.ts';

/**
 * The maximum length of the SQL in a list, where it only identifies the query; a text may have a
 * megabyte.
 */
const shownSqlMax = 4096;

/** Returns the progress of a running query, which only this broker knows. */
export function statusOfRunning(context: BrokerContext, query: RunningQuery): QueryStatus {
  const { requestId, state, growth, elapsedMs, submissionTimeMs, processedShare } = query;
  const { host, port } = context.address();
  const waitsFor = waitReasonOf(context, query);
  return {
    requestId,
    brokerId: context.results.brokerId,
    state,
    ...(waitsFor !== undefined && { waitsFor }),
    numRowsResultSet: growth?.rowCount ?? 0,
    sizeBytes: growth?.sizeBytes ?? 0,
    ...(processedShare !== undefined && { processedPercent: Math.floor(100 * processedShare) }),
    timeUsedMs: wholeMs(elapsedMs),
    exceptions: [],
    submissionTimeMs,
    brokerHost: host,
    brokerPort: port,
  };
}

/** Returns the progress of a running query, with its entry in the list of queries. */
export function entryOfRunning(context: BrokerContext, query: RunningQuery): RunningQueryEntry {
  const { owner, sql, isPaginated } = query;
  return {
    ...statusOfRunning(context, query),
    owner,
    query: sql.slice(0, shownSqlMax),
    isPaginated,
  };
}

function waitReasonOf(
  { queue }: BrokerContext,
  { state, owner, isFollowing }: RunningQuery,
): WaitReason | undefined {
  if (state !== 'QUEUED') return undefined;
  if (isFollowing) return 'SAME_QUERY';
  return queue.waitReasonOf(owner) === 'share' ? 'SHARE' : 'SLOT';
}

/** Returns the status of a query that ended without a result. */
export function statusOfFinished(
  context: BrokerContext,
  { requestId, state, error, elapsedMs, submissionTimeMs }: FinishedQuery,
  reader: { readonly isAdmin?: boolean } = {},
): QueryStatus {
  return {
    requestId,
    brokerId: context.results.brokerId,
    state,
    numRowsResultSet: 0,
    sizeBytes: 0,
    timeUsedMs: wholeMs(elapsedMs),
    exceptions: [exceptionOf(error, requestId, reader)],
    submissionTimeMs,
  };
}

/** Returns the status of a query whose result exists. */
export function statusOfResult({ entry, statistics }: Result): QueryStatus {
  const { requestId, brokerId, rowCount, sizeBytes, submissionTimeMs, expirationTimeMs } = entry;
  return {
    requestId,
    brokerId,
    state: 'DONE',
    numRowsResultSet: rowCount,
    sizeBytes,
    timeUsedMs: wholeMs(statistics.elapsedMs),
    exceptions: [],
    submissionTimeMs,
    expirationTimeMs,
  };
}

/** Returns a query's failure for its callers. */
export function exceptionOf(
  error: QuireError,
  requestId: string,
  reader: { readonly isAdmin?: boolean } = {},
): QueryException {
  return {
    errorCode: error.exceptionNumber ?? exceptionNumberOf(error.code),
    message: publicMessage(error, requestId, reader),
  };
}
