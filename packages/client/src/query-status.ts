import type { QueryState } from '@quire/core/wire';
import { expectArray, expectInteger, expectObject, expectString } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';
import type { BrokerAddress } from './query-page.ts';

/** Why a query has no result, in the server's numbers (CONTRACT.md section 2). */
export interface QueryException {
  readonly errorCode: number;
  readonly message: string;
}

/** How far a query is. */
export interface QueryStatus {
  readonly requestId: string;
  readonly brokerId: string;
  readonly state: QueryState;
  /** Rows that can be read by now; of a query that is DONE, all of them. */
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly elapsedMs: number;
  readonly submissionTimeMs: number;
  /** Why it failed, or that it was cancelled; else empty. */
  readonly exceptions: readonly QueryException[];
  /** Where it runs: lets a proxy route calls at once. Absent when every broker can tell. */
  readonly broker?: BrokerAddress;
}

/** A query that waits or runs. */
export interface RunningQuery extends QueryStatus {
  readonly owner: string;
  /** The beginning of its SQL. */
  readonly sql: string;
  readonly isPaginated: boolean;
}

/** Reads how far a query is. @throws UNEXPECTED_RESPONSE when the answer does not tell */
export function decodeQueryStatus(value: JsonValue): QueryStatus {
  const body = expectObject(value, 'query status');
  const { brokerHost } = body;
  return {
    requestId: expectString(body['requestId'], 'requestId'),
    brokerId: expectString(body['brokerId'], 'brokerId'),
    state: expectString(body['state'], 'state') as QueryState,
    rowCount: expectInteger(body['numRowsResultSet'], 'numRowsResultSet'),
    sizeBytes: expectInteger(body['sizeBytes'], 'sizeBytes'),
    elapsedMs: expectInteger(body['timeUsedMs'], 'timeUsedMs'),
    submissionTimeMs: expectInteger(body['submissionTimeMs'], 'submissionTimeMs'),
    exceptions: expectArray(body['exceptions'], 'exceptions').map((each) => {
      const { errorCode, message } = expectObject(each, 'exception');
      return {
        errorCode: expectInteger(errorCode, 'errorCode'),
        message: expectString(message, 'message'),
      };
    }),
    ...(typeof brokerHost === 'string' && {
      broker: { host: brokerHost, port: expectInteger(body['brokerPort'], 'brokerPort') },
    }),
  };
}

/** Reads an entry of the list of queries. @throws UNEXPECTED_RESPONSE when it is not one */
export function decodeRunningQuery(value: JsonValue): RunningQuery {
  const { owner, query, isPaginated } = expectObject(value, 'query');
  return {
    ...decodeQueryStatus(value),
    owner: expectString(owner, 'owner'),
    sql: expectString(query, 'query'),
    isPaginated: isPaginated === true,
  };
}
